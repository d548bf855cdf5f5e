"""A replay for people: is the history what its events make of it, or what would other rules change.

Lines of at most 100 columns; sums first, then every wager of which another amount is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from replay.vocabulary import Bettor, Wager
from replay.words import bet_words, money
from services.report.replayed import differences
from services.report.words import WAGERS, count, long_day, shown

if TYPE_CHECKING:
    from services.replaying.asked import OtherRules
    from services.replaying.money import Sum
    from services.replaying.service import Checked, WhatIf

SHOWN_MAX: Final = 1_000
"""Written out for people: more are read by nobody, and JSON and CSV have them all."""

SUMS_MAX: Final = 50
"""Lines of each way of summing up."""

_WAYS: Final = {"table": "table", "wager": "wager", "player": "player", "day": "gaming day"}


def checked_lines(checked: Checked, named: str) -> Iterator[str]:
    """Whether the findings that a history keeps are those that its events make."""
    are = "are" if checked.same else "are not"
    yield f"{shown(named)}: the findings kept {are} the findings computed again"
    rounds = count(checked.rounds, "round")
    yield f"  {rounds:>20} settled again"
    yield f"  {'findings':>20}   digest {checked.digest}"
    if checked.same:
        return
    yield f"{count(checked.difference_count, 'difference')}:"
    for number, each in enumerate(differences(checked)):
        if number == SHOWN_MAX:
            yield f"  and {checked.difference_count - SHOWN_MAX:,} more"
            return
        kept = each["computed"] is None
        finding = each["kept"] if kept else each["computed"]
        place = "  ".join(part for part in (finding["table_id"], finding["round_id"]) if part)
        yield f"  {'kept, not computed' if kept else 'computed, not kept'}  {shown(place)}  " + (
            f"{finding['code']}  {shown(finding['message'])}"
        )


def what_if_lines(what_if: WhatIf, other: OtherRules) -> Iterator[str]:
    """What other rules would change."""
    total = what_if.money.total()
    yield f"What if: {shown('; '.join(_rules(other)))}"
    rounds = count(what_if.rounds, "round")
    yield f"  {rounds} settled again, {count(total.wagers, 'wager')}; nothing is written"
    as_was, what = _net(total.expected_cents), _net(total.what_if_cents)
    yield f"  players' net {as_was} as it was, {what} what if"
    yield f"  {_more(total)}"
    if total.unknown:
        yield f"  {count(total.unknown, 'wager')} not exactly known under both, in neither net"
    for way, heading in _WAYS.items():
        yield from _sums(heading, way, what_if.money.by[way])
    yield from _wagers(what_if, total)


def _rules(other: OtherRules) -> Iterator[str]:
    if other.edition is not None:
        yield f"the edition in force from {long_day(other.edition)}"
    for table, wager, paytable in other.paytables:
        yield f"paytable {paytable} of {WAGERS.get(wager, wager)} at {table}"
    for reading, value in other.readings.items():
        yield f"reading {reading} {value}"
    for table, name in other.house_ways.items():
        yield f"house way {name} at {table}"


def _net(cents: int) -> str:
    return f"+{money(cents)}" if cents > 0 else money(cents)


def _more(each: Sum) -> str:
    difference = each.what_if_cents - each.expected_cents
    if not difference:
        return "no difference in all"
    return f"{money(abs(difference))} {'more' if difference > 0 else 'less'} for players in all"


def _sums(heading: str, way: str, sums: dict[str, Sum]) -> Iterator[str]:
    """Those in which something changes, the largest difference first; days in their order."""
    rows = [(key, each) for key, each in sums.items() if each.changed]
    if not rows:
        return
    if way == "day":
        rows.sort(key=lambda row: row[0])
    else:
        rows.sort(key=lambda row: (-abs(row[1].what_if_cents - row[1].expected_cents), row[0]))
    cells: list[Sequence[str]] = [
        (heading, "wagers", "change", "as it was", "what if", "difference")
    ]
    for key, each in rows[:SUMS_MAX]:
        nets = each.expected_cents, each.what_if_cents, each.what_if_cents - each.expected_cents
        cells.append((_named(way, key), f"{each.wagers:,}", f"{each.changed:,}", *map(_net, nets)))
    yield ""
    yield from _grid(cells)
    if len(rows) > SUMS_MAX:
        yield f"  and {len(rows) - SUMS_MAX:,} more"


def _named(way: str, key: str) -> str:
    if way == "wager":
        return WAGERS.get(key, key)
    if way == "day":
        return long_day(date.fromisoformat(key)) if key != "NaT" else "never opened"
    return shown(key) if key else "nobody named"


def _grid(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns one beside the other: the first to the left, amounts and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *rest in cells:
        right = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        yield "  " + "  ".join((f"{first:<{widths[0]}}", *right))


def _wagers(what_if: WhatIf, total: Sum) -> Iterator[str]:
    number = total.changed + total.unknown
    yield ""
    if not number:
        yield "No wager changes."
        return
    rounds = count(what_if.wagers.round_count(), "round")
    one, several = "1 wager changes", f"{total.changed:,} wagers change"
    is_are = "is" if total.unknown == 1 else "are"
    unknown = f", {total.unknown:,} {is_are} not known" if total.unknown else ""
    yield f"{one if total.changed == 1 else several}{unknown}, in {rounds}:"
    for row in what_if.wagers.rows(SHOWN_MAX):
        yield f"  {_wager(row)}"
    if number > SHOWN_MAX:
        yield f"  and {number - SHOWN_MAX:,} more: JSON and CSV have them all"


def _wager(row: dict[str, Any]) -> str:
    bet = bet_words(Wager[row["wager"]], row["hand"], Bettor[row["bettor"]])
    sides = [
        "not known" if cents is None else _net(cents)
        for cents in (row["expected_cents"], row["what_if_cents"])
    ]
    place = f"{shown(row['table_id'])}  round {shown(row['round_id'])}  seat {row['spot']}  {bet}"
    return f"{place}  {sides[0]} as it was, {sides[1]} what if"
