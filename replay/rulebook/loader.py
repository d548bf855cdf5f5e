"""The rulebook: what was in force on a day, what a line pays, how a text is read.

Source: the TOML files of this folder; a licensee's house ways may lie in a folder beside them.
Nothing here settles anything: the engine asks for figures and clauses and does the rest.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from replay.rulebook.house_way import HouseWay, parse_house_way
from replay.rulebook.model import (
    ONLY_PAYTABLE,
    Clause,
    Edition,
    GameRules,
    GameWager,
    Limit,
    Line,
    Paytable,
    Reading,
    SettlementOrder,
)
from replay.rulebook.parse import parse_game, parse_limits, parse_readings
from replay.rulebook.reader import Fields, RulebookError, read_toml
from replay.vocabulary import Game, Wager

__all__ = [
    "ONLY_PAYTABLE",
    "Clause",
    "Edition",
    "GameWager",
    "HouseWay",
    "Limit",
    "Line",
    "Paytable",
    "Reading",
    "Rulebook",
    "RulebookError",
    "SettlementOrder",
    "load_rulebook",
]

GAME_FILES: Final = {
    Game.RUN_EM_TWICE: "run_em_twice.toml",
    Game.DAKOTA_DUEL_DRAW: "dakota_duel_draw.toml",
    Game.TEXAS_SHOOTOUT: "texas_shootout.toml",
}

_WAYS: Final = "house_ways"

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class Rulebook:
    """All rule data, checked. Never changed: choosing other readings gives another rulebook."""

    _games: Mapping[Game, GameRules]
    _limits: tuple[Limit, ...]
    _readings: Mapping[str, Reading]
    _house_ways: Mapping[str, HouseWay]
    _editions: Mapping[Game, Edition] = field(default_factory=dict)
    """Chosen for every gaming day of their games."""
    _looked_up: dict[object, Any] = field(default_factory=dict, init=False, repr=False)
    """Answers that every table opening asks for."""

    # --- editions and clauses ---

    def editions(self, game: Game) -> tuple[Edition, ...]:
        """Every edition of a game, by first day."""
        return self._rules(game).editions

    def edition_on(self, game: Game, gaming_day: date) -> Edition | None:
        """The edition in force on a gaming day, held or not; None before the first."""
        if game in self._editions:
            return self._editions[game]
        found = None
        for edition in self._rules(game).editions:
            if edition.in_force_from <= gaming_day:
                found = edition
        return found

    def with_edition(self, first_day: date) -> "Rulebook":
        """The same rulebook with the editions in force from that day on chosen for every day.

        Errors: RulebookError if there is none, naming those there are.
        """
        editions = [edition for game in GAME_FILES for edition in self.editions(game)]
        chosen = {each.game: each for each in editions if each.in_force_from == first_day}
        if not chosen:
            days = sorted({each.in_force_from for each in editions})
            raise RulebookError(
                file="the games' files",
                key=str(first_day),
                problem="no edition is in force from that day",
                next_step=f"use one of: {', '.join(map(str, days))}",
            )
        return replace(self, _editions={**self._editions, **chosen})

    def clauses(self, game: Game) -> tuple[Clause, ...]:
        """Every numbered clause of the held text, in its order."""
        return self._rules(game).clauses

    def cite(self, game: Game, clause: str) -> str:
        """A clause as findings cite it: `20:18:16:15.23(12)`, `Run'em Twice (7)(d)`."""
        citation = self._rules(game).citation
        return f"{citation}{'' if citation[-1].isdigit() else ' '}{clause}"

    # --- wagers and what they pay ---

    def decks(self, game: Game) -> int:
        """How many decks the rule says are in play."""
        return self._rules(game).decks

    def wagers(self, game: Game) -> tuple[GameWager, ...]:
        """Every wager and bonus of a game."""
        return self._rules(game).wagers

    def settlement_order(self, game: Game) -> SettlementOrder:
        """The order of settlement that the rule prescribes."""
        return self._rules(game).settlement

    def posted_key(self, wager: Wager) -> str | None:
        """The key of `TableOpened.paytables` that posts this wager's paytable; None: not posted."""
        if wager not in self._looked_up:
            entries = (each for rules in self._games.values() for each in rules.wagers)
            keys = (each.posted_as for each in entries if each.wager == wager)
            self._looked_up[wager] = next(keys, None)
        key: str | None = self._looked_up[wager]
        return key

    def paytables(self, game: Game, wager: Wager) -> tuple[Paytable, ...]:
        """Every paytable of a wager, as printed; none where the rule pays it without one."""
        if (game, wager) not in self._looked_up:
            tables = self._rules(game).paytables
            self._looked_up[game, wager] = tuple(each for each in tables if each.wager == wager)
        found: tuple[Paytable, ...] = self._looked_up[game, wager]
        return found

    def paytable(self, game: Game, wager: Wager, paytable_id: str) -> Paytable | None:
        """The paytable of that id, as posted (`ONLY_PAYTABLE` where none is); None if unknown."""
        for table in self.paytables(game, wager):
            if table.id == paytable_id:
                return table
        return None

    def limits(self) -> tuple[Limit, ...]:
        """Every legal maximum, by first day."""
        return self._limits

    def legal_maximum_cents(self, day: date) -> int | None:
        """The legal maximum of one bet on a day, in cents; None before the first known."""
        found = None
        for limit in self._limits:
            if limit.in_force_from <= day:
                found = limit.maximum_cents
        return found

    # --- readings ---

    def readings(self) -> tuple[Reading, ...]:
        """Every reading, in the file's order."""
        return tuple(self._readings.values())

    def reading(self, reading_id: str) -> Reading:
        """The reading of that id; RulebookError names those there are."""
        if reading_id not in self._readings:
            _refuse_reading(reading_id, "no such reading", "use one of", self._readings)
        return self._readings[reading_id]

    def reading_values(self) -> dict[str, str]:
        """The value in force of every reading that can be chosen, for what must be recorded."""
        return {each.id: each.value for each in self.readings() if each.value is not None}

    def with_readings(self, values: Mapping[str, str]) -> "Rulebook":
        """The same rulebook with other values of readings chosen, by id.

        Errors: RulebookError for an unknown id or value, naming those there are.
        """
        chosen = dict(self._readings)
        for reading_id, value in values.items():
            reading = self.reading(reading_id)
            if not reading.values:
                choosable = self.reading_values()
                _refuse_reading(reading_id, "it has no other value", "choose only among", choosable)
            if value not in reading.values:
                _refuse_reading(
                    reading_id, f"no such value: {value!r}", "use one of", reading.values
                )
            chosen[reading_id] = replace(reading, value=value)
        return replace(self, _readings=chosen)

    # --- house ways ---

    def house_ways(self) -> tuple[HouseWay, ...]:
        """Every house way there is, by name."""
        return tuple(self._house_ways[name] for name in sorted(self._house_ways))

    def house_way(self, name: str) -> HouseWay | None:
        """The house way that a table names; None if unknown."""
        return self._house_ways.get(name)

    def _rules(self, game: Game) -> GameRules:
        assert game in self._games, f"{game!r} is no game"
        return self._games[game]


def load_rulebook(house_way_dir: Path | None = None) -> Rulebook:
    """The rulebook of this package, with the house ways of a licensee's folder besides.

    The package's own data are read once; the folder is read at every call.
    Errors: RulebookError with file, key, what is wrong and the next step.
    """
    rulebook = _packaged_rulebook()
    if house_way_dir is None:
        return rulebook
    if not os.path.isdir(house_way_dir):
        raise RulebookError(
            file=str(house_way_dir),
            key="the folder",
            problem="no such folder",
            next_step="create it, or leave the setting out",
        )
    ways = dict(rulebook._house_ways)
    _add_house_ways(ways, house_way_dir, prefix=f"{house_way_dir}/")
    return replace(rulebook, _house_ways=ways)


@cache
def _packaged_rulebook() -> Rulebook:
    return load_folder(files("replay.rulebook"), at_once=False)


def load_folder(folder: Traversable, *, at_once: bool = True) -> Rulebook:
    """The rulebook of a folder laid out as this one; `load_rulebook` is for everybody else.

    Errors: RulebookError with file, key, what is wrong and the next step. Unless `at_once`, a game
    or house way is read, and its errors raised, when it is first asked for.
    """
    readings = {each.id: each for each in parse_readings(_read(folder, "readings.toml"))}
    limits = parse_limits(_read(folder, "limits.toml"))
    games = _Shelf(GAME_FILES, lambda game: _read_game(folder, game, readings))
    names = [file.removesuffix(".toml") for file in _toml_files(folder / _WAYS)]
    ways = _Shelf(names, lambda name: _read_house_way(folder / _WAYS, name, prefix=f"{_WAYS}/"))
    if at_once:
        return Rulebook(dict(games), limits, readings, dict(ways))
    return Rulebook(games, limits, readings, ways)


class _Shelf(Mapping[K, V]):
    """A mapping whose values are read when they are first taken."""

    def __init__(self, keys: Iterable[K], read: Callable[[K], V]) -> None:
        self._keys = tuple(keys)
        self._read = read
        self._taken: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        if key not in self._taken:
            if key not in self._keys:
                raise KeyError(key)
            self._taken[key] = self._read(key)
        return self._taken[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _read(folder: Traversable, file: str, prefix: str = "") -> Fields:
    try:
        text = (folder / file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulebookError(
            file=prefix + file,
            key="whole file",
            problem=f"cannot be read: {error}",
            next_step="make it a readable file in UTF-8",
        ) from error
    return read_toml(prefix + file, text)


def _read_game(folder: Traversable, game: Game, readings: Mapping[str, Reading]) -> GameRules:
    fields = _read(folder, GAME_FILES[game])
    rules = parse_game(fields)
    if rules.game != game:
        raise fields.wrong("game", f"{rules.game.name} has a file already", "keep one")
    _check_readings(fields, rules, readings)
    return rules


def _add_house_ways(ways: dict[str, HouseWay], folder: Traversable, prefix: str) -> None:
    for file in _toml_files(folder):
        way = _read_house_way(folder, file.removesuffix(".toml"), prefix)
        if way.name in ways:
            raise _read(folder, file, prefix).wrong(
                "name",
                f"there is a house way {way.name!r} already",
                "give this one another name: what was once in force is never edited",
            )
        ways[way.name] = way


def _read_house_way(folder: Traversable, name: str, prefix: str) -> HouseWay:
    fields = _read(folder, f"{name}.toml", prefix)
    way = parse_house_way(fields)
    if way.name != name:
        raise fields.wrong("name", f"{way.name!r} in a file called {name}.toml", "name both alike")
    return way


def _toml_files(folder: Traversable) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _check_readings(fields: Fields, rules: GameRules, readings: Mapping[str, Reading]) -> None:
    for paytable in rules.paytables:
        for line in paytable.lines:
            for reading_id in line.readings:
                if reading_id not in readings or rules.game not in readings[reading_id].games:
                    raise fields.wrong(
                        f"paytable {paytable.clause}, line {line.id}, readings",
                        f"{reading_id!r} is no reading of this game",
                        "add it to readings.toml, or take it out",
                    )


def _refuse_reading(
    reading_id: str, problem: str, next_step: str, known: Mapping[str, object] | tuple[str, ...]
) -> NoReturn:
    raise RulebookError(
        file="readings.toml",
        key=reading_id,
        problem=problem,
        next_step=f"{next_step}: {', '.join(known)}",
    )
