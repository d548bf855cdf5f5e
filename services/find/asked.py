"""What is asked of `pitproof find`, as people write it."""

from __future__ import annotations

from typing import Final

import msgspec

LIMIT_DEFAULT: Final = 10


class FindAsked(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is remembered: words in any order, or by name. Values are as people write them."""

    words: tuple[str, ...] = ()
    table: str | None = None
    about: str | None = None
    seat: str | None = None
    amount: str | None = None
    player: str | None = None
    cards: str | None = None
    code: str | None = None
    limit: int = LIMIT_DEFAULT
    told: bool = False
    """Also what people are told of each round: seats, and what of it was asked for."""
