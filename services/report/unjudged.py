"""The wagers of a round that is not judged: what lies there and what was settled, nothing due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from replay.bets import Argument
from replay.explain import ExplainedWager
from replay.vocabulary import Bettor, Outcome, Wager

Key = tuple[int, int, str, str]
"""(spot, hand, wager, bettor)."""

NOT_JUDGED: Final = Argument("event contract 1", "the round is not judged")


def unjudged_wagers(timeline: Iterable[Mapping[str, Any]]) -> tuple[ExplainedWager, ...]:
    """A row for each wager with chips or a settlement; all of its due is open."""
    events = list(timeline)
    stakes: dict[Key, int] = {}
    nets: dict[Key, list[int]] = {}
    outcomes: dict[Key, Outcome] = {}
    corrected = {event["corrects"]: event for event in events if event["type"] == _PAYOUT}
    for event in events:
        if event["type"] in _STEPS:
            amount = _STEPS[event["type"]] * max(event["amount_cents"], 0)
            stakes[_key(event)] = max(stakes.get(_key(event), 0) + amount, 0)
        elif event["type"] == "WagerSettled":
            said = corrected.get(event["event_id"], event)
            paid, taken = said["paid_cents"], stakes.get(_key(event), 0)
            net = {"WIN": paid, "LOSE": -taken}.get(said["outcome"], 0)
            nets.setdefault(_key(event), []).append(net)
            outcomes.setdefault(_key(event), Outcome[said["outcome"]])
    keys = [key for key in {**stakes, **nets} if stakes.get(key) or key in nets]
    return tuple(
        ExplainedWager(
            spot=key[0],
            hand=key[1],
            wager=Wager[key[2]],
            bettor=Bettor[key[3]],
            stake_cents=stakes.get(key, 0),
            expected_cents=None,
            expected_low_cents=None,
            expected_high_cents=None,
            actual_cents=nets[key][0] if key in nets else None,
            settled_as=outcomes.get(key, Outcome.UNKNOWN),
            by_cards_cents=None,
            argument=NOT_JUDGED,
        )
        for key in sorted(keys, key=lambda key: (key[0], Wager[key[2]], key[1], key[3]))
    )


_PAYOUT: Final = "PayoutCorrected"
_STEPS: Final = {"WagerPlaced": 1, "WagerRemoved": -1}


def _key(event: Mapping[str, Any]) -> Key:
    return event["spot"], event["hand"], event["wager"], event["bettor"]
