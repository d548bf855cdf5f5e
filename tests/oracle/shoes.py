"""Copies over a deck or shoe, cards not seen, repeated orders, and what a shoe has wrong."""

from collections import Counter

from tests.oracle.cards import ALL_FACES, Card, card_name, parse_card
from tests.oracle.editions import DECKS, TEXAS_SHOOTOUT, clause, edition_problem
from tests.oracle.findings import Finding, about_event
from tests.oracle.rounds import Round
from tests.oracle.stream import Table

DECK_CLAUSE = {
    "RUN_EM_TWICE": "Run'em Twice, opening words",
    "DAKOTA_DUEL_DRAW": clause("DAKOTA_DUEL_DRAW", "(1)"),
    "TEXAS_SHOOTOUT": clause(TEXAS_SHOOTOUT, "(1)"),
}


def decks_of(round_: Round) -> int:
    """Count the decks as loaded; where no loading is known, as the rule says."""
    return round_.shoe.decks or DECKS[round_.game]


def count_copies(table: Table) -> None:
    """Fill in, for every round, its cards of which there are too many, and those not seen."""
    rounds = list(table.rounds.values())
    by_shoe: dict[int, list[Round]] = {}
    for round_ in rounds:
        by_shoe.setdefault(id(round_.shoe), []).append(round_)
    for sharing in by_shoe.values():
        if sharing[0].game == TEXAS_SHOOTOUT:
            _count_over_shoe(sharing)
        else:
            for round_ in sharing:  # every round is a deck of its own, with what was burned
                _count_alone(round_)


def _burned(round_: Round) -> list[tuple[int, Card]]:
    return [
        (event["seq"], card)
        for event in round_.shoe.burned
        if event["card"] is not None and (card := parse_card(event["card"])) is not None
    ]


def _count_alone(round_: Round) -> None:
    seen = Counter(dealt.card for dealt in round_.dealt if dealt.card is not None)
    own = set(seen)
    seen.update(card for seq, card in _burned(round_) if seq <= round_.end_seq)
    decks = decks_of(round_)
    round_.duplicates = sorted(card for card in own if seen[card] > decks)
    round_.unseen = _left(seen, decks)


def _count_over_shoe(sharing: list[Round]) -> None:
    """Walk the shoe by seq: whoever deals a copy above the number of decks is to blame."""
    decks = decks_of(sharing[0])
    drawn: list[tuple[int, Card, Round | None]] = [
        (dealt.seq, dealt.card, round_)
        for round_ in sharing
        for dealt in round_.dealt
        if dealt.card is not None
    ]
    drawn += [(seq, card, None) for seq, card in _burned(sharing[0])]
    drawn.sort(key=lambda item: item[0])
    seen: Counter[Card] = Counter()
    waiting = sorted(sharing, key=lambda round_: round_.end_seq)
    for seq, card, round_ in drawn:
        while waiting and waiting[0].end_seq < seq:
            waiting[0].unseen = _left(seen, decks)
            waiting.pop(0)
        seen[card] += 1
        if seen[card] > decks and round_ is not None and card not in round_.duplicates:
            round_.duplicates.append(card)
    for round_ in waiting:
        round_.unseen = _left(seen, decks)
    for round_ in sharing:
        round_.duplicates.sort()


def _left(seen: Counter[Card], decks: int) -> Counter[Card]:
    """Count the copies not seen of each face."""
    return Counter({card: decks - seen[card] for card in ALL_FACES if seen[card] < decks})


def duplicate_findings(round_: Round) -> list[Finding]:
    """Report each card of which the round dealt a copy too many."""
    findings = []
    for card in round_.duplicates:
        copies = [dealt for dealt in round_.dealt if dealt.card == card]
        findings.append(
            Finding(
                "DUPLICATE_CARD",
                round_.table_id,
                copies[0].seq,
                round_id=round_.round_id,
                clause=DECK_CLAUSE[round_.game],
                event_ids=tuple(dealt.event_id for dealt in copies),
                message=f"too many copies of {card_name(card)}",
            )
        )
    return findings


def past_cut_findings(round_: Round) -> list[Finding]:
    """Report a Shootout round opened after the cut card of its shoe came out (19)."""
    cut = round_.shoe.cut_seq
    if round_.game != TEXAS_SHOOTOUT or cut is None or cut > round_.seq:
        return []
    return [
        Finding(
            "SHOE_PAST_CUT",
            round_.table_id,
            round_.seq,
            round_id=round_.round_id,
            clause=clause(TEXAS_SHOOTOUT, "(19)"),
            event_ids=(round_.events[0]["event_id"],),
        )
    ]


def loading_findings(table: Table) -> list[Finding]:
    """Report loadings of another number of decks than the rule says, and bad burned cards.

    ambiguous: without a text in force or held there is no number of decks to be wrong.
    """
    findings = []
    for event, opening in table.loadings:
        game = opening["game"]
        if not edition_problem(opening) and event["decks"] != DECKS[game]:
            findings.append(about_event("DECKS_WRONG", event, DECK_CLAUSE[game]))
    for event in table.burns:
        if event["card"] is not None and parse_card(event["card"]) is None:
            findings.append(about_event("BAD_CARD", event))
    return findings


class DeckOrders:
    """The orders of cards that a table's single-deck rounds have shown so far."""

    def __init__(self) -> None:
        """Start with none."""
        self._seen: set[tuple[Card, ...]] = set()

    def judge(self, round_: Round) -> list[Finding]:
        """Take a round of the right number of cards; report it when its order was there before."""
        order = tuple(dealt.card for dealt in round_.dealt if dealt.card is not None)
        if not order or len(order) != len(round_.dealt) or round_.game == TEXAS_SHOOTOUT:
            return []
        if order not in self._seen:
            self._seen.add(order)
            return []
        return [
            Finding(
                "DECK_ORDER_REPEATED",
                round_.table_id,
                round_.dealt[0].seq,
                round_id=round_.round_id,
                clause=DECK_CLAUSE[round_.game],
                event_ids=tuple(dealt.event_id for dealt in round_.dealt),
            )
        ]
