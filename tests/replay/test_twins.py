"""The same bet under two ids within one second (findings contract: `SUSPECTED_DUPLICATE`)."""

from __future__ import annotations

from random import Random

import pytest

from tests.replay.games.dakota_rounds import findings_of, tape_of


@pytest.mark.parametrize(
    ("seconds", "suspected"),
    [
        (["01", "02"], [1]),
        (["01", "02.000001"], []),
        (["03", "02"], [1]),
        (["01", "04", "01.5"], [2]),  # near the first, though not near the one in between
        (["01", "05", "03", "05.9", "01.9"], [3, 4]),
    ],
)
def test_a_bet_is_held_against_every_earlier_one(seconds: list[str], suspected: list[int]) -> None:
    tape = tape_of()
    bets = [tape.bet(1, "BIG_8", 1000) for _ in seconds]
    for bet, second in zip(bets, seconds, strict=True):
        bet["occurred_at"] = (
            f"2026-03-01T20:00:{second.ljust(9, '0') if '.' in second else second}Z"
        )
    found = [f.event_nos[0] for f in findings_of(tape) if f.code == "SUSPECTED_DUPLICATE"]
    first = bets[0]["seq"] - 1
    assert sorted(found) == [first + number for number in suspected]


@pytest.mark.parametrize("seed", range(20))
def test_the_earlier_one_named_is_the_last_within_a_second(seed: int) -> None:
    random = Random(seed)
    tape = tape_of()
    bets = [tape.bet(1, "BIG_8", 1000) for _ in range(12)]
    for bet in bets:
        seconds, micros = divmod(random.randrange(16) * 500_000, 1_000_000)
        bet["occurred_at"] = f"2026-03-01T20:00:{seconds:02d}.{micros:06d}Z"
    at = [bet["occurred_at"][17:26] for bet in bets]
    expected = {}
    for later in range(12):
        near = [n for n in range(later) if abs(float(at[later]) - float(at[n])) <= 1]
        if near:
            expected[later] = near[-1]
    first = bets[0]["seq"] - 1
    found = [f.event_nos for f in findings_of(tape) if f.code == "SUSPECTED_DUPLICATE"]
    assert {later - first: earlier - first for later, earlier in found} == expected
