"""The rulebook for people: paytables as printed, readings as questions and answers, returns.

Text is wrapped to the width that is asked for, at most 100 columns.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from replay.returns import Return, WholeGame
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import ONLY_PAYTABLE, Edition, Line, Paytable
from replay.vocabulary import Game, Wager
from replay.words import WAGER_WORDS, money
from services.report.rulebook import GAME_ORDER, decimal, paytables_of, percent
from services.report.words import GAMES, long_day

WIDTH: Final = 100
_HEAD: Final = 4


def list_lines(rulebook: Rulebook) -> Iterator[str]:
    """Games and their editions."""
    for game in GAME_ORDER:
        yield f"{GAMES[game]}  ({game.name}, {rulebook.cite(game, '').strip()})"
        for edition in rulebook.editions(game):
            held = "held" if edition.held else "not held: rounds of those days are not settled"
            yield f"  {edition.in_force_from}  {edition.register:12} {held}"
    yield ""
    yield "pitproof rulebook show GAME: paytables, readings, clauses; returns GAME: what bets bring"


def show_lines(
    rulebook: Rulebook, game: Game, edition: Edition, width: int = WIDTH
) -> Iterator[str]:
    """One edition."""
    first_day = long_day(edition.in_force_from)
    yield f"{GAMES[game]}  {edition.citation}  {edition.register}, in force from {first_day}"
    if not edition.held:
        yield "The text of this edition is not held: rounds of its days are not settled."
        return
    decks = rulebook.decks(game)
    yield f"{decks} deck{'' if decks == 1 else 's'}"
    yield ""
    yield "Paytables"
    tables = paytables_of(rulebook, game)
    for _, group in groupby(_columns(tables), key=lambda column: _rows_of(column[1])):
        yield from _printed(rulebook, game, list(group))
    yield from _limits(rulebook)
    yield ""
    yield "Clauses, in our words"
    for clause in rulebook.clauses(game):
        yield from _wrapped(f"  {clause.number:5} ", clause.summary, width)
    yield from _readings(rulebook, game, width)
    if game is Game.TEXAS_SHOOTOUT:
        yield from _house_ways(rulebook)


def returns_lines(
    game: Game, returns: Sequence[Return], whole: Sequence[WholeGame], width: int = WIDTH
) -> Iterator[str]:
    """Every bet, its lines by the ways they come."""
    yield f"{GAMES[game]}: what bets return over every deal, the player's net of one unit"
    for (wager, basis), group in groupby(returns, key=lambda each: (each.wager, each.basis)):
        yield ""
        yield from _wrapped(f"{WAGER_WORDS[wager]}: ", basis, width)
        for each in group:
            name = "" if each.paytable == ONLY_PAYTABLE else f"paytable {each.paytable}"
            mean = f"{decimal(each.mean, 4)} cents" if each.in_cents else f"{percent(each.mean)} %"
            unit = "cents" if each.in_cents else "units"
            hits = percent(Fraction(each.hits, each.ways))
            ratio = f"{each.net:,} {unit} in {each.ways:,}"
            yield f"  {name:12} {mean:>14}   wins {hits:>8} %   {ratio}"
    if whole:
        yield ""
        yield from _whole_lines(whole, width)


def ways_lines(returns: Sequence[Return]) -> Iterator[str]:
    """How often each line comes, once for each set of lines."""
    told = set()
    for each in returns:
        ways = tuple((count.line and count.line.words, count.ways) for count in each.lines)
        if ways in told:
            continue
        told.add(ways)
        yield ""
        yield f"{WAGER_WORDS[each.wager]}: ways in {each.ways:,}"
        width = max(len(words or "nothing of these") for words, _ in ways)
        for words, count in ways:
            share = percent(Fraction(count, each.ways))
            yield f"  {words or 'nothing of these':{width}}  {count:>22,}  {share:>9} %"


def _whole_lines(whole: Sequence[WholeGame], width: int) -> Iterator[str]:
    yield "the whole game, hand 2 ante, hand 1 play and bonus, played as well as can be"
    for each in whole:
        name = f"pocket pair {each.paytable}" if each.paytable else "no bonus"
        yield (
            f"  {name:14} {percent(each.mean):>12} % of the ante"
            f"   {each.net:,} units in {each.ways:,}"
        )
    for folded, group in groupby(whole, key=lambda each: each.folded):
        names = ", ".join(each.paytable or "none" for each in group)
        played = next(each.played for each in whole if each.folded == folded)
        best = f"best play (bonus {names}): fold {' '.join(folded)}; play {played} of 1326 hands"
        yield from _wrapped("  ", best, width)


Column = tuple[str, Paytable]


def _columns(tables: Iterable[Paytable]) -> list[Column]:
    return [(WAGER_WORDS[table.wager], table) for table in tables]


def _rows_of(table: Paytable) -> tuple[str, tuple[str, ...]]:
    """What columns of one printed table have in common."""
    return table.clause, tuple(line.words for line in table.lines)


def _printed(rulebook: Rulebook, game: Game, columns: list[Column]) -> Iterator[str]:
    """One printed table: rows as the rule words them, a column for each paytable or wager."""
    clause = rulebook.cite(game, columns[0][1].clause)
    names = list(dict.fromkeys(name for name, _ in columns))
    yield ""
    yield f"  {', '.join(names)}  {clause}"
    heads = [name if table.id == ONLY_PAYTABLE else table.id for name, table in columns]
    if columns[0][1].id == ONLY_PAYTABLE and len(columns) == 1:
        heads = [""]
    if len(names) > 1 and len({_pays(table) for _, table in columns}) == 1:
        columns, heads = columns[:1], [""]
    rows = [[line.words for line in columns[0][1].lines]]
    rows += [[_pay(line, table.wager) for line in table.lines] for _, table in columns]
    widths = [max(map(len, [head, *row])) for head, row in zip(["", *heads], rows, strict=True)]
    if any(heads):
        yield "    " + "  ".join(
            f"{head:>{width}}" for head, width in zip(["", *heads], widths, strict=True)
        )
    for cells in zip(*rows, strict=True):
        first = f"{cells[0]:{widths[0]}}"
        rest = (f"{cell:>{width}}" for cell, width in zip(cells[1:], widths[1:], strict=True))
        yield "    " + "  ".join([first, *rest])


def _pays(table: Paytable) -> tuple[int | None, ...]:
    return tuple(line.net_to_one for line in table.lines)


def _pay(line: Line, wager: Wager) -> str:
    """A cell as it is printed; the 4s of the pocket pair bonus is read as 4x, `DD-QUEENS`."""
    if line.result != "pays":
        return {"push": "push", "lose": "lose", "na": "N/A"}[line.result]
    if line.to_one is None:
        return money(line.cents or 0)
    return f"{line.to_one}x" if wager is Wager.POCKET_PAIR else f"{line.to_one:,} to 1"


def _limits(rulebook: Rulebook) -> Iterator[str]:
    yield ""
    yield "Highest bet, each by itself; a table may post less"
    for limit in rulebook.limits():
        yield f"  from {limit.in_force_from}  {money(limit.maximum_cents):>9}  {limit.source}"


def _readings(rulebook: Rulebook, game: Game, width: int) -> Iterator[str]:
    yield ""
    yield "Readings, where the text leaves something open"
    for reading in rulebook.readings():
        if game not in reading.games:
            continue
        choice = f"  [{reading.value}; or {_others(reading.value, reading.values)}]"
        yield f"  {reading.id}  {reading.clause}{choice if reading.values else ''}"
        yield from _wrapped(" " * _HEAD, f"{reading.question} {reading.reading}", width)


def _others(value: str | None, values: tuple[str, ...]) -> str:
    return ", ".join(each for each in values if each != value)


def _house_ways(rulebook: Rulebook) -> Iterator[str]:
    yield ""
    yield "House ways: the dealer keeps the two cards that stand highest"
    for way in rulebook.house_ways():
        yield f"  {way.name}  ({way.source})"
        for number, line in enumerate(way.lines, 1):
            yield f"    {number:>2}  {line.words}"


def _wrapped(head: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=head, subsequent_indent=" " * max(len(head), _HEAD)
    )
