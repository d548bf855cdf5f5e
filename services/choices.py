"""A wrong value is answered by what there is: of the command line and of a service alike."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NoReturn

from services.errors import BadArgumentError


def no_such(flag: str, value: str, known: Iterable[str], *, what: str) -> NoReturn:
    """Refuse a value, and name what there is.

    Raises:
        BadArgumentError: always.
    """
    import difflib

    choices = list(known)
    by_letters = {one.casefold(): one for one in reversed(choices)}  # in large or small letters
    near = difflib.get_close_matches(value.casefold(), by_letters, n=1)
    meant = f"did you mean {by_letters[near[0]]}? " if near else ""
    raise BadArgumentError(
        f"{flag} {value}: there is no such {what}",
        next_step=f"{meant}there is {', '.join(choices)}" if choices else f"there is no {what}",
    )


def check_days(first: date | None, last: date | None) -> None:
    """Refuse days that end before they begin.

    Raises:
        BadArgumentError: they do.
    """
    if first is not None and last is not None and first > last:
        raise BadArgumentError(
            f"--from {first} --to {last}: ends before it begins", next_step="swap the two days"
        )


def check_game(game: str | None) -> None:
    """Refuse a game that there is not.

    Raises:
        BadArgumentError: there is none of that name; the message says which there are.
    """
    from replay.vocabulary import Game

    games = [one.name for one in Game if one is not Game.UNKNOWN]
    if game is not None and game not in games:
        no_such("--game", game, games, what="game")
