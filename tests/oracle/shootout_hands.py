"""Texas Shootout (8)-(13): which two cards each spot and the dealer play.

A spot's hands are known once its choice is; a choice that names no cards, or none that can be
read, leaves every pair of its four cards possible. A choice that names cards not dealt there
leaves the hand undetermined: any two cards.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from tests.oracle.bounds import reached
from tests.oracle.cards import Card, parse_card
from tests.oracle.editions import TEXAS_SHOOTOUT as GAME
from tests.oracle.editions import clause
from tests.oracle.findings import Event, Finding
from tests.oracle.house_way import KNOWN, Pair, right_pairs
from tests.oracle.rounds import NEVER, Round, cards_named
from tests.oracle.verdict import spot_finding

Arrangement = tuple[Pair, ...]  # hand 1, and hand 2 of a split


@dataclass
class Played:
    """The cards that a spot or the dealer plays from, and what they may be arranged to.

    `groups` hold the cards, None for one not read; `arrange` takes them all known.
    """

    groups: list[list[Card | None]]
    arrange: Callable[[list[list[Card]]], list[Arrangement]]
    split: bool = False
    seen_again: Counter[Card] = field(default_factory=Counter)  # seen, and may be among these

    def hand(self, number_: int) -> "Played":
        """Give the same for one hand."""
        arrange = self.arrange
        if self.split and self.seen_again:
            return undetermined([card for card in self.seen_again.elements()], split=False)
        return Played(
            self.groups,
            lambda groups: [(way[number_ - 1],) for way in arrange(groups)],
            seen_again=self.seen_again,
        )


def undetermined(held: Sequence[Card | None], split: bool) -> Played:
    """Give what is played where a choice names a card that was not dealt there.

    ambiguous: the choice or the cards dealt are wrong, nobody knows which, so the hand may be any
    two cards: of those not seen in the shoe and of those dealt there.
    """
    hands = 2 if split else 1
    return Played(
        [[None, None] for _ in range(hands)],
        lambda groups: [tuple((two[0], two[1]) for two in groups)],
        split,
        Counter(card for card in held if card is not None),
    )


def exposure_seq(round_: Round) -> int:
    """Give the seq at which the dealer's hand is exposed (8)-(11)."""
    keeps = [event["seq"] for event in round_.decisions(None, "KEEP")]
    flop = [card.seq for card in round_.dealt if card.place == "FLOP"]
    return min([round_.reveal_seq("DEALER"), *keeps[:1], *flop[:1]], default=NEVER)


def choice_of(round_: Round, spot: int) -> Event | None:
    """Give the choice that counts: the last before the exposure, else a later one.

    ambiguous: of several later ones the first, for then there was none before it.
    """
    made = round_.decisions(spot, "KEEP", "SPLIT")
    exposure = exposure_seq(round_)
    before = [event for event in made if event["seq"] < exposure]
    return before[-1] if before else made[0] if made else None


def counts(round_: Round, event: Event) -> bool:
    """Tell whether a decision is the one that counts."""
    if event["spot"] is None:
        return event in round_.decisions(None, "KEEP")[-1:]
    return event == choice_of(round_, event["spot"])


def named_rightly(event: Event, held: Sequence[Card | None]) -> bool:
    """Tell whether a choice names the right number of cards, all dealt there.

    Naming none at all is no fault. ambiguous: a name that is no card is one not read: it is a bad
    card, and no card that was not dealt.
    """
    wanted = 4 if event["decision"] == "SPLIT" else 2
    if not event["cards"]:
        return True
    missing = Counter(cards_named(event)) - Counter(card for card in held if card is not None)
    return len(event["cards"]) == wanted and not missing


def spot_plays(round_: Round, spot: int) -> Played:
    """Give what a spot plays."""
    held = [card.card for card in round_.at_spot(spot)]
    choice = choice_of(round_, spot)
    if choice is None:
        return Played([held], lambda groups: _arrangements(groups[0], [[]]))
    split = choice["decision"] == "SPLIT"
    if not named_rightly(choice, held):
        return undetermined(held, split)
    texts = list(choice["cards"])
    parts = [texts[:2], texts[2:]] if split else [texts]
    names = [[card for text in part if (card := parse_card(text)) is not None] for part in parts]
    if all(len(part) == 2 for part in names):
        known = tuple((part[0], part[1]) for part in names)
        return Played([[card for part in names for card in part]], lambda _: [known], split)
    return Played([held], lambda groups: _arrangements(groups[0], names), split)


def _arrangements(four: Sequence[Card], names: Sequence[Sequence[Card]]) -> list[Arrangement]:
    """Give every arrangement in which each hand holds the cards named for it."""
    result: list[Arrangement] = []
    for first in combinations(range(len(four)), 2):
        hand_1 = (four[first[0]], four[first[1]])
        rest = [card for index, card in enumerate(four) if index not in first]
        if Counter(names[0]) - Counter(hand_1):
            continue
        if len(names) == 1:
            result.append((hand_1,))
        elif not Counter(names[1]) - Counter(rest):
            result.append((hand_1, (rest[0], rest[1])))
    return result


def posted_way(round_: Round) -> bool:
    """Tell whether a house way is posted that is known."""
    return round_.opening["house_way"] in KNOWN


def dealer_plays(round_: Round) -> Played:
    """(11): give what the dealer plays; where a house way is posted, the hand is reset to it.

    ambiguous: with a house way posted an unread card of the dealer's may call for another keep,
    so it may decide even where the two cards kept are known; without a KEEP, or with one that
    cannot be read, the house way's own pair is played.
    """
    held = [card.card for card in round_.at_spot(None, "DEALER")]
    keeps = round_.decisions(None, "KEEP")
    kept = _kept_pair(keeps[-1], held) if keeps else None
    if keeps and not named_rightly(keeps[-1], held):
        return undetermined(held, split=False)  # findings.md: "spot or dealer", house way or not
    if posted_way(round_):
        return Played([[card] for card in held], lambda groups: [(_by_house_way(groups, kept),)])
    if kept:
        return Played([list(kept)], lambda _: [(kept,)])
    names = cards_named(keeps[-1]) if keeps else []
    return Played([held], lambda groups: _arrangements(groups[0], [names]))


def _kept_pair(event: Event, held: Sequence[Card | None]) -> Pair | None:
    """Give the two cards that a KEEP names, where both were dealt."""
    named = cards_named(event)
    if len(named) != 2 or not named_rightly(event, held):
        return None
    return (named[0], named[1])


def _by_house_way(groups: list[list[Card]], kept: Pair | None) -> Pair:
    """Keep what was kept where it is right, else what the house way keeps."""
    right = right_pairs([card for group in groups for card in group])
    if kept and any(sorted(pair) == sorted(kept) for pair in right):
        return kept
    return right[0]


def misset_findings(round_: Round) -> list[Finding]:
    """(11): report a dealer's hand that is not set by the house way, whatever is not read.

    ambiguous: kept cards that were not dealt are reported as that, not as misset besides.
    """
    held = [card.card for card in round_.at_spot(None, "DEALER")]
    keeps = round_.decisions(None, "KEEP")
    kept = _kept_pair(keeps[-1], held) if keeps else None
    if kept is None or not posted_way(round_) or len(held) != 4:
        return []
    wanted = sorted(kept)

    def right(groups: list[list[Card]]) -> list[bool]:
        pairs = right_pairs([card for group in groups for card in group])
        return [any(sorted(pair) == wanted for pair in pairs)]

    if reached([[card] for card in held], round_.unseen, right, (True, False)) != {False}:
        return []
    found = spot_finding(round_, "HOUSE_WAY_MISSET", None, "(11)", keeps[-1:])
    found.readings = ("TS-HOUSE-WAY",)
    return [found]


def kept_findings(round_: Round) -> list[Finding]:
    """(8)(9)(11): report choices that name cards not dealt there, and splits of other hands."""
    findings = []
    for spot in sorted({e["spot"] for e in round_.of_type("DecisionMade")} - {None}):
        choice = choice_of(round_, spot)
        held = [card.card for card in round_.at_spot(spot)]
        if choice is None:
            continue
        if not named_rightly(choice, held):
            findings.append(spot_finding(round_, "KEPT_CARD_NOT_DEALT", spot, "(8)", [choice]))
        if choice["decision"] == "SPLIT" and len(held) == 4 and not may_be_split(held):
            findings.append(spot_finding(round_, "ILLEGAL_SPLIT", spot, "(9)", [choice]))
    keeps = round_.decisions(None, "KEEP")[-1:]
    held = [card.card for card in round_.at_spot(None, "DEALER")]
    if keeps and not named_rightly(keeps[0], held):
        findings.append(spot_finding(round_, "KEPT_CARD_NOT_DEALT", None, "(11)", keeps))
    return findings


def may_be_split(four: Sequence[Card | None]) -> bool:
    """(9): tell whether the four cards are, or with those not read may be, two pair or alike."""
    counts = sorted(Counter(card // 4 for card in four if card is not None).values())
    return len(counts) <= 1 or (len(counts) == 2 and counts[-1] <= 2)


def number(text: str) -> str:
    """Cite a clause of Texas Shootout."""
    return clause(GAME, text)
