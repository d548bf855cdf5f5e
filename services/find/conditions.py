"""What is wanted of a round's events, as SQL: what is matched, and how much of it at one seat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from services.find.times import MICROSECOND, Span
from services.find.wanted import Wanted

SLACK: Final = timedelta(minutes=20)
"""How long before or after a round's opening its events may say they occurred."""

_FOREVER: Final = 1 << 62
EVER: Final = Span(-_FOREVER, _FOREVER)


class Conditions:
    """Tests of an event `e`, or of what a correction `c` made of it; `values` are their names'."""

    def __init__(self, wanted: Wanted) -> None:
        self.tests: dict[str, str] = {}
        self.values: dict[str, object] = {}
        if wanted.spot is not None:
            self.tests["seat"] = (
                "e.spot = $spot AND e.kind IN ('WagerPlaced', 'CardDealt', 'WagerSettled')"
            )
            self.values["spot"] = wanted.spot
        if wanted.amount_cents is not None:
            self.tests["amount"] = (
                "(e.kind = 'WagerPlaced' AND e.amount_cents = $cents) "
                "OR (e.kind = 'WagerSettled' AND e.paid_cents = $cents)"
            )
            self.values["cents"] = wanted.amount_cents
        if wanted.player_id is not None:
            self.tests["player"] = "e.player_id = $player"
            self.values["player"] = wanted.player_id
        if wanted.outcome is not None:
            self.tests["outcome"] = "e.kind = 'WagerSettled' AND e.outcome = $outcome"
            if wanted.outcome == "VOID":  # said of a round as well
                self.tests["outcome"] += " OR e.kind = 'RoundVoided'"
            self.values["outcome"] = wanted.outcome
        self.copies = sorted(wanted.copies().items())
        for number, (code, _) in enumerate(self.copies):
            self.tests[f"card{number}"] = f"e.kind = 'CardDealt' AND e.card_code = {code:d}"

    def sql(self, wanted: Wanted, opened: Sequence[Span], slack: timedelta) -> str:
        """SQL for `matched`: the rounds that have it all, and how much of it at one seat."""
        off = slack // MICROSECOND
        events = [Span(each.start - off, each.stop + off) for each in opened]
        where = ["e.standing", "e.round_id IS NOT NULL", between("e.occurred_at", events)]
        if wanted.table_id is not None:
            where.append("e.table_id = $table")
        within = " AND ".join(where)
        sources = [self._rows("events AS e", within, self.tests)]
        corrected = {
            name: test.replace("e.kind = 'WagerSettled'", "c.paid_cents IS NOT NULL")
            .replace("e.kind = 'CardDealt'", "c.card_code IS NOT NULL")
            .replace("e.paid_cents", "c.paid_cents")
            .replace("e.card_code", "c.card_code")
            .replace("e.outcome", "c.outcome")
            for name, test in self.tests.items()
            if name not in ("seat", "player")
        }
        if corrected:
            joined = (
                "(SELECT * FROM corrections WHERE standing AND target_no IS NOT NULL) AS c "
                "JOIN events AS e ON e.event_no = c.target_no"
            )
            sources.append(self._rows(joined, within, corrected))
        if wanted.amount_cents is not None:
            sources.append(self._sums(within))
        return f"""matched AS (
    SELECT table_id, round_id, max({self._together()}) AS together FROM (
        SELECT table_id, round_id, spot, {self._summed("bool_or")}
        FROM ({" UNION ALL ".join(sources)}) GROUP BY ALL
    ) GROUP BY ALL HAVING {self._has_all()}
)"""  # noqa: S608 (constants, and numbers)

    def _rows(self, source: str, within: str, tests: dict[str, str]) -> str:
        columns = ", ".join(
            f"{_flag(name, f'coalesce({tests[name]}, false)' if name in tests else 'false')}"
            for name in self.tests
        )
        any_of = " OR ".join(f"({test})" for test in tests.values())
        return (
            f"SELECT e.table_id, e.round_id, coalesce(e.spot, 0) AS spot, {columns} "  # noqa: S608
            f"FROM {source} WHERE {within} AND ({any_of})"
        )

    def _sums(self, within: str) -> str:
        """Bets that come to the amount in several placements, or after chips were taken back.

        All bets of a history are summed by a hash of what names them: a third of the time.
        """
        columns = ", ".join(
            _flag(name, "true" if name == "amount" else "false") for name in self.tests
        )
        bets = (
            f"SELECT min(e.event_no) AS event_no FROM events AS e WHERE {within} "  # noqa: S608
            "AND e.kind IN ('WagerPlaced', 'WagerRemoved') AND e.amount_cents > 0 "
            "GROUP BY hash(e.table_id, e.round_id, e.spot, e.hand, e.wager, e.bettor) "
            "HAVING count(*) > 1 AND sum(CASE WHEN e.kind = 'WagerPlaced' THEN e.amount_cents "
            "ELSE -e.amount_cents END) = $cents"
        )
        return (
            f"SELECT e.table_id, e.round_id, e.spot, {columns} "  # noqa: S608
            f"FROM ({bets}) AS b JOIN events AS e ON e.event_no = b.event_no"
        )

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


def _flag(name: str, sql: str) -> str:
    return f"{sql} AS {name}"


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
