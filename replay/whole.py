"""Findings that no stretch holds by itself, gathered over all stretches of a stream in memory.

A history gathers the same rows in its tables; what they come to is decided by the same functions.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from replay.cards_judged import DeckOrder, repeats
from replay.docket import order_key
from replay.events import Bools, EventColumns, Int32s, Int64s, Uint8s
from replay.findings import Finding
from replay.pays import mismatches
from replay.rulebook.loader import Rulebook
from replay.verdict import PayRow, RoundColumns, Verdict


@dataclass(slots=True)
class WholeStream:
    """Deck orders and pays of everything judged so far."""

    dealt: list[DealtRounds] = field(default_factory=list)
    tables: dict[str, int] = field(default_factory=dict)
    """The number of each table in `dealt`."""
    pays: dict[tuple[str, int, int, str], PayRow] = field(default_factory=dict)

    def add(self, events: EventColumns, verdict: Verdict) -> None:
        """Take what one stretch came to; later weighings of an opening replace earlier ones."""
        numbers = [self.tables.setdefault(each, len(self.tables)) for each in events.table_ids]
        self.dealt.append(DealtRounds.of(events, verdict.rounds, np.array(numbers, np.int32)))
        for row in verdict.pays:
            self.pays[row.table_id, row.opening_seq, row.wager, row.other] = row

    def findings(self, rulebook: Rulebook) -> list[Finding]:
        """What they come to, in the contract's order."""
        found = repeats(self._met_again(), rulebook) + mismatches(self.pays.values(), rulebook)
        return sorted(found, key=order_key)

    def _met_again(self) -> list[DeckOrder]:
        """All rounds whose cards came in the order of another round of their table."""
        if not self.dealt:
            return []
        again = _met_twice(
            np.concatenate([each.table for each in self.dealt]),
            np.concatenate([each.digest for each in self.dealt]),
        )
        ends = np.cumsum([len(each.table) for each in self.dealt])
        table_ids = list(self.tables)
        return [
            order
            for each, rows in zip(self.dealt, np.split(again, ends[:-1]), strict=True)
            for order in each.orders(np.flatnonzero(rows), table_ids)
        ]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DealtRounds:
    """Rounds of a stretch whose deck orders can be compared, a row each: few bytes, as all stay."""

    table: Int32s
    digest: npt.NDArray[np.uint64]
    """(N, 2) high and low half."""
    game: Uint8s
    opened_seq: Int64s
    opened_no: Int64s
    round_ids: bytes
    """JSON, a name for each row."""

    @staticmethod
    def of(events: EventColumns, rounds: RoundColumns, numbers: Int32s) -> DealtRounds:
        """Those of a stretch; `numbers` of its tables."""
        known = np.flatnonzero(rounds.deck_order_known)
        round_ids = [events.round_ids[number] for number in rounds.round[known].tolist()]
        return DealtRounds(
            numbers[rounds.table[known]],
            np.stack([rounds.deck_order_high[known], rounds.deck_order_low[known]], axis=1),
            rounds.game[known],
            rounds.opened_seq[known],
            rounds.opened_no[known],
            json.dumps(round_ids).encode(),
        )

    def orders(self, rows: Int64s, table_ids: Sequence[str]) -> list[DeckOrder]:
        """Some of them, one by one; the names of all numbers of tables."""
        round_ids = json.loads(self.round_ids) if len(rows) else []
        return [
            DeckOrder(
                table_id=table_ids[self.table[row]],
                round_id=round_ids[row],
                game=int(self.game[row]),
                opened_seq=int(self.opened_seq[row]),
                opened_no=int(self.opened_no[row]),
                digest=int(self.digest[row, 0]) << 64 | int(self.digest[row, 1]),
            )
            for row in rows.tolist()
        ]


def _met_twice(table: Int32s, digest: npt.NDArray[np.uint64]) -> Bools:
    """Which of N rows, (N,) and (N, 2), another one is the same as: (N,)."""
    order = np.lexsort((digest[:, 1], digest[:, 0], table))
    one, next_one = order[:-1], order[1:]
    same = (table[one] == table[next_one]) & (digest[one] == digest[next_one]).all(axis=1)
    again = np.zeros(len(table), np.bool_)
    again[one[same]] = again[next_one[same]] = True
    return again
