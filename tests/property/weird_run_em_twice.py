"""Weird but valid Run'em Twice streams: whatever a floor, a dealer or a recorder may do."""

from __future__ import annotations

from random import Random
from typing import Any

from replay.vocabulary import CARD_NAMES
from tests.replay.streams import Event
from tests.replay.tape import Tape

PLACES = ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER")
REVEALS = (("LEFT", "RIGHT"), ("TOP", "BOTTOM"), ("CENTER",))
RUNS = ("FIRST_RUN", "SECOND_RUN", "CENTER")
SIDES = ("FIVE_CARD_BONUS", "ULTIMATE_PAIRS")
OWN = ("FIRST_ANTE", "SECOND_ANTE", *RUNS, *SIDES)
STRANGE = ("BIG_8", "PRIMARY", "POCKET_PAIR", "ENVY_BONUS", "HAND_1_PLAY")
AMOUNTS = (100, 500, 1000, 1500, 3000, 5000)


def stream(seed: int, rounds: int) -> list[Event]:
    """A table's stream, always the same for a seed."""
    random = Random(seed)
    opening: dict[str, Any] = {
        "paytables": random.choice(
            [{"ultimate_pairs": random.choice("12345")}] * 8 + [{}, {"ultimate_pairs": "9"}]
        ),
        "minimum_cents": random.choice((None, 100, 500)),
        "maximum_cents": random.choice((None, 3000, 100_000)),
    }
    tape = Tape("RT-01", "RUN_EM_TWICE", **opening)
    for number in range(1, rounds + 1):
        _Round(random, tape, number).play()
    if random.random() < 0.5:
        tape.round_id = None
        tape.send("TableClosed", reason=None)
    return tape.events


class _Round:
    def __init__(self, random: Random, tape: Tape, number: int) -> None:
        self.random, self.tape, self.number = random, tape, number
        self.weird = random.random() < 0.7
        self.spots = sorted(random.sample(range(1, 7), random.randint(1, 3)))
        self.deck = random.sample(CARD_NAMES, 52)
        self.dealt: list[Event] = []

    def odd(self, chance: float) -> bool:
        return self.weird and self.random.random() < chance

    def play(self) -> None:
        tape, random = self.tape, self.random
        if not self.odd(0.1):
            tape.open_round(self.number, decks=random.choice((1, 1, 1, 2)) if self.odd(0.1) else 1)
        else:
            tape.round_id = f"RT-01-{self.number:06d}"
            tape.send("RoundOpened", dealer_id=None, shoe_id=None)
        for spot in self.spots:
            self.place_antes(spot)
        self.stray()
        self.deal()
        for step in range(3):
            for spot in self.spots:
                self.step(spot, step)
            self.stray()
            if not self.odd(0.05):
                tape.reveal(*REVEALS[step])
        self.settle()
        self.correct()
        self.end()

    def place_antes(self, spot: int) -> None:
        amount = self.random.choice(AMOUNTS)
        for wager in ("FIRST_ANTE", "SECOND_ANTE"):
            if not self.odd(0.06):
                cents = self.random.choice(AMOUNTS) if self.odd(0.1) else amount
                self.tape.bet(spot, wager, cents)
        for wager in SIDES:
            if self.random.random() < 0.4:
                self.tape.bet(spot, wager, self.random.choice((*AMOUNTS, 0, -100)))

    def stray(self) -> None:
        """Any bet, removal, decision or settlement, anywhere."""
        tape, random = self.tape, self.random
        while self.odd(0.25):
            spot, wager = random.choice([*self.spots, 6]), random.choice((*OWN, *OWN, *STRANGE))
            more: dict[str, Any] = {}
            if random.random() < 0.15:
                more = random.choice(({"hand": 2}, {"bettor": "DEALER"}))
            match random.randrange(6):
                case 0 | 1:
                    tape.bet(spot, wager, random.choice((*AMOUNTS, -5)), **more)
                case 2 | 3:
                    tape.take_back(spot, wager, random.choice(AMOUNTS), **more)
                case 4:
                    tape.decide(spot, random.choice(("PLAY", "FOLD", "KEEP")))
                case 5:
                    self.pay(spot, wager, more)

    def deal(self) -> None:
        tape = self.tape
        hands = [(spot, "PLAYER") for spot in self.spots for _ in range(2)]
        if self.random.random() < 0.5:
            hands = [(spot, "PLAYER") for _ in range(2) for spot in self.spots]
        deals: list[tuple[int | None, str]] = [*hands, *((None, place) for place in PLACES)]
        if self.odd(0.06):
            self.random.shuffle(deals)
        if self.odd(0.05):
            deals.pop(self.random.randrange(len(deals)))
        if self.odd(0.03):
            deals.append(self.random.choice(deals))
        for spot, place in deals:
            card: str | None = self.deck.pop()
            if self.odd(0.02):
                card = self.random.choice((None, None, "Zz", "1h"))
            elif self.odd(0.01):
                card = self.random.choice(CARD_NAMES)
            event = tape.send("CardDealt", place=place, spot=spot, card=card, face_up=False)
            self.dealt.append(event)

    def step(self, spot: int, step: int) -> None:
        if self.odd(0.08):
            return
        decision = "FOLD" if self.random.random() < 0.2 else "PLAY"
        self.tape.decide(spot, decision)
        if decision == "PLAY" and not self.odd(0.08):
            self.tape.bet(spot, RUNS[step], self.random.choice(AMOUNTS))

    def pay(self, spot: int, wager: str, more: dict[str, Any]) -> None:
        outcome = self.random.choice(("WIN", "LOSE", "PUSH", "VOID"))
        paid = self.random.choice(AMOUNTS) if outcome == "WIN" else 0
        self.tape.settle(spot, wager, outcome, paid, **more)

    def settle(self) -> None:
        for spot in self.spots:
            for wager in OWN:
                if self.random.random() < 0.7:
                    self.pay(spot, wager, {})
        while self.odd(0.2):
            self.pay(self.random.choice(self.spots), self.random.choice(OWN), {})

    def correct(self) -> None:
        tape, random = self.tape, self.random
        settled = [
            e for e in tape.events if e["type"] == "WagerSettled" and e["round_id"] == tape.round_id
        ]
        while settled and self.odd(0.2):
            tape.send(
                "PayoutCorrected",
                corrects=random.choice(settled)["event_id"],
                outcome=random.choice(("WIN", "LOSE", "PUSH")),
                paid_cents=random.choice(AMOUNTS),
                authorised_by="S-1",
                note=None,
            )
        while self.odd(0.15):
            tape.send(
                "CardCorrected",
                corrects=random.choice(self.dealt)["event_id"],
                card=random.choice((*self.deck, "xx")),
                authorised_by="S-1",
                note=None,
            )

    def end(self) -> None:
        tape, random = self.tape, self.random
        if self.odd(0.08):
            reason = random.choice(("MISDEAL", "OTHER"))
            tape.send("RoundVoided", reason=reason, note=None, authorised_by=None)
        elif not self.odd(0.06):
            tape.send("RoundClosed")
        if self.odd(0.1):
            self.correct()
        if self.odd(0.05):
            self.pay(1, "FIRST_ANTE", {})
        tape.round_id = None
