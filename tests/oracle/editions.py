"""Which text and which legal maximum hold on a gaming day (readings: editions)."""

from datetime import date
from typing import Any, Final

RUN_EM_TWICE: Final = "RUN_EM_TWICE"
DAKOTA_DUEL_DRAW: Final = "DAKOTA_DUEL_DRAW"
TEXAS_SHOOTOUT: Final = "TEXAS_SHOOTOUT"

# First day in force, and whether the text is held.
EDITIONS: Final = {
    RUN_EM_TWICE: ((date(2025, 5, 6), True),),
    DAKOTA_DUEL_DRAW: (
        (date(2021, 4, 26), False),
        (date(2021, 12, 8), False),
        (date(2022, 8, 9), True),
    ),
    TEXAS_SHOOTOUT: ((date(2003, 5, 6), False), (date(2006, 1, 30), True)),
}
# ARSD 20:18:12.01:08.01, each initial or subsequent bet by itself.
LEGAL_MAXIMUM_CENTS: Final = ((date(2001, 1, 30), 100_00), (date(2012, 7, 1), 1_000_00))
DECKS: Final = {RUN_EM_TWICE: 1, DAKOTA_DUEL_DRAW: 1, TEXAS_SHOOTOUT: 6}
SECTION: Final = {
    RUN_EM_TWICE: "Run'em Twice ",
    DAKOTA_DUEL_DRAW: "20:18:16:15.23",
    TEXAS_SHOOTOUT: "20:18:16:15.08",
}


def edition_problem(opening: dict[str, Any]) -> str | None:
    """Give the finding's code where no text held is in force, else None."""
    in_force = [held for day, held in EDITIONS[opening["game"]] if day <= opening["gaming_day"]]
    if not in_force:
        return "NO_EDITION_IN_FORCE"
    return None if in_force[-1] else "EDITION_NOT_HELD"


def maximum_cents(opening: dict[str, Any]) -> int | None:
    """Give the lower of the posted and the legal maximum of a bet."""
    known = [cents for day, cents in LEGAL_MAXIMUM_CENTS if day <= opening["gaming_day"]][-1:]
    if opening["maximum_cents"] is not None:
        known.append(opening["maximum_cents"])
    return min(known, default=None)


def clause(game: str, number: str) -> str:
    """Cite a clause of the game's section."""
    return SECTION[game] + number
