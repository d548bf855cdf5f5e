"""Dakota Duel Draw, 20:18:16:15.23, clause by clause: three wagers by hand value, and a bonus."""

from collections.abc import Sequence
from typing import Final

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
from tests.oracle.bounds import Due, between, exactly, reached
from tests.oracle.cards import Card
from tests.oracle.editions import DAKOTA_DUEL_DRAW as GAME
from tests.oracle.editions import clause
from tests.oracle.findings import BetKey, Event, Finding, about_event, stated
from tests.oracle.money import BONUSES
from tests.oracle.rounds import NEVER, Round
from tests.oracle.verdict import (
    Verdict,
    after_fold,
    bad_cards,
    before_cards,
    deal_order,
    has_come,
    missing_wager,
    right_count,
    spot_finding,
)

ANTE: Final = "HAND_2_ANTE"
PLAY: Final = "HAND_1_PLAY"
BIG_8: Final = "BIG_8"
PAIR_BONUS: Final = "POCKET_PAIR"
WAGERS: Final = (BIG_8, ANTE, PLAY)
PAID_IN_ORDER: Final = (PAIR_BONUS, PLAY, ANTE, BIG_8)  # (6)

LOSES: Final = -1
PUSHES: Final = 0
NOT_APPLICABLE: Final = None

# (10): hand 1 play and hand 2 ante, to one; nines and two pair both pay 2 (DD-NINES).
HAND_SCHEDULE: Final = {
    "Royal Flush": 100,
    "Straight Flush": 50,
    "4 of a Kind": 30,
    "Full House": 8,
    "Flush": 6,
    "Straight": 4,
    "3 of a Kind": 3,
    "2 pair": 2,
    "Pair, Nines or Higher": 2,
    "Less": LOSES,
}
POCKET_PAIR_TABLES: Final = ("1", "2", "3", "4", "5", "6")
# (11), by rank of the pair, in the order of the tables; the queens of table 1 are 4 (DD-QUEENS).
POCKET_PAIR: Final[dict[int, tuple[int | None, ...]]] = {
    14: (4, 4, 4, 20, 20, 8),
    13: (4, 4, 4, 10, 10, 8),
    12: (4, 4, 4, 8, 4, 8),
    11: (4, 4, 4, 3, 4, 8),
    10: (4, 4, 3, 3, 4, 8),
    9: (4, 4, 3, 3, 4, 8),
    8: (4, 4, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    7: (4, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    6: (4, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    5: (4, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    4: (3, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    3: (3, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
    2: (3, 3, 3, NOT_APPLICABLE, NOT_APPLICABLE, NOT_APPLICABLE),
}
BIG_8_TABLES: Final = ("1", "2", "3", "4", "5", "6", "7")
# (12), to one, in the order of the tables; table 7 pushes a straight (DD-PUSH).
BIG_8_SCHEDULE: Final = {
    "Royal Flush": (50, 50, 50, 50, 80, 150, 150),
    "Straight Flush": (30, 30, 30, 35, 40, 70, 80),
    "4 of a Kind": (15, 20, 20, 30, 30, 30, 35),
    "Full House": (5, 5, 6, 4, 4, 5, 5),
    "Flush": (3, 4, 3, 3, 3, 3, 4),
    "Straight": (2, 1, 1, 2, 2, 1, PUSHES),
    "3 of a Kind": (LOSES,) * 7,
    "2 pair": (LOSES,) * 7,
    "Pair, Nines or Higher": (LOSES,) * 7,
    "Less": (LOSES,) * 7,
}
_LINES: Final = {
    c.FOUR: "4 of a Kind",
    c.FULL_HOUSE: "Full House",
    c.FLUSH: "Flush",
    c.STRAIGHT: "Straight",
    c.THREE: "3 of a Kind",
    c.TWO_PAIR: "2 pair",
}


def line_of(cards: Sequence[Card]) -> str:
    """Name the line of (10) that the best five of the cards fall into."""
    rank = c.best_rank(cards)
    if rank[0] == c.STRAIGHT_FLUSH:
        return "Royal Flush" if c.is_royal(rank) else "Straight Flush"
    if rank[0] == c.PAIR and rank[1] >= 9:
        return "Pair, Nines or Higher"
    return _LINES.get(rank[0], "Less")


def judge(round_: Round) -> Verdict:
    """Judge one round of Dakota Duel Draw."""
    folded_at, decided, findings = _decisions(round_)
    terms = Terms(lambda key: _moment(round_, key), folded_at, clause(GAME, "(7)"))
    bets, chips = take_bets(round_, terms)
    findings += chips
    findings += not_offered(round_, bets, lambda key: _offered(round_, key), clause(GAME, "(2)"))
    findings += _play_without_ante(round_, bets)
    findings += chip_findings(round_, bets, clause(GAME, "(2)(7)"))
    findings += limit_findings(round_, bets, (BIG_8, ANTE), clause(GAME, "(2)"))
    findings += _unequal_and_tips(round_, bets)
    findings += _undecided(round_, bets, decided)
    findings += bad_cards(round_)
    if round_.ended_by != "VOIDED":
        findings += _settlement_order(round_, bets, folded_at)
    verdict = Verdict(bets, findings)
    verdict.count_right = right_count(round_, bets, {"HAND_1": 3, "HAND_2": 3})
    if verdict.count_right:
        order = _rotation(spots_in_play(round_, bets))
        verdict.findings += deal_order(round_, [order], "(4)")
        if not round_.duplicates:
            _settle(round_, verdict, folded_at)
    if not round_.duplicates and round_.ended_by == "VOIDED":
        verdict.findings += _wrongly_voided(round_, verdict)
    return verdict


def _reveal(round_: Round) -> int:
    return round_.reveal_seq("HAND_1", "HAND_2")


def _moment(round_: Round, key: BetKey) -> int | None:
    """Give the seq before which chips of this wager must lie."""
    if key[2] == PLAY:
        return _reveal(round_)
    return round_.first_card_seq() if key[2] in WAGERS else None


def _offered(round_: Round, key: BetKey) -> bool:
    """(2)(3): three wagers, for the player or as a tip; big 8 only with its schedule posted."""
    if key[1] != 1 or key[2] not in WAGERS:
        return False
    return key[2] != BIG_8 or "big_8" in round_.opening["paytables"]


def _lies(round_: Round, spot: int, wager: str, seq: int) -> bool:
    """Tell whether the player's chips stand on a bet just before an event."""
    moment = _moment(round_, (spot, 1, wager, "PLAYER")) or 0
    chips = 0
    for event in round_.of_type("WagerPlaced", "WagerRemoved"):
        same = (event["spot"], event["hand"], event["wager"], event["bettor"])
        if same != (spot, 1, wager, "PLAYER") or event["seq"] > min(seq, moment):
            continue
        put = event["type"] == "WagerPlaced"
        chips = max(0, chips + max(0, event["amount_cents"]) * (1 if put else -1))
    return chips > 0


def _decisions(round_: Round) -> tuple[dict[int, int], dict[int, list[Event]], list[Finding]]:
    """(7): find the folds that count, the decisions of each spot, and those out of turn.

    ambiguous: only the player's own chips lock hand 1; without the player's ante a decision
    counts for nothing (DD-BIG-8-ONLY), though its turn is judged; a PLAY may come before the ante,
    a FOLD before it counts for nothing.
    """
    folded_at: dict[int, int] = {}
    decided: dict[int, list[Event]] = {}
    findings: list[Finding] = []
    reveal = _reveal(round_)
    for event in round_.of_type("DecisionMade"):
        spot, seq = event["spot"], event["seq"]
        if spot is None or event["decision"] not in ("PLAY", "FOLD"):
            continue
        fold = event["decision"] == "FOLD"
        if spot in folded_at:
            continue  # ambiguous: an action after the fold and nothing else
        has_ante = _lies(round_, spot, ANTE, seq if fold else NEVER)
        locked = fold and has_ante and _lies(round_, spot, PLAY, seq)  # DD-LOCKED
        if has_ante and not locked:
            decided.setdefault(spot, []).append(event)
            if fold:
                folded_at.setdefault(spot, seq)
        if locked or seq > reveal or before_cards(round_, event):
            findings.append(about_event("DECISION_OUT_OF_TURN", event, clause(GAME, "(7)")))
    findings += after_fold(round_, folded_at, "(7)")
    return folded_at, decided, findings


def _play_without_ante(round_: Round, bets: Bets) -> list[Finding]:
    """(2)(7): a player's hand 1 play without a hand 2 ante goes back (DD-BIG-8-ONLY)."""
    findings = []
    for key, bet in sorted(bets.items()):
        if key[1:] != (1, PLAY, "PLAYER") or standing(bets, key[0], ANTE):
            continue
        ante_key = (key[0], 1, ANTE, "PLAYER")
        ante = bets.get(ante_key)
        lacks = has_come(round_, round_.first_card_seq()) and not (ante and ante.was_placed)
        if (bet.standing or bet.returning) and lacks:
            findings.append(missing_wager(round_, ante_key, "(2)", bet.placed, "DD-BIG-8-ONLY"))
        bet.send_back()
    return findings


def _unequal_and_tips(round_: Round, bets: Bets) -> list[Finding]:
    """(7): the play equals the ante; (3): a tip goes with a wager of the player."""
    findings = []
    for key, bet in bets.items():
        if not bet.standing:
            continue
        ante = standing(bets, key[0], ANTE)
        if key[2:] == (PLAY, "PLAYER") and ante and ante != bet.standing:
            number = clause(GAME, "(7)")
            findings.append(bet_finding(round_, "WAGERS_UNEQUAL", key, number, bet.placed))
        if key[3] == "DEALER" and not standing(bets, key[0], key[2]):
            number = clause(GAME, "(3)")
            findings.append(bet_finding(round_, "TIP_WITHOUT_WAGER", key, number, bet.placed))
    return findings


def _undecided(round_: Round, bets: Bets, decided: dict[int, list[Event]]) -> list[Finding]:
    """(7): a spot with an ante plays or folds, and who plays puts down the hand 1 play.

    ambiguous: a dealer's tip alone on hand 2 calls for no decision; a decision is asked for only
    when the reveal came, the bet of a PLAY in a closed round too.
    """
    findings = []
    reveal = _reveal(round_)
    if not has_come(round_, reveal):
        return []
    for spot in spots_in_play(round_, bets):
        if not standing(bets, spot, ANTE):
            continue
        made = decided.get(spot, [])
        bet = bets.get((spot, 1, PLAY, "PLAYER"))
        if not made and reveal < round_.end_seq:
            reveals = [event for event in round_.events if event["seq"] == reveal]
            findings.append(spot_finding(round_, "DECISION_MISSING", spot, "(7)", reveals))
        elif made and made[-1]["decision"] == "PLAY" and not (bet and bet.was_placed):
            key = (spot, 1, PLAY, "PLAYER")
            findings.append(missing_wager(round_, key, "(7)", made))
    return findings


def _rotation(spots: Sequence[int]) -> list[str]:
    """(4): hand 2, hand 1, every spot; the same again; hand 2, hand 1."""
    players = [f"PLAYER {spot}" for spot in spots]
    once = ["HAND_2", "HAND_1", *players]
    return [*once, *once, "HAND_2", "HAND_1"]


def _settle(round_: Round, verdict: Verdict, folded_at: dict[int, int]) -> None:
    """(9)-(12): give what is due on every standing wager and the pocket pair bonus."""
    hand_1 = [card.card for card in round_.at_spot(None, "HAND_1")]
    hand_2 = [card.card for card in round_.at_spot(None, "HAND_2")]
    for key, bet in verdict.bets.items():
        if not bet.standing:
            continue
        two = [card.card for card in round_.at_spot(key[0])]
        if key[2] == BIG_8:
            _big_8(round_, verdict, key, two + hand_1 + hand_2)
        elif key[2] == ANTE and key[0] in folded_at:  # DD-TIP-FOLD: the tip on it as well
            due = exactly(-bet.standing, clause(GAME, "(7)"), "DD-TIP-FOLD")
            verdict.dues[key] = due
        else:
            # ambiguous: a tip on hand 1 play of a folded spot is settled as it stands
            five = two + (hand_1 if key[2] == PLAY else hand_2)
            lines = reached([five], round_.unseen, _lines_of, HAND_SCHEDULE)
            odds = None if lines is None else {HAND_SCHEDULE[line] for line in lines}
            verdict.dues[key] = _times(odds, bet.standing, "(10)", "DD-NINES")
        if key[2:] == (PLAY, "PLAYER"):
            _pocket_pair(round_, verdict, key, two)


def _times(odds: set[int] | None, stake: int, number: str, readings: str) -> Due:
    """Multiply what is won to one (ALL-TO-ONE); a loss is minus one, a push nothing."""
    cents = None if odds is None else {to_one * stake for to_one in odds}
    return between(cents, clause(GAME, number), readings)


def _lines_of(groups: list[list[Card]]) -> list[str]:
    return [line_of(groups[0])]


def _big_8(round_: Round, verdict: Verdict, key: BetKey, eight: list[Card | None]) -> None:
    """(8)(12): the best five of the two and the six, folded or not (DD-BIG-8)."""
    stake = verdict.bets[key].standing
    lines = reached([eight], round_.unseen, _lines_of, BIG_8_SCHEDULE)
    tables: dict[str, Due] = {}
    for column, table in enumerate(BIG_8_TABLES):
        odds = None if lines is None else {BIG_8_SCHEDULE[line][column] for line in lines}
        tables[table] = _times(odds, stake, "(12)", "DD-BIG-8 DD-PUSH")
    unknown = Due(None, None, clause(GAME, "(12)"), unknown_paytable=True)
    verdict.dues[key] = tables.get(round_.opening["paytables"]["big_8"], unknown)
    verdict.alternatives[key] = tables


def _pair_of(groups: list[list[Card]]) -> list[int]:
    """Give the rank of a pair, 0 for none."""
    first, second = (c.rank_of(card) for card in groups[0])
    return [first if first == second else 0]


def _pocket_pair(round_: Round, verdict: Verdict, play_key: BetKey, two: list[Card | None]) -> None:
    """(9)(11): the bonus on the amount of hand 1, whatever else loses (DD-BONUS, DD-TIP-BONUS).

    ambiguous: where no pocket pair schedule is posted, nothing is due.
    """
    bet = verdict.bets[play_key]
    key = (play_key[0], 1, PAIR_BONUS, "PLAYER")
    pairs = reached([two], round_.unseen, _pair_of, {0, *POCKET_PAIR})
    tables: dict[str, Due] = {}
    for column, table in enumerate(POCKET_PAIR_TABLES):
        pays = None
        if pairs is not None:
            pays = {(POCKET_PAIR[pair][column] or 0) if pair else 0 for pair in pairs}
        tables[table] = _times(pays, bet.standing, "(11)", "DD-BONUS DD-QUEENS")
    posted = round_.opening["paytables"].get("pocket_pair")
    if posted is None:
        verdict.dues[key] = exactly(0, clause(GAME, "(11)"))
        return
    unknown = Due(None, None, clause(GAME, "(11)"), unknown_paytable=True)
    verdict.dues[key] = tables.get(posted, unknown)
    verdict.sources[key] = bet.placed
    verdict.alternatives[key] = tables


def _settlement_order(round_: Round, bets: Bets, folded_at: dict[int, int]) -> list[Finding]:
    """(6): within a spot the bonus, hand 1, hand 2, big 8; a folded ante at any time.

    ambiguous: only settlements of standing wagers and of the bonus are in the order, a tip beside
    its wager; a further settlement of the same wager is not. A voided round has no order.
    """
    last: dict[int, int] = {}
    wrong: list[str] = []
    done: set[BetKey] = set()
    for settlement in round_.settlements():
        key = settlement.key
        bonus = key[2] in BONUSES
        if key in done or key[2] not in PAID_IN_ORDER or (key[2] == ANTE and key[0] in folded_at):
            continue
        bet = bets.get(key)
        if not bonus and not (bet and bet.standing):
            continue
        if not bonus:
            done.add(key)
        place = PAID_IN_ORDER.index(key[2])
        if place < last.get(key[0], 0):
            wrong.append(settlement.event_ids[0])
        last[key[0]] = max(place, last.get(key[0], 0))
    shown = [event for event in round_.events if event["event_id"] in wrong]
    return [spot_finding(round_, "SETTLEMENT_ORDER", None, "(6)", shown)] if shown else []


def _wrongly_voided(round_: Round, verdict: Verdict) -> list[Finding]:
    """(5): an exposed card is no misdeal; what each spot was due is lost or spared.

    ambiguous: where one due of the spot is not exactly known, expected is null without bounds.
    """
    void = round_.of_type("RoundVoided")
    spots = spots_in_play(round_, verdict.bets)
    if void[0]["reason"] != "MISDEAL":
        return []
    cut_short = not verdict.count_right
    if cut_short and not _right_beginning(round_, spots):
        return []
    findings = []
    for spot in spots:
        dues = [due.exact for key, due in verdict.dues.items() if key[0] == spot]
        found = spot_finding(round_, "WRONGLY_VOIDED", spot, "(5)", void)
        known = [cents for cents in dues if cents is not None]
        if not cut_short and len(known) == len(dues):
            found.expected = stated(sum(known))
        found.actual = 0
        found.readings = ("DD-COUNT",)
        findings.append(found)
    return findings


def _right_beginning(round_: Round, spots: Sequence[int]) -> bool:
    """Tell whether a deal that was cut short after an exposed card went right so far."""
    exposed = round_.of_type("CardExposed")
    shown = [
        f"PLAYER {card.spot}" if card.place == "PLAYER" else card.place for card in round_.dealt
    ]
    order = _rotation(spots)
    short = 0 < len(shown) < len(order) and shown == order[: len(shown)]
    return bool(exposed) and short
