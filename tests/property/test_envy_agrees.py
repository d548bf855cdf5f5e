"""Engine and oracle agree on envy where cards that make the highest hands were not read."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.property.compare import differences
from tests.replay.streams import judge
from tests.replay.tape import Tape

SEEDS = int(os.environ.get("PITPROOF_SEEDS", "15"))
"""How many rounds: some in the default run, thousands for a soak."""

NEAR = [rank + suit for rank in "89TJQK" for suit in "ch"] * 6
"""Cards of which straight flushes and five of a kind are made."""


def round_of(random: Random, seats: int, unread: int) -> Tape:
    """Bonus wagers at every seat, each kept, split or told without its cards; some cards unread."""
    shoe = random.sample(NEAR, len(NEAR))
    posted = {"shootout_bonus": "A"}
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", paytables=posted, house_way="published-2011")
    tape.open_round(decks=6)
    for spot in range(1, seats + 1):
        tape.bet(spot, "PRIMARY", 500)
        tape.bet(spot, "SHOOTOUT_BONUS", random.choice((499, 500, 500)))
    hands = [[shoe.pop() for _ in range(4)] for _ in range(seats)]
    hidden = set(random.sample([*range(4 * seats), *range(1000, 1005)], unread))

    def shown(cards: list[str], first: int) -> str:
        return " ".join("??" if first + at in hidden else card for at, card in enumerate(cards))

    for spot, cards in enumerate(hands, start=1):
        tape.deal("PLAYER", shown(cards, 4 * spot - 4), spot)
    tape.deal("DEALER", "2d 3s 4d 6s")
    for spot, cards in enumerate(hands, start=1):
        choice = random.choice(("KEEP", "KEEP", "SPLIT"))
        named = cards[: 2 if choice == "KEEP" else 4]
        tape.decide(spot, choice, " ".join(named) if random.random() < 0.5 else "")
        if choice == "SPLIT":
            tape.bet(spot, "PRIMARY", 500, hand=2)
            tape.bet(spot, "SHOOTOUT_BONUS", 500, hand=2)
    tape.decide(None, "KEEP", "4d 6s")
    tape.deal("FLOP", shown([shoe.pop() for _ in range(5)], 1000))
    for spot in range(seats, 0, -1):
        tape.settle(spot, "ENVY_BONUS", "WIN", random.choice((1000, 5000, 6000, 25000)))
    tape.close_round()
    return tape


@pytest.mark.parametrize("seed", range(SEEDS))
def test_engine_and_oracle_agree(seed: int) -> None:
    random = Random(seed)
    tape = round_of(random, random.randint(1, 6), random.choice((0, 1, 1, 2)))
    assert differences(tape.events) == []


def test_arrangements_of_many_seats_are_not_tried_in_every_combination() -> None:
    """Six at each of 14 seats: 78 thousand million for one card of the flop."""
    tape = round_of(Random(0), 14, 0)
    flop = [event for event in tape.events if event.get("place") == "FLOP"]
    flop[-1]["card"] = None
    for event in tape.events:
        if event["type"] == "DecisionMade" and event["spot"]:
            event |= {"cards": [], "decision": "KEEP"}
    assert differences(tape.events) == []
    assert any(f.expected_high_cents for f in judge(tape.events)[1] if f.wager == "ENVY_BONUS")
