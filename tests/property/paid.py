"""Settlements rewritten to what is due, by the posted paytables or by others, with slips."""

from __future__ import annotations

from random import Random

from replay.vocabulary import Bettor, Wager
from tests.replay.streams import Event, judge

SLIP = 0.06
"""Chance that a settlement stays as it was."""

BetKey = tuple[str, int, int, str, str]


def pay_as_due(events: list[Event], random: Random, paytables: dict[str, str]) -> list[Event]:
    """The same stream, most bets settled at what is due were these paytables posted."""
    posted = [
        event | {"paytables": event["paytables"] | paytables}
        if event["type"] == "TableOpened"
        else event
        for event in events
    ]
    dues = _dues(posted)
    paid: list[Event] = []
    for event in events:
        if event["type"] == "WagerSettled" and random.random() > SLIP:
            due = dues.get(_key(event))
            if due is not None:
                outcome = "WIN" if due > 0 else "LOSE" if due < 0 else "PUSH"
                event = event | {"outcome": outcome, "paid_cents": max(due, 0)}
        paid.append(event)
    return paid


def _key(event: Event) -> BetKey:
    return (event["round_id"], event["spot"], event["hand"], event["wager"], event["bettor"])


def _dues(events: list[Event]) -> dict[BetKey, int]:
    wagers = judge(events)[0].wagers
    assert wagers is not None
    rounds = sorted({event["round_id"] for event in events if event.get("round_id")})
    return {
        (
            rounds[wagers.round[row]],
            int(wagers.spot[row]),
            int(wagers.hand[row]),
            Wager(int(wagers.wager[row])).name,
            Bettor(int(wagers.bettor[row])).name,
        ): int(wagers.due_cents[row])
        for row in range(len(wagers.round))
        if wagers.due_known[row]
    }
