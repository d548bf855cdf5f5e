"""Run'em Twice Poker, 51 SDR 111, clause by clause: two hands against a paytable."""

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
from tests.oracle.bounds import (
    Due,
    between,
    can_be_tried,
    completions,
    exactly,
    reached,
)
from tests.oracle.cards import Card
from tests.oracle.editions import RUN_EM_TWICE as GAME
from tests.oracle.editions import clause
from tests.oracle.findings import BetKey, Finding
from tests.oracle.rounds import Round
from tests.oracle.run_em_twice_steps import (
    STEP_CLAUSE,
    STEPS,
    Steps,
    passed_seq,
    reveal_of,
    take_decisions,
)
from tests.oracle.verdict import (
    Verdict,
    bad_cards,
    deal_order,
    has_come,
    missing_wager,
    right_count,
    spot_finding,
)

ANTES: Final = ("FIRST_ANTE", "SECOND_ANTE")
SIDES: Final = ("FIVE_CARD_BONUS", "ULTIMATE_PAIRS")
COMMUNITY: Final = ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER")
LOSES: Final = -1
PUSHES: Final = 0

# (7), by line: what an ante and what a run wins to one (RT-COLUMNS); J to A and 6 to 10 are pairs.
ANTE_AND_RUN: Final = {
    "Royal Flush": (1, 500),
    "Straight Flush": (1, 100),
    "Four of a Kind": (1, 40),
    "Full House": (1, 12),
    "Flush": (1, 8),
    "Straight": (1, 5),
    "Three of a Kind": (1, 3),
    "Two Pair": (1, 2),
    "High Pair (J-A)": (1, 1),
    "Low Pair (6-10)": (PUSHES, PUSHES),
    "All other": (LOSES, LOSES),
}
# (9)
FIVE_CARD_BONUS: Final = {
    "Royal Flush": 250,
    "Straight Flush": 100,
    "Four of a Kind": 40,
    "Full House": 15,
    "Flush": 10,
    "Straight": 6,
    "Three of a Kind": 4,
    "Two Pair": 3,
    "High Pair (J-A)": 1,
    "Low Pair (6-10)": 1,
    "All other": LOSES,
}
NOT_APPLICABLE: Final = None
# (10)(a), read from the top down (RT-MIDDLE).
ULTIMATE_PAIRS_1: Final = {
    "A-A": 30,
    "A-K suited": 25,
    "A-Q or A-J suited": 20,
    "A-K unsuited": 15,
    "K-K, Q-Q, J-J": 10,
    "A-Q or A-J unsuited": 5,
    "2-2 to 10-10": 3,
}
# (10)(b); tables 2 and 5 are the same as printed (RT-TABLES).
ULTIMATE_PAIRS_2_TO_5: Final[dict[str, dict[str, int | None]]] = {
    "A-A (hearts and diamonds)": {"2": NOT_APPLICABLE, "3": 100, "4": 50, "5": NOT_APPLICABLE},
    "A-A": {"2": 25, "3": 30, "4": 25, "5": 25},
    "A-K, A-Q, or A-J suited": {"2": 20, "3": 20, "4": 20, "5": 20},
    "A-K, A-Q, or A-J unsuited": {"2": 10, "3": 10, "4": 10, "5": 10},
    "2-2 to K-K": {"2": 5, "3": 4, "4": 5, "5": 5},
}
ULTIMATE_PAIRS_TABLES: Final = ("1", "2", "3", "4", "5")
RED_ACES: Final = {c.ACE * 4 + 1, c.ACE * 4 + 2}  # RT-RED-ACES: exactly the Ad and the Ah

_LINES: Final = {
    c.FOUR: "Four of a Kind",
    c.FULL_HOUSE: "Full House",
    c.FLUSH: "Flush",
    c.STRAIGHT: "Straight",
    c.THREE: "Three of a Kind",
    c.TWO_PAIR: "Two Pair",
}


def line_of(cards: Sequence[Card]) -> str:
    """Name the line of (7) that a five-card hand falls into."""
    rank = c.best_rank(cards)
    if rank[0] == c.STRAIGHT_FLUSH:
        return "Royal Flush" if c.is_royal(rank) else "Straight Flush"
    if rank[0] == c.PAIR:
        if rank[1] >= 11:
            return "High Pair (J-A)"
        return "Low Pair (6-10)" if rank[1] >= 6 else "All other"  # RT-LOW-PAIR, RT-SIXES
    return _LINES.get(rank[0], "All other")


def ultimate_pairs_to_one(two: Sequence[Card], table: str) -> int:
    """Read the pay of a spot's two cards off a paytable of (10)."""
    low, high = sorted(c.rank_of(card) for card in two)
    suited = c.suit_of(two[0]) == c.suit_of(two[1])
    if table == "1":
        return _table_1_to_one(low, high, suited)
    lines = ULTIMATE_PAIRS_2_TO_5
    if low == high == c.ACE:
        red = lines["A-A (hearts and diamonds)"][table]
        aces = lines["A-A"][table]
        return (red if set(two) == RED_ACES and red else aces) or LOSES
    if high == c.ACE and low in (11, 12, 13):  # RT-FACE: J, Q, K
        name = "A-K, A-Q, or A-J suited" if suited else "A-K, A-Q, or A-J unsuited"
        return lines[name][table] or LOSES
    return (lines["2-2 to K-K"][table] or LOSES) if low == high else LOSES


def _table_1_to_one(low: int, high: int, suited: bool) -> int:
    lines = ULTIMATE_PAIRS_1
    if low == high:
        if low == c.ACE:
            return lines["A-A"]
        return lines["K-K, Q-Q, J-J"] if low >= 11 else lines["2-2 to 10-10"]
    if high == c.ACE and low == 13:
        return lines["A-K suited"] if suited else lines["A-K unsuited"]
    if high == c.ACE and low in (11, 12):
        return lines["A-Q or A-J suited"] if suited else lines["A-Q or A-J unsuited"]
    return LOSES


def judge(round_: Round) -> Verdict:
    """Judge one round of Run'em Twice."""
    steps, folded_at, findings = take_decisions(round_)
    terms = Terms(lambda key: _moment(round_, key), folded_at, clause(GAME, "(2)(4)(5)"))
    bets, chips = take_bets(round_, terms)
    findings += chips
    findings += not_offered(round_, bets, lambda key: _offered(round_, key), clause(GAME, "(1)"))
    findings += chip_findings(round_, bets, clause(GAME, "(1)(3)(5)(9)(10)"))
    findings += limit_findings(round_, bets, ANTES, clause(GAME, "(1)"))
    findings += _missing_and_unequal(round_, bets, steps)
    findings += _ranges(round_, bets)
    findings += _decisions_missing(round_, bets, steps)
    findings += bad_cards(round_)
    verdict = Verdict(bets, findings)
    verdict.count_right = right_count(round_, bets, dict.fromkeys(COMMUNITY, 1))
    if verdict.count_right:
        verdict.findings += deal_order(round_, _orders(round_), "(1)")
        if not round_.duplicates:
            _settle(round_, verdict, folded_at)
    return verdict


def _moment(round_: Round, key: BetKey) -> int | None:
    """Give the seq before which chips of this wager must lie."""
    if key[2] in STEPS:
        return reveal_of(round_, key[2])
    return round_.first_card_seq() if key[2] in ANTES + SIDES else None


def _offered(round_: Round, key: BetKey) -> bool:
    """(1)-(10): the wagers of this game; no tips (ALL-TIP), no second hand of a spot."""
    if key[1] != 1 or key[3] != "PLAYER":
        return False
    if key[2] == "ULTIMATE_PAIRS":
        return "ultimate_pairs" in round_.opening["paytables"]
    return key[2] in ANTES + STEPS + SIDES


def _missing_and_unequal(round_: Round, bets: Bets, steps: Steps) -> list[Finding]:
    """(1): both antes of every spot in play, equal; and the bets that were announced."""
    findings = []
    first_card = round_.first_card_seq()
    for spot in spots_in_play(round_, bets):
        shown = [
            bet.placed[0] for key, bet in sorted(bets.items()) if key[0] == spot and bet.placed
        ]
        for ante in ANTES:
            bet = bets.get((spot, 1, ante, "PLAYER"))
            if not (bet and bet.was_placed) and has_come(round_, first_card):
                key = (spot, 1, ante, "PLAYER")
                findings.append(missing_wager(round_, key, "(1)", shown, "RT-SIDE-ONLY"))
        first, second = (standing(bets, spot, ante) for ante in ANTES)
        if first and second and first != second:
            # ambiguous: "the later" of the antes is the second ante, whichever was put first
            key = (spot, 1, "SECOND_ANTE", "PLAYER")
            findings.append(
                bet_finding(round_, "WAGERS_UNEQUAL", key, clause(GAME, "(1)"), bets[key].placed)
            )
    return findings + _announced(round_, bets, steps)


def _announced(round_: Round, bets: Bets, steps: Steps) -> list[Finding]:
    """(1)(3)(5): report the bet that a PLAY announced and that was never put down.

    ambiguous: of several decisions at one step the last tells, so a fold takes a PLAY back.
    """
    findings = []
    for spot, by_step in steps.items():
        for step, made in by_step.items():
            bet = bets.get((spot, 1, step, "PLAYER"))
            if not made or made[-1]["decision"] == "FOLD" or (bet and bet.was_placed):
                continue
            if has_come(round_, passed_seq(round_, step)):
                key = (spot, 1, step, "PLAYER")
                findings.append(missing_wager(round_, key, STEP_CLAUSE[step], made, "RT-RANGE"))
    return findings


def _ranges(round_: Round, bets: Bets) -> list[Finding]:
    """(1)(3)(5): a run or center bet is one to three times its ante, any amount between.

    ambiguous: without a standing ante there is nothing to measure a bet by.
    """
    findings = []
    for key, bet in bets.items():
        if key[2] not in STEPS or not bet.standing:
            continue
        ante = standing(bets, key[0], "SECOND_ANTE" if key[2] == "SECOND_RUN" else "FIRST_ANTE")
        if ante and not ante <= bet.standing <= 3 * ante:
            number = clause(GAME, STEP_CLAUSE[key[2]])
            findings.append(
                bet_finding(round_, "WAGER_OUT_OF_RANGE", key, number, bet.placed, "RT-RANGE")
            )
    return findings


def _decisions_missing(round_: Round, bets: Bets, steps: Steps) -> list[Finding]:
    """Report each step at which a spot with an ante neither played nor folded.

    ambiguous: a step is asked for only when its reveal, or a later one, came; a fold ends the
    spot's steps at the one it belongs to; the row names the spot alone, since a decision is no
    wager.
    """
    findings = []
    for spot in spots_in_play(round_, bets):
        if not any(standing(bets, spot, ante) for ante in ANTES):
            continue
        for step in STEPS:
            reveal = passed_seq(round_, step)
            made = steps.get(spot, {}).get(step, [])
            if any(event["decision"] == "FOLD" for event in made):
                break
            if made or reveal > round_.end_seq:
                continue
            reveals = [event for event in round_.events if event["seq"] == reveal]
            number, message = STEP_CLAUSE[step], f"no decision: {step}"
            findings.append(
                spot_finding(round_, "DECISION_MISSING", spot, number, reveals, message)
            )
    return findings


def _orders(round_: Round) -> list[list[str]]:
    """(1): the spots clockwise, one card at a time or two together, the community last."""
    spots = [f"PLAYER {spot}" for spot in round_.spots_dealt()]
    last = [card.place for card in round_.dealt[-5:]]
    community = last if sorted(last) == sorted(COMMUNITY) else list(COMMUNITY)
    return [spots * 2 + community, [name for name in spots for _ in range(2)] + community]


def _settle(round_: Round, verdict: Verdict, folded_at: dict[int, int]) -> None:
    """(7)-(10): give what is due on every standing wager."""
    for key, bet in verdict.bets.items():
        if not bet.standing:
            continue
        if key[2] in SIDES:
            _settle_side(round_, verdict, key)
        elif key[0] in folded_at:  # RT-FOLD: antes, runs and center are lost
            verdict.dues[key] = exactly(-bet.standing, clause(GAME, "(2)(4)(5)"), "RT-FOLD")
        else:
            verdict.dues[key] = _hand_due(round_, key, bet.standing)


def _places(round_: Round, *places: str) -> list[Card | None]:
    return [card.card for place in places for card in round_.at_spot(None, place)]


def _hand_due(round_: Round, key: BetKey, stake: int) -> Due:
    """(6)(7)(8): settle an ante, a run or the center by the hands it rests on (RT-HANDS)."""
    two = [card.card for card in round_.at_spot(key[0])]
    center = _places(round_, "CENTER")
    across = _places(round_, "LEFT", "RIGHT")
    down = _places(round_, "TOP", "BOTTOM")
    if key[2] == "CENTER":
        won = _center_to_one(round_, [two, center, across, down])
        return _times(won, stake, "(8)", "RT-CENTER RT-HANDS")
    column = 0 if key[2] in ANTES else 1
    outer = across if key[2].startswith("FIRST") else down
    lines = reached([two + center + outer], round_.unseen, _lines_of, ANTE_AND_RUN)
    odds = None if lines is None else {ANTE_AND_RUN[line][column] for line in lines}
    return _times(odds, stake, "(7)", "RT-COLUMNS RT-HANDS RT-LOW-PAIR")


def _times(odds: set[int] | None, stake: int, number: str, readings: str) -> Due:
    """Multiply what is won to one (ALL-TO-ONE); a loss is minus one, a push nothing."""
    cents = None if odds is None else {to_one * stake for to_one in odds}
    return between(cents, clause(GAME, number), readings)


def _lines_of(groups: list[list[Card]]) -> list[str]:
    return [line_of(groups[0])]


def _center_to_one(round_: Round, groups: list[list[Card | None]]) -> set[int] | None:
    """(8): the better of the two run results; a push is better than a loss (RT-CENTER).

    With cards not read the most is the most of either run, for the other cards are then free; the
    least is looked for among all ways, and cannot be below the greater least of the runs.
    """
    two, center, across, down = groups
    if not can_be_tried(groups, round_.unseen):
        return None
    first = reached([two + center + across], round_.unseen, _lines_of, ANTE_AND_RUN) or set()
    second = reached([two + center + down], round_.unseen, _lines_of, ANTE_AND_RUN) or set()
    runs = [{ANTE_AND_RUN[line][1] for line in lines} for lines in (first, second)]
    most = max(max(odds) for odds in runs)
    floor = max(min(odds) for odds in runs)
    least = most
    for spot, middle, left_right, top_bottom in completions(groups, round_.unseen):
        better = max(
            ANTE_AND_RUN[line_of(spot + middle + left_right)][1],
            ANTE_AND_RUN[line_of(spot + middle + top_bottom)][1],
        )
        least = min(least, better)
        if least == floor:
            break
    return {least, most}


def _settle_side(round_: Round, verdict: Verdict, key: BetKey) -> None:
    """(9)(10): the side wagers are settled whether or not the spot folded."""
    stake = verdict.bets[key].standing
    if key[2] == "FIVE_CARD_BONUS":
        lines = reached([_places(round_, *COMMUNITY)], round_.unseen, _lines_of, ANTE_AND_RUN)
        odds = None if lines is None else {FIVE_CARD_BONUS[line] for line in lines}
        verdict.dues[key] = _times(odds, stake, "(9)", "RT-SIXES")
        return
    two = [card.card for card in round_.at_spot(key[0])]
    pairs = reached([two], round_.unseen, lambda groups: [tuple(sorted(groups[0]))])
    tables: dict[str, Due] = {}
    for table in ULTIMATE_PAIRS_TABLES:
        number = "(10)(a)" if table == "1" else "(10)(b)"
        odds = None if pairs is None else {ultimate_pairs_to_one(pair, table) for pair in pairs}
        tables[table] = _times(odds, stake, number, "RT-RED-ACES RT-FACE RT-TABLES RT-MIDDLE")
    posted = round_.opening["paytables"]["ultimate_pairs"]
    unknown = Due(None, None, clause(GAME, "(10)"), unknown_paytable=True)
    verdict.dues[key] = tables.get(posted, unknown)
    verdict.alternatives[key] = tables
