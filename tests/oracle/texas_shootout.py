"""Texas Shootout, 20:18:16:15.08, clause by clause: against the dealer, bonus and envy."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final

from tests.oracle import cards as c
from tests.oracle.bets import (
    Bets,
    Terms,
    bet_finding,
    chip_findings,
    limit_findings,
    not_offered,
    spots_in_play,
    standing,
    take_bets,
)
from tests.oracle.bounds import Due, between, reached
from tests.oracle.cards import Card, Rank
from tests.oracle.findings import BetKey, Finding, about_event
from tests.oracle.house_way import KNOWN
from tests.oracle.rounds import NEVER, Round
from tests.oracle.shootout_hands import (
    Played,
    choice_of,
    dealer_plays,
    exposure_seq,
    kept_findings,
    misset_findings,
    number,
    spot_plays,
)
from tests.oracle.verdict import (
    Verdict,
    bad_cards,
    before_cards,
    deal_order,
    has_come,
    missing_wager,
    right_count,
    spot_finding,
)

PRIMARY: Final = "PRIMARY"
BONUS: Final = "SHOOTOUT_BONUS"
ENVY: Final = "ENVY_BONUS"
LOSES: Final = -1
ENVY_WAGER_CENTS_MIN: Final = 5_00  # (6)(17), each bonus wager by itself (TS-ENVY-MIN)

BONUS_TABLES: Final = ("A", "B")
# (16), to one, tables A and B.
BONUS_SCHEDULE: Final = {
    "5 of a Kind, Suited": (5000, 1000),
    "Royal Flush": (500, 200),
    "Straight Flush": (100, 75),
    "5 of a Kind": (50, 40),
    "4 of a Kind": (5, 7),
    "Full House": (3, 3),
    "Flush": (2, 2),
    "Straight": (1, 1),
    "Less": (LOSES, LOSES),
}
# (17), in cents, whatever the wager above the least one.
ENVY_CENTS: Final = {
    "5 of a Kind, Suited": 1_000_00,
    "Royal Flush": 250_00,
    "Straight Flush": 50_00,
    "5 of a Kind": 10_00,
}
_LINES: Final = {
    c.FIVE_SUITED: "5 of a Kind, Suited",
    c.FIVE: "5 of a Kind",
    c.FOUR: "4 of a Kind",
    c.FULL_HOUSE: "Full House",
    c.FLUSH: "Flush",
    c.STRAIGHT: "Straight",
}


@lru_cache(maxsize=100_000)
def _best(seven: tuple[Card, ...]) -> Rank:
    return c.best_rank(seven, five_of_a_kind=True)


def best_of(two: Sequence[Card], flop: Sequence[Card]) -> Rank:
    """(13)(14): rank the best five of two cards and the flop."""
    return _best((*sorted(two), *sorted(flop)))


def line_of(rank: Rank) -> str:
    """Name the line of (16); the royal flush has its own (TS-ROYAL)."""
    if rank[0] == c.STRAIGHT_FLUSH:
        return "Royal Flush" if c.is_royal(rank) else "Straight Flush"
    return _LINES.get(rank[0], "Less")


def knows_house_way(opening: dict[str, Any]) -> bool:
    """(11): tell whether the table posted a house way that is known."""
    return opening["house_way"] in KNOWN


def judge(round_: Round) -> Verdict:
    """Judge one round of Texas Shootout."""
    findings = _decisions(round_)
    split = {spot for spot in _spots_named(round_) if _is_split(round_, spot)}
    terms = Terms(lambda key: _moment(round_, key), {}, number("(8)"))
    bets, chips = take_bets(round_, terms)
    findings += chips

    def offered(key: BetKey) -> bool:
        return _offered(round_, bets, split, key)

    findings += not_offered(round_, bets, offered, number("(4)(5)(9)"))
    findings += chip_findings(round_, bets, number("(7)(9)"))
    findings += limit_findings(round_, bets, (PRIMARY,), number("(4)"))
    findings += _missing(round_, bets, split)
    findings += _split_amounts(round_, bets)
    findings += bad_cards(round_) + kept_findings(round_) + misset_findings(round_)
    if round_.ended_by != "VOIDED":
        findings += _settlement_order(round_, bets)
    verdict = Verdict(bets, findings)
    verdict.count_right = right_count(round_, bets, {"DEALER": 4, "FLOP": 5})
    if verdict.count_right:
        verdict.findings += deal_order(round_, _orders(round_), "(7)(12)")
        if not round_.duplicates and round_.dealt:
            _settle(round_, verdict)
    return verdict


def _spots_named(round_: Round) -> list[int]:
    return sorted({event["spot"] for event in round_.of_type("DecisionMade")} - {None})


def _is_split(round_: Round, spot: int) -> bool:
    choice = choice_of(round_, spot)
    return choice is not None and choice["decision"] == "SPLIT"


def _moment(round_: Round, key: BetKey) -> int | None:
    """Give the seq before which chips must lie: the deal, or for hand 2 the exposure."""
    if key[2] not in (PRIMARY, BONUS):
        return None
    return round_.first_card_seq() if key[1] == 1 else exposure_seq(round_)


def _offered(round_: Round, bets: Bets, split: set[int], key: BetKey) -> bool:
    """(4)(5)(9): no tips (ALL-TIP); hand 2 only of a split, its bonus only beside hand 1's."""
    if key[2] not in (PRIMARY, BONUS) or key[3] != "PLAYER":
        return False
    if key[2] == BONUS and "shootout_bonus" not in round_.opening["paytables"]:
        return False
    if key[1] == 1:
        return True
    return key[0] in split and (key[2] == PRIMARY or standing(bets, key[0], BONUS) > 0)


def _decisions(round_: Round) -> list[Finding]:
    """(8)-(12): report choices out of turn.

    ambiguous: PLAY and FOLD are no decisions of this game, a SPLIT by the dealer none either.
    """
    findings = []
    exposure = exposure_seq(round_)
    flop = min((card.seq for card in round_.dealt if card.place == "FLOP"), default=NEVER)
    first_keep = round_.decisions(None, "KEEP")[:1]
    for event in round_.of_type("DecisionMade"):
        if event["spot"] is None:
            if event["decision"] != "KEEP":
                continue
            late = event in first_keep and event["seq"] > flop
        else:
            if event["decision"] not in ("KEEP", "SPLIT"):
                continue
            late = event["seq"] > exposure
        if late or before_cards(round_, event):
            findings.append(about_event("DECISION_OUT_OF_TURN", event, number("(8)-(12)")))
    return findings


def _missing(round_: Round, bets: Bets, split: set[int]) -> list[Finding]:
    """(4)(8)(9): a primary for every spot in play and for a split's second hand; a choice."""
    findings = []
    exposure = exposure_seq(round_)
    dealt = round_.spots_dealt()
    for spot in spots_in_play(round_, bets):
        shown = [
            bet.placed[0] for key, bet in sorted(bets.items()) if key[0] == spot and bet.placed
        ]
        needed = [(1, has_come(round_, round_.first_card_seq()))]
        if spot in split:
            needed.append((2, has_come(round_, exposure)))
        for hand, due_by_now in needed:
            key = (spot, hand, PRIMARY, "PLAYER")
            bet = bets.get(key)
            if due_by_now and not (bet and bet.was_placed):
                findings.append(missing_wager(round_, key, "(4)" if hand == 1 else "(9)", shown))
        if spot in dealt and choice_of(round_, spot) is None and exposure < round_.end_seq:
            by = [event for event in round_.events if event["seq"] == exposure]
            findings.append(spot_finding(round_, "DECISION_MISSING", spot, "(8)", by))
    return findings


def _split_amounts(round_: Round, bets: Bets) -> list[Finding]:
    """(9): the second primary matches the first, the second bonus is at most the first."""
    findings = []
    for key, bet in bets.items():
        first = standing(bets, key[0], key[2])
        if key[1] != 2 or not bet.standing or not first:
            continue
        if key[2] == PRIMARY and bet.standing != first:
            findings.append(
                bet_finding(round_, "WAGERS_UNEQUAL", key, number("(9)"), bet.placed, "TS-SPLIT")
            )
        if key[2] == BONUS and bet.standing > first:
            findings.append(
                bet_finding(
                    round_, "WAGER_OUT_OF_RANGE", key, number("(9)"), bet.placed, "TS-SPLIT"
                )
            )
    return findings


def _orders(round_: Round) -> list[list[str]]:
    """(7)(12): clockwise, the dealer last, one card at a time or four together; then the flop."""
    names = [*(f"PLAYER {spot}" for spot in round_.spots_dealt()), "DEALER"]
    flop = ["FLOP"] * 5
    return [names * 4 + flop, [name for name in names for _ in range(4)] + flop]


def _settle(round_: Round, verdict: Verdict) -> None:
    """(15)-(17): give what is due on every standing wager and every envy bonus."""
    flop = [card.card for card in round_.at_spot(None, "FLOP")]
    played = {spot: spot_plays(round_, spot) for spot in round_.spots_dealt()}
    dealer = dealer_plays(round_)
    for key, bet in verdict.bets.items():
        if not bet.standing:
            continue
        own = played[key[0]]
        if key[2] == PRIMARY:
            verdict.dues[key] = _primary(round_, key, bet.standing, own, dealer, flop)
            continue
        _bonus(round_, verdict, key, own, flop)
        if bet.standing >= ENVY_WAGER_CENTS_MIN:
            envy_key = (key[0], key[1], ENVY, "PLAYER")
            verdict.dues[envy_key] = _envy(round_, key, played, flop)
            verdict.sources[envy_key] = bet.placed


def _primary(
    round_: Round,
    key: BetKey,
    stake: int,
    own: Played,
    dealer: Played,
    flop: list[Card | None],
) -> Due:
    """(15): higher than the dealer wins even money, equal or lower loses."""
    own = own.hand(key[1])
    sizes = len(own.groups)
    unseen = round_.unseen + own.seen_again + dealer.seen_again

    def classify(groups: list[list[Card]]) -> list[int]:
        board = groups[-1]
        mine = {way[0] for way in own.arrange(groups[:sizes])}
        theirs = {way[0] for way in dealer.arrange(groups[sizes:-1])}
        return [
            1 if best_of(two, board) > best_of(against, board) else LOSES
            for two, against in product(mine, theirs)
        ]

    won = reached([*own.groups, *dealer.groups, flop], unseen, classify, (1, LOSES))
    cents = None if won is None else {to_one * stake for to_one in won}
    return between(cents, number("(15)"), "TS-TIES TS-ROYAL")


def _bonus(
    round_: Round, verdict: Verdict, key: BetKey, own: Played, flop: list[Card | None]
) -> None:
    """(16): the bonus by its own line, whatever the primary does."""
    stake = verdict.bets[key].standing
    own = own.hand(key[1])

    def classify(groups: list[list[Card]]) -> list[str]:
        return [line_of(best_of(way[0], groups[-1])) for way in own.arrange(groups[:-1])]

    unseen = round_.unseen + own.seen_again
    lines = reached([*own.groups, flop], unseen, classify, BONUS_SCHEDULE)
    tables: dict[str, Due] = {}
    for column, table in enumerate(BONUS_TABLES):
        cents = None if lines is None else {BONUS_SCHEDULE[line][column] * stake for line in lines}
        tables[table] = between(cents, number("(16)"), "TS-ROYAL TS-SPLIT")
    unknown = Due(None, None, number("(16)"), unknown_paytable=True)
    verdict.dues[key] = tables.get(round_.opening["paytables"]["shootout_bonus"], unknown)
    verdict.alternatives[key] = tables


def _envy(round_: Round, key: BetKey, played: dict[int, Played], flop: list[Card | None]) -> Due:
    """(17): for every other hand but the dealer's, the amount of its line (TS-ENVY).

    ambiguous: a spot whose hands come to one amount whatever is not read is not decided by what is
    not read; only the others are taken together.
    """
    readings = "TS-ENVY TS-ENVY-OWN TS-ENVY-MIN"
    least, most = 0, 0
    together: dict[int, Played] = {}
    for spot, plays in played.items():
        if spot == key[0]:
            if not plays.split:
                continue
            plays = plays.hand(3 - key[1])
        alone = _envy_sums(round_, [plays], flop)
        unread = any(card is None for group in (*plays.groups, flop) for card in group)
        if alone and (len(alone) == 1 or not unread):
            least, most = least + min(alone), most + max(alone)
        else:
            together[spot] = plays
    sums = _envy_sums(round_, list(together.values()), flop) if together else {0}
    cents = sums and {least + min(sums), most + max(sums)}
    return between(cents, number("(17)"), readings)


def _envy_sums(round_: Round, others: list[Played], flop: list[Card | None]) -> set[int] | None:
    def classify(groups: list[list[Card]]) -> set[int]:
        sums = {0}
        start = 0
        for plays in others:
            mine = groups[start : start + len(plays.groups)]
            start += len(plays.groups)
            adds = {
                sum(ENVY_CENTS.get(line_of(best_of(two, groups[-1])), 0) for two in way)
                for way in plays.arrange(mine)
            }
            sums = {before + add for before in sums for add in adds}
        return sums

    unseen = sum((plays.seen_again for plays in others), Counter(round_.unseen))
    groups = [group for plays in others for group in plays.groups]
    return reached([*groups, flop], unseen, classify)


def _settlement_order(round_: Round, bets: Bets) -> list[Finding]:
    """(15)(16): from the highest spot down, hand 1 then hand 2, primary then bonus.

    An envy bonus comes at any time after its own hand's primary and bonus. ambiguous: only
    settlements of standing wagers are in the order; a voided round has none.
    """
    first: dict[BetKey, int] = {}
    for settlement in round_.settlements():
        bet = bets.get(settlement.key)
        if bet and bet.standing:
            first.setdefault(settlement.key, settlement.seq)
    wrong: list[int] = []
    last: tuple[int, int, int] = (-NEVER, 0, 0)
    for key, seq in sorted(first.items(), key=lambda item: item[1]):
        place = (-key[0], key[1], 0 if key[2] == PRIMARY else 1)
        if place < last:
            wrong.append(seq)
        last = max(last, place)
    for settlement in round_.settlements():
        key = settlement.key
        if key[2] == ENVY:
            before = [first.get((key[0], key[1], own, "PLAYER"), 0) for own in (PRIMARY, BONUS)]
            if settlement.seq < max(before):
                wrong.append(settlement.seq)
    shown = [event for event in round_.events if event["seq"] in wrong]
    return [spot_finding(round_, "SETTLEMENT_ORDER", None, "(15)(16)", shown)] if shown else []
