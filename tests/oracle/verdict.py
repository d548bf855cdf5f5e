"""What a game says about one round, and the checks that the games share."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tests.oracle.bets import Bets, bet_finding, spots_in_play
from tests.oracle.bounds import Due
from tests.oracle.cards import parse_card
from tests.oracle.editions import clause
from tests.oracle.findings import BetKey, Event, Finding, about_event
from tests.oracle.rounds import NEVER, Round

CARDS_PER_SPOT: Final = {"RUN_EM_TWICE": 2, "DAKOTA_DUEL_DRAW": 2, "TEXAS_SHOOTOUT": 4}


@dataclass
class Verdict:
    """The findings of procedure, what is due, and whether the number of cards was right."""

    bets: Bets
    findings: list[Finding]
    count_right: bool = True
    dues: dict[BetKey, Due] = field(default_factory=dict)
    sources: dict[BetKey, list[Event]] = field(default_factory=dict)
    # What each wager with a posted paytable would be due by every paytable of the rule.
    alternatives: dict[BetKey, dict[str, Due]] = field(default_factory=dict)


def right_count(round_: Round, bets: Bets, places: dict[str, int]) -> bool:
    """Tell whether every spot in play and every place got its number of cards.

    ambiguous: a `PLAYER` card without a spot, and a card to a place of another game, make the
    number wrong; a round without any card has too few, though no spot is in play.
    """
    spots = spots_in_play(round_, bets)
    wanted: Counter[tuple[str, int | None]] = Counter()
    for place, number in places.items():
        wanted[place, None] = number
    for spot in spots:
        wanted["PLAYER", spot] = CARDS_PER_SPOT[round_.game]
    dealt = Counter(
        (card.place, card.spot if card.place == "PLAYER" else None) for card in round_.dealt
    )
    return bool(dealt == wanted)


def has_come(round_: Round, seq: int) -> bool:
    """Tell whether a moment passed: its event came, or the round was closed without it."""
    return seq < round_.end_seq or round_.ended_by == "CLOSED"


def before_cards(round_: Round, event: Event) -> bool:
    """Tell whether a decision was made before its cards were all dealt.

    ambiguous: "its cards" are the first of them, up to as many as the rule gives a spot; a spot
    that got fewer had got its cards with the last of these, one that got none never had.
    """
    spot = event["spot"]
    held = round_.at_spot(spot, "DEALER" if spot is None else "PLAYER")
    its_cards = held[: CARDS_PER_SPOT[round_.game]]
    return not its_cards or bool(event["seq"] < its_cards[-1].seq)


def after_fold(round_: Round, folded_at: dict[int, int], number: str) -> list[Finding]:
    """Report decisions made by a spot that had folded."""
    return [
        about_event("ACTION_AFTER_FOLD", event, clause(round_.game, number))
        for event in round_.of_type("DecisionMade")
        if event["spot"] is not None and event["seq"] > folded_at.get(event["spot"], NEVER)
    ]


def spot_finding(
    round_: Round, code: str, spot: int | None, number: str, events: list[Event], message: str = ""
) -> Finding:
    """Make a finding about a spot, or with None about the dealer or the round."""
    seq = min((event["seq"] for event in events), default=round_.seq)
    ids = tuple(event["event_id"] for event in events)
    return Finding(
        code,
        round_.table_id,
        seq,
        round_id=round_.round_id,
        spot=spot,
        clause=clause(round_.game, number),
        event_ids=ids,
        message=message,
    )


def missing_wager(
    round_: Round, key: BetKey, number: str, events: list[Event], readings: str = ""
) -> Finding:
    """Report a required wager that was not placed."""
    return bet_finding(round_, "WAGER_MISSING", key, clause(round_.game, number), events, readings)


def bad_cards(round_: Round) -> list[Finding]:
    """Report every event that carries something that is no card.

    ambiguous: decisions and exposures carry cards too, corrections as well; one row an event. A
    correction outside its round is an event of the stream, whatever became of the round.
    """
    findings = []
    for event in round_.events + round_.card_corrections_within:
        texts = event["cards"] if event["type"] == "DecisionMade" else (event.get("card"),)
        if any(text is not None and parse_card(text) is None for text in texts):
            findings.append(about_event("BAD_CARD", event))
    return findings


def deal_order(round_: Round, orders: list[list[str]], number: str) -> list[Finding]:
    """Report a deal that follows none of the allowed orders of places."""
    shown = [
        f"PLAYER {card.spot}" if card.place == "PLAYER" else card.place for card in round_.dealt
    ]
    if shown in orders or not round_.dealt:
        return []
    return [
        Finding(
            "DEAL_ORDER",
            round_.table_id,
            round_.dealt[0].seq,
            round_id=round_.round_id,
            clause=clause(round_.game, number),
            event_ids=tuple(card.event_id for card in round_.dealt),
        )
    ]
