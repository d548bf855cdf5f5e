"""What several commands take: flags with their help, and the checks of their values.

Values are checked here rather than by the parser, so that a wrong one is answered by what there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from services.choices import no_such as no_such
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from services.settings import Settings


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


FormatFlag = Annotated[
    str, typer.Option("--format", metavar="table|json|csv", help="How the result is written.")
]
OutputFlag = Annotated[
    str | None,
    typer.Option("--output", metavar="PATH", help="Write the result to this file, whole or not."),
]
ConfigFlag = Annotated[
    str | None,
    typer.Option("--config", metavar="PATH", help="Settings; else pitproof.toml, if there is one."),
]
DbFlag = Annotated[
    str | None,
    typer.Option("--db", metavar="PATH", help="The history; else PITPROOF_DB, else the setting."),
]

DEFAULT_FORMAT: Final = Format.TABLE.value


def format_of(value: str) -> Format:
    """The format of that name."""
    if value not in {one.value for one in Format}:
        no_such("--format", value, (one.value for one in Format), what="format")
    return Format(value)


def pairs_of(flag: str, values: Sequence[str] | None) -> dict[str, str]:
    """`ID=VALUE`, any number of times; the last of an id counts."""
    pairs: dict[str, str] = {}
    for value in values or ():
        name, equals, text = value.partition("=")
        if not equals or not name or not text:
            raise BadArgumentError(
                f"{flag} {value}: is not of the form ID=VALUE",
                next_step=f"for instance {flag} RT-RANGE=whole-multiples",
            )
        pairs[name] = text
    return pairs


def whole_number(flag: str, value: str, *, at_least: int, at_most: int) -> int:
    """A number in a range."""
    try:
        number = int(value)
    except ValueError:
        number = at_least - 1
    if not at_least <= number <= at_most:
        raise BadArgumentError(
            f"{flag} {value}: is not a whole number from {at_least:,} to {at_most:,}"
        )
    return number


def day_of(flag: str, value: str | None) -> date | None:
    """A gaming day, or none where the flag was not given."""
    if value is None:
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise BadArgumentError(
            f"{flag} {value}: is not a day", next_step=f"write it as {flag} 2026-04-18"
        ) from None


def history_of(flag: str | None, settings: Settings) -> str:
    """The history to work on: flag, else setting."""
    if flag:
        return flag
    if settings.db is None:
        raise BadArgumentError(
            "no history given",
            next_step="name it with --db PATH, PITPROOF_DB or db in pitproof.toml; "
            "`pitproof audit FILE... --db PATH` makes one",
        )
    return str(settings.db)
