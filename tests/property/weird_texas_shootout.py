"""Weird but valid Texas Shootout streams: whatever a floor, a dealer or a recorder may do."""

from __future__ import annotations

from random import Random
from typing import Any

from replay.cards import codes_of, names_of
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import CARD_NAMES
from tests.replay.streams import Event
from tests.replay.tape import Tape

OWN = ("PRIMARY", "SHOOTOUT_BONUS", "ENVY_BONUS")
STRANGE = ("BIG_8", "FIRST_ANTE", "POCKET_PAIR", "HAND_1_PLAY")
AMOUNTS = (100, 400, 500, 1000, 1500, 3000)
ODDS = (1, 1, 2, 3, 5, 7, 40, 50, 75, 100, 200, 500)
ENVIES = (1000, 5000, 25_000, 100_000)
BLIND = ("discards", "discards", "flop", "flops", "dealer", "spot", "all", "mixed")
"""What is not read in a round of which anything is not."""


def stream(seed: int, rounds: int, table: str = "TS-01", *, deep: bool = False) -> list[Event]:
    """A table's stream, always the same for a seed; `deep` leaves more cards unread at once."""
    random = Random(f"{table} {seed}")
    opening: dict[str, Any] = {
        "paytables": random.choice(
            [{"shootout_bonus": random.choice("AB")}] * 8 + [{}, {"shootout_bonus": "C"}]
        ),
        "minimum_cents": random.choice((None, 100, 500)),
        "maximum_cents": random.choice((None, 2000, 100_000)),
        "house_way": random.choice(("published-2011", "published-2011", None, "own")),
    }
    tape = Tape(table, "TEXAS_SHOOTOUT", **opening)
    floor = _Floor(random, tape, deep)
    for number in range(1, rounds + 1):
        floor.between_rounds(number)
        _Round(floor, number).play()
    if random.random() < 0.5:
        tape.round_id = None
        tape.send("TableClosed", reason=None)
    return tape.events


def by_house_way(held: list[str]) -> list[str]:
    """The two of four cards that `published-2011` keeps."""
    way = load_rulebook().house_way("published-2011")
    assert way is not None
    return [str(card) for card in names_of(way.choose(codes_of(held)[:, None])[:, 0])]


class _Floor:
    """What lasts longer than a round: the shoe."""

    def __init__(self, random: Random, tape: Tape, deep: bool) -> None:
        self.random, self.tape, self.deep = random, tape, deep
        self.shoe_id: str | None = None
        self.shoe: list[str] = self.fresh()

    def fresh(self) -> list[str]:
        faces = list(CARD_NAMES)
        kind = self.random.random()
        if kind < 0.3:  # few ranks: many of a kind, splits
            ranks = self.random.sample("23456789TJQKA", 4)
            faces = [card for card in CARD_NAMES if card[0] in ranks]
        elif kind < 0.6:  # few suits, high: straight flushes
            faces = [card for card in CARD_NAMES if card[1] == "h" or card[0] in "TJQ"]
        shoe = faces * 6
        self.random.shuffle(shoe)
        return shoe

    def between_rounds(self, number: int) -> None:
        tape, random = self.tape, self.random
        tape.round_id = None
        if self.shoe_id is None or len(self.shoe) < 60 or random.random() < 0.12:
            if random.random() < 0.95:
                again = self.shoe_id is not None and random.random() < 0.2
                name = self.shoe_id if again else f"S-{number}"
                self.shoe_id = name
                decks = random.choice((6,) * 9 + (5, 8, 1))
                tape.send("ShoeLoaded", shoe_id=name, decks=decks)
            self.shoe = self.fresh()
            self.burn()
        if random.random() < 0.05:
            self.burn()
        if random.random() < 0.06 and self.shoe_id:
            tape.send("CutCardReached", shoe_id=self.shoe_id)

    def burn(self) -> None:
        if self.shoe_id:
            card = self.random.choice((None, None, self.shoe.pop(), "Zz"))
            self.tape.send("CardBurned", shoe_id=self.shoe_id, card=card)


class _Round:
    def __init__(self, floor: _Floor, number: int) -> None:
        self.floor, self.random, self.tape, self.number = floor, floor.random, floor.tape, number
        self.weird = self.random.random() < 0.75
        self.spots = sorted(self.random.sample(range(1, 7), self.random.randint(1, 4)))
        self.blind = self.random.choice(BLIND) if self.odd(0.35) else ""
        self.few = 2 if floor.deep else 1
        self.held: dict[int | None, list[str]] = {}
        self.dealt: list[Event] = []
        self.split: set[int | None] = set()

    def odd(self, chance: float) -> bool:
        return self.weird and self.random.random() < chance

    def blur(self) -> bool:
        """Whether more may be left unknown: the oracle tries every way, one after the other."""
        allowed = self.few > 1 or not self.blind
        self.blind = self.blind or "blurred"
        return allowed

    def play(self) -> None:
        tape, random = self.tape, self.random
        tape.round_id = f"{tape.table_id}-{self.number:06d}"
        shoe_id = None if self.odd(0.1) else self.floor.shoe_id
        tape.send("RoundOpened", dealer_id=None, shoe_id=shoe_id)
        players = [random.choice((None, "P-1", "P-2")) for _ in self.spots]
        for spot, player in zip(self.spots, players, strict=True):
            self.place(spot, player)
        self.stray()
        self.deal()
        self.stray()
        for spot in self.spots:
            self.choose(spot)
        self.stray()
        self.deal_out()
        self.settle()
        self.correct()
        self.end()

    def place(self, spot: int, player: str | None) -> None:
        if not self.odd(0.06):
            self.tape.bet(spot, "PRIMARY", self.random.choice(AMOUNTS), player_id=player)
        while self.random.random() < 0.6:
            amount = self.random.choice((*AMOUNTS, *AMOUNTS, -100) if self.odd(0.2) else AMOUNTS)
            self.tape.bet(spot, "SHOOTOUT_BONUS", amount, player_id=player)

    def stray(self) -> None:
        """Any bet, removal, decision or settlement, anywhere."""
        tape, random = self.tape, self.random
        while self.odd(0.25):
            spot = random.choice([*self.spots, *self.spots, 6])
            wager = random.choice((*OWN[:2], *OWN, *STRANGE) if self.odd(0.3) else OWN[:2])
            more: dict[str, Any] = {"hand": random.choice((1, 1, 2))}
            if random.random() < 0.1:
                more["bettor"] = "DEALER"
            match random.randrange(7):
                case 6:
                    self.floor.burn()
                case 0 | 1:
                    tape.bet(spot, wager, random.choice((*AMOUNTS, 0)), **more)
                case 2 | 3:
                    tape.take_back(spot, wager, random.choice(AMOUNTS), **more)
                case 4:
                    who = None if random.random() < 0.1 else spot
                    self.decide(who, random.choice(("PLAY", "FOLD", "KEEP", "SPLIT")))
                case 5:
                    self.pay(spot, wager, more)

    def deal(self) -> None:
        hands: list[int | None] = [*self.spots, None]
        order = [hand for hand in hands for _ in range(4)]
        if self.random.random() < 0.5:
            order = hands * 4
        if self.odd(0.05):
            self.random.shuffle(order)
        if self.odd(0.04):
            order.pop(self.random.randrange(len(order)))
        if self.odd(0.03):
            order.append(self.random.choice(order))
        for hand in order:
            self.card("DEALER" if hand is None else "PLAYER", hand)
        if self.odd(0.03):
            self.card(self.random.choice(("LEFT", "FLOP")), None)

    def card(self, place: str, spot: int | None) -> None:
        card = self.floor.shoe.pop()
        read: str | None = card
        if self.odd(0.006) and self.blur():
            read = self.random.choice((None, "Zz"))
        hidden = {
            "discards": place == "PLAYER",
            "dealer": place == "DEALER" and self.random.random() < 0.3 * self.few,
            "spot": spot == self.spots[0] and self.random.random() < 0.3 * self.few,
            "flop": place == "FLOP" and len(self.held.get(99, ())) == 2,
            "flops": place == "FLOP" and len(self.held.get(99, ())) < 1 + self.few,
            "all": place == "FLOP",
            "mixed": self.random.random() < 0.05 * self.few,
        }
        if hidden.get(self.blind, False):
            read = None
        self.held.setdefault(99 if place == "FLOP" else spot, []).append(card)
        event = self.tape.send("CardDealt", place=place, spot=spot, card=read, face_up=False)
        self.dealt.append(event)

    def decide(self, who: int | None, decision: str) -> None:
        """A choice of dealt cards, or now and then of others, fewer, or none."""
        random = self.random
        held = self.held.get(who, [])
        if decision == "SPLIT":
            self.split.add(who)
        size = 4 if decision == "SPLIT" else 2
        cards = random.sample(held, min(size, len(held)))
        if who is None and len(held) == 4 and random.random() < 0.8:
            cards = by_house_way(held)
        wrong_allowed = self.few > 1 or decision == "KEEP"
        if self.odd(0.05) and (self.few > 1 or not self.blind):
            cards = []
        elif self.odd(0.05) and cards and wrong_allowed and self.blur():
            cards[random.randrange(len(cards))] = random.choice((*CARD_NAMES, "Zz", "Zz"))
        elif self.odd(0.02) and wrong_allowed and self.blur():
            cards = [*cards, random.choice(CARD_NAMES)] if random.random() < 0.5 else cards[:-1]
        self.tape.decide(who, decision, " ".join(cards))

    def choose(self, spot: int) -> None:
        if self.odd(0.06) and (self.few > 1 or not self.blind):
            return
        ranks = sorted(card[0] for card in self.held.get(spot, []))
        pairs = len(ranks) == 4 and ranks[0] == ranks[1] and ranks[2] == ranks[3]
        splits = (pairs and self.random.random() < 0.8) or self.odd(0.06)
        if self.odd(0.06):
            self.decide(spot, self.random.choice(("KEEP", "SPLIT")))
        self.decide(spot, "SPLIT" if splits else "KEEP")
        if splits or self.odd(0.04):
            if not self.odd(0.1):
                first = [
                    e["amount_cents"]
                    for e in self.tape.events
                    if e.get("round_id") == self.tape.round_id
                    and e["type"] == "WagerPlaced"
                    and (e["spot"], e["wager"], e["hand"]) == (spot, "PRIMARY", 1)
                ]
                same = first and self.random.random() < 0.8
                self.tape.bet(
                    spot, "PRIMARY", sum(first) if same else self.random.choice(AMOUNTS), hand=2
                )
            if self.random.random() < 0.6:
                self.tape.bet(spot, "SHOOTOUT_BONUS", self.random.choice(AMOUNTS), hand=2)

    def deal_out(self) -> None:
        """The dealer's hand and the flop, mostly in that order."""
        steps = ["reveal", "keep", "flop"]
        if self.odd(0.08):
            self.random.shuffle(steps)
        if self.odd(0.05):
            steps.remove(self.random.choice(("reveal", "keep", "flop")))
        for step in steps:
            if step == "reveal":
                self.tape.reveal(*(("DEALER", "FLOP") if self.odd(0.1) else ("DEALER",)))
            elif step == "keep":
                self.decide(None, "KEEP")
                while self.odd(0.15):
                    self.decide(None, self.random.choice(("KEEP", "KEEP", "SPLIT")))
            else:
                for _ in range(self.random.choice((4, 6)) if self.odd(0.02) else 5):
                    self.card("FLOP", None)
            self.stray()
            if self.odd(0.04):
                self.choose(self.random.choice(self.spots))

    def pay(self, spot: int, wager: str, more: dict[str, Any]) -> None:
        outcome = self.random.choice(("WIN", "WIN", "LOSE", "LOSE", "LOSE", "PUSH", "VOID"))
        paid = 0
        if outcome == "WIN" and wager == "ENVY_BONUS":
            paid = self.random.choice(ENVIES)
        elif outcome == "WIN":
            stake = sum(
                e["amount_cents"]
                for e in self.tape.events
                if e.get("round_id") == self.tape.round_id
                and e["type"] == "WagerPlaced"
                and (e["spot"], e["wager"], e["hand"]) == (spot, wager, more.get("hand", 1))
            )
            odds = 1 if wager == "PRIMARY" else self.random.choice(ODDS)
            paid = max(stake, 0) * odds or self.random.choice(AMOUNTS)
        self.tape.settle(spot, wager, outcome, paid, **more)

    def settle(self) -> None:
        order = list(reversed(self.spots))
        if self.odd(0.08):
            self.random.shuffle(order)
        for spot in order:
            for hand in (1, 2):
                wagers = ["PRIMARY", "SHOOTOUT_BONUS"]
                if self.odd(0.05):
                    wagers.reverse()
                for wager in wagers:
                    if self.random.random() < (0.85 if hand == 1 else 0.35):
                        self.pay(spot, wager, {"hand": hand})
                while self.random.random() < 0.15:
                    self.pay(spot, "ENVY_BONUS", {"hand": hand})
        while self.odd(0.15):
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
                paid_cents=random.choice((*AMOUNTS, *ENVIES)),
                authorised_by="S-1",
                note=None,
            )
        dealt = [e for e in self.dealt if self.few > 1 or e["spot"] not in self.split]
        while dealt and self.odd(0.1) and self.blur():
            tape.send(
                "CardCorrected",
                corrects=random.choice(dealt)["event_id"],
                card=random.choice((*CARD_NAMES, "xx")),
                authorised_by="S-1",
                note=None,
            )

    def end(self) -> None:
        tape, random = self.tape, self.random
        if self.odd(0.06):
            reason = random.choice(("MISDEAL", "OTHER"))
            tape.send("RoundVoided", reason=reason, note=None, authorised_by=None)
        elif not self.odd(0.05):
            tape.send("RoundClosed")
        if self.odd(0.08):
            self.correct()
        if self.odd(0.04):
            self.pay(1, "PRIMARY", {})
        tape.round_id = None
