"""A wrong value is answered by what there is: of the command line and of a service alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from services.errors import BadArgumentError


def no_such(flag: str, value: str, known: Iterable[str], *, what: str) -> NoReturn:
    """Refuse a value, and name what there is.

    Raises:
        BadArgumentError: always.
    """
    import difflib

    choices = list(known)
    near = difflib.get_close_matches(value, choices, n=1) or difflib.get_close_matches(
        value.upper(), choices, n=1
    )
    meant = f"did you mean {near[0]}? " if near else ""
    raise BadArgumentError(
        f"{flag} {value}: there is no such {what}",
        next_step=f"{meant}there is {', '.join(choices)}" if choices else f"there is no {what}",
    )
