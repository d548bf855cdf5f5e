"""From checked TOML fields to the values of `model`: one function a kind of table.

Source: the files of this folder. Every rule here is about the data making sense together (a clause
that exists, as many pays as columns); what a key must look like is `reader`'s affair.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from replay.rulebook.model import (
    ONLY_PAYTABLE,
    RESULTS,
    Clause,
    Edition,
    GameRules,
    GameWager,
    Limit,
    Line,
    Paytable,
    Reading,
    Result,
    SettlementOrder,
    Spots,
)
from replay.rulebook.reader import CLAUSE, Fields
from replay.vocabulary import Game, Wager

_PRINTED: dict[str, Result] = {result: result for result in RESULTS if result != "pays"}
_SPOTS: dict[str, Spots] = {"any": "any", "highest-first": "highest-first"}


@dataclass(frozen=True)
class _Pay:
    """One cell of a paytable."""

    to_one: int | None
    result: Result
    cents: int | None
    readings: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Row:
    """One row of a paytable: a line without its pay, and the cell of each column."""

    line: Line
    pays: tuple[_Pay, ...]


@dataclass(frozen=True)
class _Column:
    """One column of a paytable: its id, and the wagers that it is for."""

    id: str
    wagers: tuple[Wager, ...]


def parse_game(fields: Fields) -> GameRules:
    """One game's file.

    Errors: RulebookError at the first key that is missing, strange or at odds with another.
    """
    game = fields.member("game", Game)
    citation = fields.text("citation")
    decks = fields.integer("decks")
    editions = fields.tables("edition", lambda each: _edition(each, game, citation))
    clauses = fields.tables("clause", _clause)
    wagers = fields.tables("wager", _wager)
    settlement = SettlementOrder(None, (), "any")
    if fields.has("settlement"):
        settlement = _settlement(fields.table("settlement"))
    groups = fields.tables("paytable", _paytables)
    fields.finish()
    rules = GameRules(
        game=game,
        citation=citation,
        decks=decks,
        editions=editions,
        clauses=clauses,
        wagers=wagers,
        paytables=tuple(paytable for group in groups for paytable in group),
        settlement=settlement,
    )
    _check_editions(fields, editions)
    _check_clauses(fields, rules)
    _check_wagers(fields, rules)
    return rules


def parse_limits(fields: Fields) -> tuple[Limit, ...]:
    """The file of legal maxima, by first day."""
    limits = fields.tables("limit", _limit)
    fields.finish()
    _check_rising(fields, "limit", [limit.in_force_from for limit in limits])
    return limits


def parse_readings(fields: Fields) -> tuple[Reading, ...]:
    """The file of readings, in its order."""
    readings = fields.tables("reading", _reading)
    fields.finish()
    _check_unique(fields, "reading", "id", [reading.id for reading in readings])
    return readings


def _edition(fields: Fields, game: Game, citation: str) -> Edition:
    return Edition(
        game=game,
        citation=citation,
        register=fields.text("register"),
        in_force_from=fields.day("in_force_from"),
        held=fields.flag("held"),
    )


def _clause(fields: Fields) -> Clause:
    return Clause(number=fields.clause("number"), summary=fields.text("summary"))


def _wager(fields: Fields) -> GameWager:
    return GameWager(
        wager=fields.member("name", Wager),
        clause=fields.clause("clause"),
        posted_as=fields.identifier("posted_as") if fields.has("posted_as") else None,
        placed=fields.flag("placed") if fields.has("placed") else True,
    )


def _settlement(fields: Fields) -> SettlementOrder:
    order = SettlementOrder(
        clause=fields.clause("clause"),
        wagers=fields.members("wagers", Wager),
        spots=fields.choice("spots", _SPOTS),
    )
    fields.finish()
    return order


def _limit(fields: Fields) -> Limit:
    return Limit(
        in_force_from=fields.day("in_force_from"),
        maximum_cents=fields.integer("maximum_cents"),
        source=fields.text("source"),
    )


def _reading(fields: Fields) -> Reading:
    reading = Reading(
        id=fields.text("id"),
        games=fields.members("games", Game),
        clause=fields.text("clause"),
        question=fields.text("question"),
        reading=fields.text("reading"),
        value=fields.text("value") if fields.has("value") else None,
        values=fields.texts("values"),
        alternatives=fields.texts("alternatives"),
        approved_by=fields.text("approved_by"),
    )
    _check_unique(fields, "values", "value", reading.values)
    if reading.values and reading.value not in reading.values:
        raise fields.wrong("value", f"{reading.value!r} is not in `values`", "write one of them")
    if reading.value is not None and not reading.values:
        raise fields.wrong("value", "there are no `values` to choose from", "write them as well")
    return reading


def _paytables(fields: Fields) -> tuple[Paytable, ...]:
    """One printed table: a paytable for each of its columns and each wager of the column."""
    clause = fields.clause("clause")
    columns = fields.tables("columns", _column)
    rows = fields.tables("lines", lambda each: _row(each, clause, len(columns)))
    _check_unique(fields, "lines", "id", [row.line.id for row in rows])
    return tuple(
        Paytable(
            wager=wager,
            id=column.id,
            clause=clause,
            lines=tuple(_line(row, index) for row in rows),
        )
        for index, column in enumerate(columns)
        for wager in column.wagers
    )


def _column(fields: Fields) -> _Column:
    return _Column(id=fields.text("id"), wagers=fields.members("wagers", Wager))


def _row(fields: Fields, clause: str, column_count: int) -> _Row:
    line = Line(
        id=fields.identifier("id"),
        words=fields.text("words"),
        clause=fields.clause("clause") if fields.has("clause") else clause,
        to_one=None,
        result="na",
        cents=None,
        readings=fields.texts("readings"),
    )
    if not line.clause.startswith(clause):
        raise fields.wrong("clause", f"{line.clause} is not within {clause}", "cite that clause")
    pays = tuple(_pay(fields, place, cell) for place, cell in fields.items("pays"))
    if len(pays) != column_count:
        raise fields.wrong(
            "pays", f"{len(pays)} pays for {column_count} columns", "write one for each column"
        )
    return _Row(line, pays)


def _pay(fields: Fields, place: str, cell: object) -> _Pay:
    """A cell: [x, 1], "push", "lose", "na", or a table of `odds` or `cents` with its readings."""
    if isinstance(cell, dict):
        inner = Fields(fields.file, fields.where(place), cell)
        readings = inner.texts("readings")
        if inner.has("cents"):
            pay = _Pay(to_one=None, result="pays", cents=inner.integer("cents"), readings=readings)
        else:
            pay = replace(_pay(inner, "odds", inner.anything("odds")), readings=readings)
        inner.finish()
        return pay
    if isinstance(cell, str) and cell in _PRINTED:
        return _Pay(to_one=None, result=_PRINTED[cell], cents=None)
    match cell:
        case [int(to_one), 1] if to_one > 0 and not isinstance(to_one, bool):
            return _Pay(to_one=to_one, result="pays", cents=None)
    raise fields.wrong(
        place,
        f"{cell!r} is no pay",
        f"write [x, 1] for x to 1, {{ cents = x }}, or one of: {', '.join(_PRINTED)}",
    )


def _line(row: _Row, column_index: int) -> Line:
    pay = row.pays[column_index]
    return replace(
        row.line,
        to_one=pay.to_one,
        result=pay.result,
        cents=pay.cents,
        readings=row.line.readings + pay.readings,
    )


def _check_editions(fields: Fields, editions: Sequence[Edition]) -> None:
    _check_rising(fields, "edition", [edition.in_force_from for edition in editions])
    held = [index for index, edition in enumerate(editions) if edition.held]
    if held != [len(editions) - 1]:
        raise fields.wrong(
            "edition",
            "the figures of this file are of one text, so the last edition, and it alone, is held",
            "set `held` on the last edition only",
        )


def _check_clauses(fields: Fields, rules: GameRules) -> None:
    for index, clause in enumerate(rules.clauses):
        if clause.number != f"({index + 1})":
            raise fields.wrong(
                f"clause[{index}].number",
                f"{clause.number} stands where ({index + 1}) should",
                "number the clauses from (1), leaving none out",
            )
    known = {clause.number for clause in rules.clauses}
    cited = [(f"wager[{index}].clause", wager.clause) for index, wager in enumerate(rules.wagers)]
    cited += [("paytable.clause", paytable.clause) for paytable in rules.paytables]
    if rules.settlement.clause is not None:
        cited.append(("settlement.clause", rules.settlement.clause))
    for key, number in cited:
        parts = CLAUSE.fullmatch(number)
        if parts is None or parts[1] not in known:
            raise fields.wrong(
                key, f"this rule has no clause {number}", f"cite one of: {', '.join(sorted(known))}"
            )


def _check_wagers(fields: Fields, rules: GameRules) -> None:
    wagers = [wager.wager for wager in rules.wagers]
    _check_unique(fields, "wager", "name", [wager.name for wager in wagers])
    posted = [wager.posted_as for wager in rules.wagers if wager.posted_as is not None]
    _check_unique(fields, "wager", "posted_as", posted)
    named = {paytable.wager for paytable in rules.paytables} | set(rules.settlement.wagers)
    for wager in named - set(wagers):
        raise fields.wrong("wager", f"{wager.name} is used but not listed", "list it")
    _check_unique(
        fields,
        "paytable",
        "id for one wager",
        [f"{paytable.wager.name} {paytable.id}" for paytable in rules.paytables],
    )
    for index, entry in enumerate(rules.wagers):
        ids = [paytable.id for paytable in rules.paytables if paytable.wager == entry.wager]
        if entry.posted_as is None and ids not in ([], [ONLY_PAYTABLE]):
            raise fields.wrong(
                f"wager[{index}].posted_as",
                f"{entry.wager.name} has the paytables {', '.join(ids)} and no key to post one by",
                f'write `posted_as`, or give its one paytable the id "{ONLY_PAYTABLE}"',
            )
        if entry.posted_as is not None and (not ids or ONLY_PAYTABLE in ids):
            raise fields.wrong(
                f"wager[{index}].posted_as",
                f"{entry.wager.name} has no paytable that could be posted",
                "take `posted_as` out, or give its paytables their printed ids",
            )


def _check_rising(fields: Fields, key: str, days: Sequence[date]) -> None:
    for index in range(1, len(days)):
        if days[index] <= days[index - 1]:
            raise fields.wrong(
                f"{key}[{index}].in_force_from",
                f"{days[index]} does not come after {days[index - 1]}",
                "put the entries in the order of their first days",
            )


def _check_unique(fields: Fields, key: str, what: str, names: Iterable[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise fields.wrong(key, f"{what} {name!r} stands {count} times", "keep one")
