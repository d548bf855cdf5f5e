"""Weird but valid Dakota Duel Draw streams: whatever a floor, a dealer or a recorder may do."""

from __future__ import annotations

from random import Random
from typing import Any

from replay.vocabulary import CARD_NAMES
from tests.property.paid import pay_as_due
from tests.replay.streams import Event
from tests.replay.tape import Tape

WAGERS = ("BIG_8", "HAND_2_ANTE", "HAND_1_PLAY")
PAID = ("POCKET_PAIR", "HAND_1_PLAY", "HAND_2_ANTE", "BIG_8")
PAID_BONUS = ("POCKET_PAIR", "PLAYER")
STRANGE = ("POCKET_PAIR", "ENVY_BONUS", "PRIMARY", "FIRST_ANTE", "CENTER")
AMOUNTS = (100, 500, 1000, 1500, 3000, 5000)
TIP = {"bettor": "DEALER"}


def stream(seed: int, rounds: int, table_id: str = "DD-01") -> list[Event]:
    """A table's stream, always the same for a seed and table."""
    random = Random(f"{seed} {table_id}")
    opening = _opening(random)
    tape = Tape(table_id, "DAKOTA_DUEL_DRAW", **opening)
    for number in range(1, rounds + 1):
        if random.random() < 0.04:  # opened again, perhaps for another gaming day
            day = random.choice((tape.gaming_day, "2026-03-02"))
            said = {key: tape.events[0][key] for key in ("game", "spots", "currency", "house_way")}
            tape.send("TableOpened", **said, **_opening(random), gaming_day=day)
        _Round(random, tape, number).play()
    if random.random() < 0.5:
        tape.round_id = None
        tape.send("TableClosed", reason=None)
    if random.random() < 0.3:
        return tape.events
    paid_by: dict[str, str] = {}
    if random.random() < 0.5:  # a dealer who pays from another paytable than is posted
        paid_by = {"pocket_pair": random.choice("123456"), "big_8": random.choice("1234567")}
        paid_by = {name: paid_by[name] for name in paid_by if name in opening["paytables"]}
    return pay_as_due(tape.events, random, paid_by)


def _opening(random: Random) -> dict[str, Any]:
    paytables = {"pocket_pair": random.choice("123456"), "big_8": random.choice("1234567")}
    if random.random() < 0.3:
        paytables[random.choice(("pocket_pair", "big_8"))] = "9"
    if random.random() < 0.3:
        del paytables[random.choice(("pocket_pair", "big_8"))]
    return {
        "paytables": paytables,
        "minimum_cents": random.choice((None, 100, 500)),
        "maximum_cents": random.choice((None, 3000, 100_000)),
    }


class _Round:
    def __init__(self, random: Random, tape: Tape, number: int) -> None:
        self.random, self.tape, self.number = random, tape, number
        self.weird = random.random() < 0.75
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
            tape.round_id = f"{tape.table_id}-{self.number:06d}"
            tape.send("RoundOpened", dealer_id=None, shoe_id=None)
        self.stray()
        for spot in self.spots:
            self.place(spot)
        self.stray()
        short = self.deal()
        self.stray()
        for spot in random.sample(self.spots, len(self.spots)):
            self.choose(spot)
        self.stray()
        if not self.odd(0.1):
            tape.reveal("HAND_1", "HAND_2")
        self.stray()
        if not (short and random.random() < 0.8):
            self.settle()
        self.correct()
        self.end(short)

    def place(self, spot: int) -> None:
        random, bet = self.random, self.tape.bet
        cents = random.choice(AMOUNTS)
        big, ante = random.random() < 0.6, random.random() < 0.8
        if ante or (not big and not self.odd(0.5)):
            bet(spot, "HAND_2_ANTE", cents)
            self.tip(spot, "HAND_2_ANTE")
        if self.odd(0.1):  # a tip by itself
            bet(spot, random.choice(WAGERS), cents, **TIP)
        if big:
            bet(spot, "BIG_8", random.choice((*AMOUNTS, 0)) if self.odd(0.1) else cents)
            self.tip(spot, "BIG_8")
        if self.odd(0.1):
            self.tape.take_back(spot, random.choice(WAGERS), random.choice(AMOUNTS))

    def tip(self, spot: int, wager: str) -> None:
        if self.random.random() < 0.25:
            self.tape.bet(spot, wager, self.random.choice(AMOUNTS), **TIP)

    def stray(self) -> None:
        """Any bet, removal, decision, settlement or exposure, anywhere."""
        tape, random = self.tape, self.random
        while self.odd(0.25):
            spot = random.choice([*self.spots, *self.spots, 6])
            wager = random.choice((*WAGERS, *WAGERS, *STRANGE))
            more: dict[str, Any] = {}
            if random.random() < 0.3:
                more = random.choice((TIP, TIP, {"hand": 2}))
            match random.randrange(8):
                case 0 | 1:
                    tape.bet(spot, wager, random.choice((*AMOUNTS, -5)), **more)
                case 2 | 3:
                    tape.take_back(spot, wager, random.choice((*AMOUNTS, 0)), **more)
                case 4 | 5:
                    tape.decide(spot, random.choice(("PLAY", "FOLD", "FOLD", "KEEP")))
                case 6:
                    self.pay(spot, wager, more)
                case 7:
                    self.expose()

    def expose(self) -> None:
        self.tape.send(
            "CardExposed", place="HAND_1", spot=None, card=self.random.choice(CARD_NAMES)
        )

    def deal(self) -> bool:
        """Deal, now and then cut short, which is told."""
        random = self.random
        deals, short = self.order()
        unread = random.choice((0, 0, 0, 0, 0.04, 0.15)) if self.weird else 0
        if random.random() < 0.3:  # a pair for the bonus
            self.pair_up(deals)
        for spot, place in deals:
            card: str | None = self.deck.pop()
            if random.random() < unread:
                card = random.choice((None, None, None, "Zz"))
            elif self.odd(0.01):
                card = random.choice(CARD_NAMES)
            fields = {"place": place, "spot": spot, "card": card, "face_up": False}
            self.dealt.append(self.tape.send("CardDealt", **fields))
            if self.odd(0.03):
                self.expose()
        return short

    def order(self) -> tuple[list[tuple[int | None, str]], bool]:
        """Where the cards go, one after the other, and whether the deal is cut short."""
        random = self.random
        once: list[tuple[int | None, str]] = [(None, "HAND_2"), (None, "HAND_1")]
        once += [(spot, "PLAYER") for spot in self.spots]
        deals = [*once, *once, *once[:2]]
        if self.odd(0.06):
            random.shuffle(deals)
        if self.odd(0.05):
            deals.pop(random.randrange(len(deals)))
        if self.odd(0.03):
            deals.append(random.choice(deals))
        if self.odd(0.02):
            deals.append((random.choice((None, 6)), random.choice(("PLAYER", "FLOP"))))
        short = self.odd(0.08)
        return deals[: random.randrange(len(deals) + 1)] if short else deals, short

    def pair_up(self, deals: list[tuple[int | None, str]]) -> None:
        mine = [turn for turn, deal in enumerate(deals) if deal == (self.spots[0], "PLAYER")]
        if len(mine) == 2:
            rank = self.random.choice("23456789TJQKA")
            for turn, suit in zip(mine, "cd", strict=True):
                at, card = len(self.deck) - 1 - turn, self.deck.index(rank + suit)
                self.deck[at], self.deck[card] = self.deck[card], self.deck[at]

    def choose(self, spot: int) -> None:
        tape, random = self.tape, self.random
        if self.odd(0.08):
            return
        ante = self.placed().get((spot, "HAND_2_ANTE", "PLAYER"))
        if ante is None and not self.odd(0.2):
            return
        if random.random() < 0.25:
            tape.decide(spot, "FOLD")
            return
        bet_first = random.random() < 0.3
        if not bet_first and not self.odd(0.05):
            tape.decide(spot, "PLAY")
        if not self.odd(0.08):
            cents = random.choice(AMOUNTS) if ante is None or self.odd(0.1) else ante
            tape.bet(spot, "HAND_1_PLAY", cents)
            self.tip(spot, "HAND_1_PLAY")
        if bet_first and not self.odd(0.05):
            tape.decide(spot, "PLAY")

    def pay(self, spot: int, wager: str, more: dict[str, Any]) -> None:
        outcome = self.random.choice(("WIN", "LOSE", "PUSH", "VOID"))
        paid = self.random.choice(AMOUNTS) if outcome == "WIN" else 0
        self.tape.settle(spot, wager, outcome, paid, **more)

    def settle(self) -> None:
        random, placed = self.random, self.placed()
        for spot in random.sample(self.spots, len(self.spots)):
            order = list(PAID)
            if self.odd(0.1):
                random.shuffle(order)
            for wager in order:
                for bettor in ("PLAYER", "DEALER"):
                    lies = (spot, wager, bettor) in placed or (wager, bettor) == PAID_BONUS
                    if not self.odd(0.06) if lies else self.odd(0.02):
                        self.pay(spot, wager, {"bettor": bettor})
        while self.odd(0.2):
            self.pay(random.choice(self.spots), random.choice(PAID), {})

    def placed(self) -> dict[tuple[int, str, str], int]:
        """Bets that were placed in this round, with the last amount."""
        return {
            (e["spot"], e["wager"], e["bettor"]): e["amount_cents"]
            for e in self.tape.events
            if e["type"] == "WagerPlaced" and e["round_id"] == self.tape.round_id
        }

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
        while self.dealt and self.odd(0.15):
            tape.send(
                "CardCorrected",
                corrects=random.choice(self.dealt)["event_id"],
                card=random.choice((*self.deck, "xx")),
                authorised_by="S-1",
                note=None,
            )

    def end(self, short: bool) -> None:
        tape, random = self.tape, self.random
        if self.odd(0.08) or (short and random.random() < 0.8):
            reason = random.choice(("MISDEAL", "MISDEAL", "MISDEAL", "OTHER"))
            tape.send("RoundVoided", reason=reason, note=None, authorised_by=None)
        elif not self.odd(0.06):
            tape.send("RoundClosed")
        if self.odd(0.1):
            self.correct()
        if self.odd(0.05):
            self.pay(1, "BIG_8", {})
        tape.round_id = None
