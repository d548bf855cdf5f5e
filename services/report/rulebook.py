"""The rulebook as JSON objects: version 1 of what `rulebook list`, `show` and `returns` print.

Odds are `[x, 1]` for x to 1, "push", "lose" or "na", as the rule data have them. Returns are
integers, and decimals of exact fractions, rounded half to even where they do not end.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from replay.returns import Return, WholeGame
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import ONLY_PAYTABLE, Edition, Paytable
from replay.vocabulary import Game
from services.report.one_round import line_odds
from services.report.words import GAMES

VERSION: Final = 1
PLACES: Final = 4
"""Decimals of a percentage."""

GAME_ORDER: Final = (Game.RUN_EM_TWICE, Game.DAKOTA_DUEL_DRAW, Game.TEXAS_SHOOTOUT)


def list_object(rulebook: Rulebook) -> dict[str, Any]:
    """Every game with its editions."""
    return {
        "version": VERSION,
        "games": [
            {
                "game": game.name,
                "name": GAMES[game],
                "citation": rulebook.cite(game, "").strip(),
                "editions": [edition_object(each) for each in rulebook.editions(game)],
            }
            for game in GAME_ORDER
        ],
    }


def edition_object(edition: Edition) -> dict[str, Any]:
    """One text of a rule."""
    return {
        "edition": edition.in_force_from.isoformat(),
        "in_force_from": edition.in_force_from.isoformat(),
        "register": edition.register,
        "held": edition.held,
    }


def show_object(rulebook: Rulebook, game: Game, edition: Edition) -> dict[str, Any]:
    """One edition; of a text that is not held only where it is printed."""
    shown: dict[str, Any] = {
        "version": VERSION,
        "game": game.name,
        "name": GAMES[game],
        "citation": edition.citation,
        **edition_object(edition),
    }
    if not edition.held:
        return shown
    return shown | {
        "decks": rulebook.decks(game),
        "clauses": [
            {"clause": rulebook.cite(game, clause.number), "summary": clause.summary}
            for clause in rulebook.clauses(game)
        ],
        "wagers": [
            {
                "wager": entry.wager.name,
                "clause": rulebook.cite(game, entry.clause),
                "posted_as": entry.posted_as,
                "placed": entry.placed,
            }
            for entry in rulebook.wagers(game)
        ],
        "paytables": [_paytable(rulebook, game, table) for table in paytables_of(rulebook, game)],
        "limits": [
            {
                "in_force_from": limit.in_force_from.isoformat(),
                "maximum_cents": limit.maximum_cents,
                "source": limit.source,
            }
            for limit in rulebook.limits()
        ],
        "readings": [
            {
                "id": reading.id,
                "clause": reading.clause,
                "question": reading.question,
                "reading": reading.reading,
                "value": reading.value,
                "values": list(reading.values),
                "alternatives": list(reading.alternatives),
                "approved_by": reading.approved_by,
            }
            for reading in rulebook.readings()
            if game in reading.games
        ],
        "house_ways": _house_ways(rulebook) if game is Game.TEXAS_SHOOTOUT else [],
    }


def paytables_of(rulebook: Rulebook, game: Game) -> list[Paytable]:
    """Every paytable of a game, wager by wager."""
    return [
        table for entry in rulebook.wagers(game) for table in rulebook.paytables(game, entry.wager)
    ]


def returns_object(
    rulebook: Rulebook, game: Game, returns: Iterable[Return], whole: Iterable[WholeGame]
) -> dict[str, Any]:
    """Every bet with its ways; the whole game beside them where it is reckoned."""
    return {
        "version": VERSION,
        "game": game.name,
        "wagers": [_return(each, rulebook.cite(game, each.clause)) for each in returns],
        "whole_game": [
            {
                "pocket_pair": each.paytable or None,
                "ways": each.ways,
                "net_units": each.net,
                "net_percent": percent(each.mean),
                "hands_played": each.played,
                "hands": _TWO_CARDS,
                "folded": list(each.folded),
            }
            for each in whole
        ],
    }


_TWO_CARDS: Final = 1326


def percent(share: Fraction, places: int = PLACES) -> str:
    """A fraction in per cent, exact but for the last place, which is rounded half to even.

    >>> percent(Fraction(1, 3)), percent(Fraction(-1, 8))
    ('33.3333', '-12.5000')
    """
    return decimal(share * 100, places)


def decimal(number: Fraction, places: int) -> str:
    """A fraction with that many decimals, the last one rounded half to even."""
    scaled = round(number * 10**places)  # of a Fraction: an integer, half to even
    whole, rest = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{rest:0{places}d}"


def _return(each: Return, clause: str) -> dict[str, Any]:
    unit = "cents" if each.in_cents else "units"
    return {
        "wager": each.wager.name,
        "paytable": None if each.paytable == ONLY_PAYTABLE else each.paytable,
        "clause": clause,
        "basis": each.basis,
        "ways": each.ways,
        f"net_{unit}": each.net,
        **({} if each.in_cents else {"net_percent": percent(each.mean)}),
        **({"mean_cents": decimal(each.mean, PLACES)} if each.in_cents else {}),
        "hits": each.hits,
        "hit_percent": percent(Fraction(each.hits, each.ways)),
        "lines": [
            {
                "row": count.line.words if count.line else None,
                "odds": line_odds(count.line) if count.line else None,
                f"net_{'cents' if each.in_cents else 'to_one'}": count.net,
                "ways": count.ways,
            }
            for count in each.lines
        ],
    }


def _paytable(rulebook: Rulebook, game: Game, table: Paytable) -> dict[str, Any]:
    return {
        "wager": table.wager.name,
        "paytable": None if table.id == ONLY_PAYTABLE else table.id,
        "clause": rulebook.cite(game, table.clause),
        "lines": [
            {
                "row": line.words,
                "clause": rulebook.cite(game, line.clause),
                "odds": line_odds(line),
                "readings": list(line.readings),
            }
            for line in table.lines
        ],
    }


def _house_ways(rulebook: Rulebook) -> list[dict[str, Any]]:
    return [
        {"name": way.name, "source": way.source, "lines": [line.words for line in way.lines]}
        for way in rulebook.house_ways()
    ]
