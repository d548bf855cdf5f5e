"""What a what-if settles by instead: asked for in words, checked against what there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec

from replay.rulebook.loader import load_rulebook
from replay.rulebook.reader import RulebookError
from replay.vocabulary import Game, Wager
from services.choices import no_such
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from replay.events import TableOpening
    from replay.rulebook.loader import Rulebook
    from services.history.store import History


GAMES: Final = tuple(game for game in Game if game is not Game.UNKNOWN)


class OtherRules(msgspec.Struct, frozen=True):
    """Whatever is set is otherwise than it was; the rest is as the history has it."""

    edition: date | None = None
    """First day of the edition, for all openings of its game."""
    paytables: tuple[tuple[str, str, str], ...] = ()
    """(table, wager, id of the paytable) for all openings of the table."""
    readings: Mapping[str, str] = {}
    house_ways: Mapping[str, str] = {}
    """Table -> name, for all openings of the table."""

    def __bool__(self) -> bool:
        """Whether anything is otherwise."""
        return bool(self.edition or self.paytables or self.readings or self.house_ways)

    def check(self, history: History, rulebook: Rulebook) -> None:
        """Refuse what there is not.

        Raises:
            BadArgumentError: an edition, table, wager, paytable, reading or house way that there
                is not, or that the table's game does not have; the message names what there is.
        """
        self.rulebook(rulebook)
        games = games_of_tables(history)
        for table, wager, paytable in self.paytables:
            _check_paytable(rulebook, _games(games, "--paytable", table), table, wager, paytable)
        for table, name in self.house_ways.items():
            if Game.TEXAS_SHOOTOUT not in _games(games, "--house-way", table):
                raise BadArgumentError(
                    f"--house-way {table}={name}: no Texas Shootout was dealt at {table}",
                    next_step="house ways are of tables of that game",
                )
            ways = [way.name for way in rulebook.house_ways()]
            if name not in ways:
                no_such("--house-way", name, ways, what="house way")

    def rulebook(self, rulebook: Rulebook) -> Rulebook:
        """The rulebook with the edition and readings that are asked for.

        Raises:
            BadArgumentError: there is no such edition, reading or value.
        """
        try:
            if self.edition is not None:
                rulebook = rulebook.with_edition(self.edition)
        except RulebookError as error:
            raise BadArgumentError(
                f"--edition {error.key}: {error.problem}", next_step=error.next_step
            ) from error
        try:
            return rulebook.with_readings(self.readings)
        except RulebookError as error:
            raise BadArgumentError(
                f"--reading {error.key}: {error.problem}", next_step=error.next_step
            ) from error

    def opening(self, table_id: str, said: TableOpening, rulebook: Rulebook) -> TableOpening:
        """What the table is taken to have posted when it opened."""
        posted = {
            str(rulebook.posted_key(Wager[wager])): paytable
            for table, wager, paytable in self.paytables
            if table == table_id and rulebook.paytables(Game(said.game), Wager[wager])
        }
        house_way = self.house_ways.get(table_id, said.house_way)
        return replace(said, paytables={**said.paytables, **posted}, house_way=house_way)


def edition_of(value: str) -> date:
    """The first day of an edition.

    Raises:
        BadArgumentError: it is no day; the message names those there are.
    """
    try:
        return date.fromisoformat(value)
    except ValueError:
        rulebook = load_rulebook()
        days = {str(each.in_force_from) for game in GAMES for each in rulebook.editions(game)}
        no_such("--edition", value, sorted(days), what="edition: it is named by its first day")


def paytables_of(values: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    """`TABLE:WAGER=ID`, any number of times; the last for a table's wager counts.

    Raises:
        BadArgumentError: one that is not of that form.
    """
    found: dict[tuple[str, str], str] = {}
    for value in values:
        place, equals, paytable = value.rpartition("=")
        table, colon, wager = place.rpartition(":")
        if not (equals and colon and table and wager and paytable):
            raise BadArgumentError(
                f"--paytable {value}: is not of the form TABLE:WAGER=ID",
                next_step="for instance --paytable DD-07:BIG_8=2",
            )
        found[table, wager] = paytable
    return tuple((*place, paytable) for place, paytable in found.items())


def games_of_tables(history: History) -> dict[str, set[Game]]:
    """Of every table that was opened, the games that it was opened for."""
    games: dict[str, set[Game]] = {}
    for table_id, game in history.rows(_OPENED_FOR):
        games.setdefault(table_id, set()).add(Game(game))
    return games


_OPENED_FOR: Final = """
SELECT DISTINCT table_id, enum_code(game) FROM table_openings WHERE standing ORDER BY ALL
"""


def _games(games: Mapping[str, set[Game]], flag: str, table: str) -> set[Game]:
    if table not in games:
        no_such(flag, table, games, what="table")
    return games[table]


def _check_paytable(
    rulebook: Rulebook, games: set[Game], table: str, wager: str, paytable: str
) -> None:
    """Refuse a wager that no game of the table has a paytable to post of, or an id of none."""
    posted = {
        entry.wager.name: [each.id for each in rulebook.paytables(game, entry.wager)]
        for game in sorted(games)
        for entry in rulebook.wagers(game)
        if entry.posted_as is not None
    }
    if wager not in posted:
        no_such("--paytable", f"{table}:{wager}", posted, what="wager with paytables at that table")
    if paytable not in posted[wager]:
        named = f"{table}:{wager}={paytable}"
        no_such("--paytable", named, posted[wager], what="paytable of that wager")
