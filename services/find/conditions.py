"""What is wanted of a round's events, as SQL: what is matched, and how much of it at one seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final, NamedTuple

from services.find.times import MICROSECOND, Span
from services.find.wanted import Wanted

SLACK: Final = timedelta(minutes=20)
"""How long before or after a round's opening its events may say they occurred."""

_CORRECTED: Final = (
    "(SELECT * FROM corrections WHERE standing AND target_no IS NOT NULL) AS c "
    "JOIN events AS e ON e.event_no = c.target_no"
)
_BET: Final = "hash(e.table_id, e.round_id, e.spot, e.hand, e.wager, e.bettor)"

_FOREVER: Final = 1 << 62
EVER: Final = Span(-_FOREVER, _FOREVER)


class Test(NamedTuple):
    """Something that may be so of an event `e`, and what a correction `c` of it would make so."""

    of_event: str
    of_correction: str = ""


class Conditions:
    """Tests of events, each met by whatever meets one of its parts; `values` are their names'.

    Each part is looked for by itself: the database then reads of a column only what it must.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.tests: dict[str, tuple[Test, ...]] = {}
        self.values: dict[str, object] = {}
        if wanted.spot is not None:
            said = "e.kind IN ('WagerPlaced', 'CardDealt', 'WagerSettled')"
            self.tests["seat"] = (Test(f"e.spot = $spot AND {said}"),)
            self.values["spot"] = wanted.spot
        if wanted.amount_cents is not None:
            self.tests["amount"] = (
                Test("e.kind = 'WagerPlaced' AND e.amount_cents = $cents"),
                Test("e.kind = 'WagerSettled' AND e.paid_cents = $cents", "c.paid_cents = $cents"),
            )
            self.values["cents"] = wanted.amount_cents
        if wanted.player_id is not None:
            self.tests["player"] = (Test("e.player_id = $player"),)
            self.values["player"] = wanted.player_id
        if wanted.outcome is not None:
            settled = Test(
                "e.kind = 'WagerSettled' AND e.outcome = $outcome",
                "c.paid_cents IS NOT NULL AND c.outcome = $outcome",
            )
            voided = Test("e.kind = 'RoundVoided'")  # said of a round as well
            self.tests["outcome"] = (settled, voided) if wanted.outcome == "VOID" else (settled,)
            self.values["outcome"] = wanted.outcome
        self.copies = sorted(wanted.copies().items())
        self.tests |= {f"card{number}": () for number in range(len(self.copies))}

    def sql(self, wanted: Wanted, opened: Sequence[Span], slack: timedelta) -> str:
        """SQL for `matched`: the rounds that have it all, and how much of it at one seat."""
        off = slack // MICROSECOND
        events = [Span(each.start - off, each.stop + off) for each in opened]
        where = ["e.standing", "e.round_id IS NOT NULL", between("e.occurred_at", events)]
        if wanted.table_id is not None:
            where.append("e.table_id = $table")
        within = " AND ".join(where)
        sources = []
        for name, tests in self.tests.items():
            met = {name: "true"}
            for test in tests:
                sources.append(self._met(met, f"events AS e WHERE {within} AND {test.of_event}"))
                if test.of_correction:
                    made = f"{_CORRECTED} WHERE {within} AND {test.of_correction}"
                    sources.append(self._met(met, made))
        if wanted.amount_cents is not None:
            sources.append(self._met({"amount": "true"}, self._summed_up(within)))
        if self.copies:
            sources += self._cards(within)
        return f"""matched AS (
    SELECT table_id, round_id, max({self._together()}) AS together FROM (
        SELECT table_id, round_id, spot, {self._summed("bool_or")}
        FROM ({" UNION ALL ".join(sources)}) GROUP BY ALL
    ) GROUP BY ALL HAVING {self._has_all()}
)"""  # noqa: S608 (constants, and numbers)

    def _cards(self, within: str) -> list[str]:
        """All cards at once: they stand in one column."""
        codes = ", ".join(f"{code:d}" for code, _ in self.copies)
        dealt = {
            alias: {
                f"card{number}": f"{alias}.card_code = {code:d}"
                for number, (code, _) in enumerate(self.copies)
            }
            for alias in ("e", "c")
        }
        in_events = f"{within} AND e.kind = 'CardDealt' AND e.card_code IN ({codes})"
        return [
            self._met(dealt["e"], f"events AS e WHERE {in_events}"),
            self._met(dealt["c"], f"{_CORRECTED} WHERE {within} AND c.card_code IN ({codes})"),
        ]

    def _met(self, met: Mapping[str, str], source: str) -> str:
        """SQL for the places at which tests are met: those, and under which condition."""
        flags = ", ".join(f"{met.get(each, 'false')} AS {each}" for each in self.tests)
        return f"SELECT e.table_id, e.round_id, coalesce(e.spot, 0) AS spot, {flags} FROM {source}"  # noqa: S608

    def _summed_up(self, within: str) -> str:
        """Bets that come to the amount, also in several placements, or after some was taken back.

        All bets of a history are summed by a hash of what names them: a third of the time.
        """
        bets = f"{within} AND e.kind IN ('WagerPlaced', 'WagerRemoved') AND e.amount_cents > 0"
        summed = (
            f"SELECT {_BET} AS bet FROM events AS e WHERE {bets} GROUP BY bet "  # noqa: S608
            "HAVING sum(CASE WHEN e.kind = 'WagerPlaced' THEN e.amount_cents "
            "ELSE -e.amount_cents END) = $cents"
        )
        return f"events AS e WHERE {bets} AND {_BET} IN ({summed})"

    def _summed(self, aggregate: str) -> str:
        return ", ".join(
            f"count_if({name}) AS {name}"
            if name.startswith("card")
            else f"{aggregate}({name}) AS {name}"
            for name in self.tests
        )

    def _together(self) -> str:
        parts = [f"{name}::INTEGER" for name in self.tests if not name.startswith("card")]
        if self.copies:
            parts.append(f"(spot > 0 AND {self._enough('{}')})::INTEGER")
        return " + ".join(parts)

    def _has_all(self) -> str:
        parts = [f"bool_or({name})" for name in self.tests if not name.startswith("card")]
        if self.copies:
            parts.append(self._enough("sum({})"))
        return " AND ".join(parts)

    def _enough(self, of: str) -> str:
        return " AND ".join(
            f"{of.format(f'card{number}')} >= {count:d}"
            for number, (_, count) in enumerate(self.copies)
        )


def between(column: str, spans: Sequence[Span]) -> str:
    """SQL for a time within one of the spans; an open end is left out."""
    return f"({' OR '.join(_within(column, span) for span in spans)})"


def _within(column: str, span: Span) -> str:
    parts = ["true"]
    if span.start > -_FOREVER // 2:
        parts.append(f"{column} >= make_timestamptz({span.start:d})")
    if span.stop < _FOREVER // 2:
        parts.append(f"{column} < make_timestamptz({span.stop:d})")
    return " AND ".join(parts)
