"""In which hours an amount was bet or paid, or a player named: so that a search need not read all.

A service keeps it in memory, since what nobody ever bet is otherwise known only after every event
was looked at. It is a hint: an hour may be named in which there is nothing, none is left out.
Loaded once, it takes in what came since before it is asked: pairs are only ever added, so that it
does for every snapshot that is not later than what it has.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

HOUR_MICROS: Final = 3_600_000_000

_EVENTS_AT_ONCE: Final = 1_000_000
_OPENED: Final = (-2, -1, 0, 1)  # hours from what is said in a round to its opening
_APART: Final = (-2, -1, 0, 1, 2)  # and between two things that are

Pairs = npt.NDArray[np.int64]
"""(N, 2): a value and an hour in each row."""


class _Asked(Protocol):
    """The part of a history that is needed here."""

    def rows(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        """All rows of a query that yields few."""

    def count(self, sql: str, parameters: Any = ()) -> int:
        """The one number that a query yields."""


@dataclass(slots=True, eq=False, repr=False)
class SaidHours:
    """Hours since 1970, UTC, by amount in cents and by player. Any thread may ask."""

    _upto: int = 0
    """Events up to this number are in it."""
    _is_loaded: bool = False
    _amounts: list[Pairs] = field(default_factory=list)
    _players: list[Pairs] = field(default_factory=list)
    _player_numbers: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def load(self, reader: _Asked) -> None:
        """Take in all that a snapshot has; 20 M events take two seconds of both cores."""
        with self._lock:
            while not self._take_in(reader):
                pass
            self._is_loaded = True

    def of(
        self, reader: _Asked, amount_cents: int | None, player_id: str | None
    ) -> list[int] | None:
        """The hours, in order, in which a round may have been opened that has all that is given.

        None: that is not known. A round is taken to last up to two hours.
        """
        if not self._is_loaded or (amount_cents is None and player_id is None):
            return None
        with self._lock:
            if not self._take_in(reader):
                return None  # far behind: the next ones that ask do more of it
            near = []
            if amount_cents is not None:
                near.append(_near(self._amounts, amount_cents))
            if player_id is not None:
                near.append(_near(self._players, self._player_numbers.get(player_id, -1)))
        return sorted(set.intersection(*near))

    def _take_in(self, reader: _Asked) -> bool:
        """Some of what came since; whether that is all."""
        last = reader.count("SELECT coalesce(max(last_event_no), 0) FROM transactions")
        upto = min(last, self._upto + _EVENTS_AT_ONCE)
        if self._upto < upto:
            self._take(reader, [self._upto + 1, upto])
            self._upto = upto
        return self._upto >= last

    def _take(self, reader: _Asked, numbers: list[int]) -> None:
        amounts = reader.rows(_AMOUNTS, numbers) + reader.rows(_CORRECTED, numbers * 2)
        near = {hour + off for _, hour in reader.rows(_BET, numbers) for off in _APART}
        if near:
            amounts += reader.rows(_SUMS.format(within=_within(near), upto=numbers[1]))
        players = [
            (self._player_numbers.setdefault(player, len(self._player_numbers)), hour)
            for player, hour in reader.rows(_PLAYERS, numbers)
        ]
        _add(self._amounts, amounts)
        _add(self._players, players)


def spans_of(hours: Iterable[int]) -> list[tuple[int, int]]:
    """Hours as spans of microseconds, ends excluded: those that follow one another are one."""
    spans: list[tuple[int, int]] = []
    for hour in sorted(hours):
        first, stop = hour * HOUR_MICROS, (hour + 1) * HOUR_MICROS
        if spans and spans[-1][1] == first:
            spans[-1] = (spans[-1][0], stop)
        else:
            spans.append((first, stop))
    return spans


def _near(parts: Iterable[Pairs], value: int) -> set[int]:
    hours = {hour for pairs in parts for hour in pairs[pairs[:, 0] == value, 1].tolist()}
    return {hour + off for hour in hours for off in _OPENED}


def _add(parts: list[Pairs], more: list[tuple[int, int]]) -> None:
    """A part that comes to be half as large as the one before joins it: few are sorted often."""
    if not more:
        return
    parts.append(_distinct(np.array(more, np.int64)))
    while len(parts) > 1 and 2 * len(parts[-1]) >= len(parts[-2]):
        last = parts.pop()
        parts[-1] = _distinct(np.concatenate([parts[-1], last]))


def _distinct(pairs: Pairs) -> Pairs:
    ordered = pairs[np.lexsort(pairs.T)]
    first = np.ones(len(ordered), np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[first]


def _within(hours: Iterable[int]) -> str:
    return " OR ".join(
        f"occurred_at >= make_timestamptz({first}) AND occurred_at < make_timestamptz({stop})"
        for first, stop in spans_of(hours)
    )


_HOUR: Final = f"epoch_us(occurred_at) // {HOUR_MICROS}"

_AMOUNTS: Final = f"""
SELECT DISTINCT coalesce(amount_cents, paid_cents) AS cents, {_HOUR}
FROM events
WHERE event_no BETWEEN ? AND ? AND kind IN ('WagerPlaced', 'WagerSettled') AND cents IS NOT NULL
"""  # noqa: S608 (constants only)

_CORRECTED: Final = f"""
SELECT DISTINCT made.paid_cents, epoch_us(target.occurred_at) // {HOUR_MICROS}
FROM corrections AS made JOIN events AS target ON target.event_no = made.target_no
WHERE made.paid_cents IS NOT NULL
    AND (made.event_no BETWEEN ? AND ? OR made.target_no BETWEEN ? AND ?)
"""  # noqa: S608 (constants only)

_BET: Final = f"""
SELECT DISTINCT 0, {_HOUR}
FROM events
WHERE event_no BETWEEN ? AND ? AND kind IN ('WagerPlaced', 'WagerRemoved')
"""  # noqa: S608 (constants only)

_PLAYERS: Final = f"""
SELECT DISTINCT player_id, {_HOUR}
FROM events
WHERE event_no BETWEEN ? AND ? AND player_id IS NOT NULL
"""  # noqa: S608 (constants only)

# Bets that came in several placements, some of which may have come before.
_SUMS: Final = f"""
SELECT DISTINCT cents::BIGINT, hour FROM (
    SELECT sum(CASE WHEN kind = 'WagerPlaced' THEN amount_cents ELSE -amount_cents END) AS cents,
           min({_HOUR}) AS hour
    FROM events
    WHERE ({{within}}) AND event_no <= {{upto}} AND standing
        AND kind IN ('WagerPlaced', 'WagerRemoved') AND amount_cents > 0
    GROUP BY hash(table_id, round_id, spot, hand, wager, bettor)
    HAVING count(*) > 1
)
WHERE cents BETWEEN 1 AND {2**62}
"""  # noqa: S608 (constants only)
