"""From arrivals to rounds: redelivery, conflicts, gaps, round ends, and the stream findings."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from tests.oracle.cards import parse_card
from tests.oracle.findings import Event, Finding, about_event
from tests.oracle.rounds import Round, Shoe

SKEW_MICROS: Final = 5_000_000
TWIN_MICROS: Final = 1_000_000
EXCEPTED: Final = ("CardCorrected", "PayoutCorrected", "RulingMade")


@dataclass
class Arrivals:
    """Everything kept: what is judged by table, what conflicts, and the numbers seen."""

    judged: dict[str, list[Event]] = field(default_factory=dict)
    kept_ids: dict[str, list[Event]] = field(default_factory=dict)
    seqs: dict[str, set[int]] = field(default_factory=dict)
    conflicts: list[Event] = field(default_factory=list)
    count: int = 0


def sort_arrivals(events: list[Event]) -> Arrivals:
    """Drop redeliveries, set conflicts aside, and order the rest by seq.

    The first of two contents is judged. A second content of an id keeps its seq from being
    missing, and so takes it: whatever comes later under that number conflicts too.
    """
    arrivals = Arrivals()
    for event in events:
        earlier = arrivals.kept_ids.setdefault(event["event_id"], [])
        if event in earlier:
            continue
        table, seq = event["table_id"], event["seq"]
        taken = arrivals.seqs.setdefault(table, set())
        if earlier or seq in taken:
            arrivals.conflicts.append(event)
        else:
            arrivals.judged.setdefault(table, []).append(event)
        earlier.append(event)
        taken.add(seq)
        arrivals.count += 1
    for judged in arrivals.judged.values():
        judged.sort(key=lambda event: int(event["seq"]))
    return arrivals


def gaps_of(seqs: set[int]) -> list[tuple[int, int]]:
    """Give the runs of missing numbers between the lowest and the highest seen."""
    ordered = sorted(seqs)
    return [(a + 1, b - 1) for a, b in pairwise(ordered) if b > a + 1]


@dataclass
class Table:
    """One table walked through in the order of seq."""

    table_id: str
    findings: list[Finding] = field(default_factory=list)
    rounds: dict[str, Round] = field(default_factory=dict)
    openings: list[Event] = field(default_factory=list)
    loadings: list[tuple[Event, Event]] = field(default_factory=list)  # ShoeLoaded, its opening
    burns: list[Event] = field(default_factory=list)
    shoes: dict[str, Shoe] = field(default_factory=dict)
    last_shoe: Shoe | None = None
    open: list[Round] = field(default_factory=list)
    gap_since_boundary: bool = False  # an unknown round may have been opened in it
    closed: bool = False  # and no number is missing since, so that it was not opened again
    opened_ids: set[str] = field(default_factory=set)  # rounds that opened, or tried to


def walk_table(table_id: str, arrivals: Arrivals) -> Table:
    """Assign every event to its round and find what is wrong with the stream itself."""
    table = Table(table_id)
    events = arrivals.judged.get(table_id, [])
    gaps = gaps_of(arrivals.seqs[table_id])
    for first, last in gaps:
        # ambiguous: a gap is ordered by its first missing number; no event shows it
        table.findings.append(
            Finding("SEQUENCE_GAP", table_id, first, first_missing=first, last_missing=last)
        )
    ahead = list(gaps)
    for event in events:
        while ahead and ahead[0][0] < event["seq"]:
            ahead.pop(0)
            table.gap_since_boundary = True
            table.closed = False
            for round_ in table.open:
                round_.held = True
        _take(table, event)
    _clock_skew(table, events)
    _corrections(table, events, arrivals)
    for round_ in table.rounds.values():
        _twins(table, round_)
    return table


def _take(table: Table, event: Event) -> None:
    """Take the next event of the table."""
    kind = event["type"]
    if kind in EXCEPTED:
        return
    if kind == "TableOpened":  # ends no round
        table.openings.append(event)
        table.closed = False
        return
    if not table.openings:
        # ambiguous: as of its seq, so an event before the first opening is out of place too,
        # and a round opened there is no round; an opening lost in a gap changes nothing
        if kind == "RoundOpened":
            table.opened_ids.add(event["round_id"])
        if kind == "TableClosed":  # what a gap before it may have opened has ended
            table.gap_since_boundary = False
        table.findings.append(about_event("EVENT_OUT_OF_PLACE", event))
    elif "round_id" in event:
        _take_of_round(table, event)
    elif kind == "TableClosed":
        _end_open_rounds(table, event)
        table.closed = True
    else:
        _take_of_shoe(table, event)


def _take_of_shoe(table: Table, event: Event) -> None:
    """Keep track of loadings, burned cards and cut cards; trays and chips are only kept."""
    if event["type"] == "ShoeLoaded":
        table.last_shoe = Shoe(event["shoe_id"], event["decks"], event["seq"])
        table.shoes[event["shoe_id"]] = table.last_shoe
        table.loadings.append((event, table.openings[-1]))
    elif event["type"] == "CardBurned":
        _shoe(table, event["shoe_id"], event["seq"]).burned.append(event)
        table.burns.append(event)
    elif event["type"] == "CutCardReached":
        shoe = _shoe(table, event["shoe_id"], event["seq"])
        shoe.cut_seq = event["seq"] if shoe.cut_seq is None else shoe.cut_seq


def _shoe(table: Table, shoe_id: str | None, seq: int) -> Shoe:
    """Find the latest loading of a shoe; without an id, the table's last one.

    ambiguous: a shoe that was never loaded holds as many decks as the rule says.
    """
    if shoe_id is None:
        if table.last_shoe is None:
            table.last_shoe = Shoe(None, None, seq)
        return table.last_shoe
    if shoe_id not in table.shoes:
        table.shoes[shoe_id] = Shoe(shoe_id, None, seq)
    return table.shoes[shoe_id]


def _take_of_round(table: Table, event: Event) -> None:
    """Give the event to its round, or find it out of place."""
    round_id = event["round_id"]
    round_ = table.rounds.get(round_id)
    if event["type"] == "RoundOpened":
        known = round_ is not None or round_id in table.opened_ids
        table.opened_ids.add(round_id)
        if known or table.closed:
            # ambiguous: a second opening of a round, even while it runs, is out of place, also
            # where the first was no good; a table that closed is not open until it opens again
            # (where that may lie in a gap, the last opening goes on)
            table.findings.append(about_event("EVENT_OUT_OF_PLACE", event))
            return
        _end_open_rounds(table, event)
        round_ = _new_round(table, event, event["shoe_id"])
    elif round_ is None and table.gap_since_boundary and round_id not in table.opened_ids:
        # Its opening, which was not seen, may lie in the gap: nothing opened or closed since.
        round_ = _new_round(table, event, None)
        round_.opened, round_.held = False, True
    elif round_ is None or round_.ended_by is not None:
        table.findings.append(about_event("EVENT_OUT_OF_PLACE", event))
        return
    round_.events.append(event)
    if event["type"] in ("RoundClosed", "RoundVoided"):
        round_.ended_by = "CLOSED" if event["type"] == "RoundClosed" else "VOIDED"
        round_.end_seq = event["seq"]
        table.open.remove(round_)


def _new_round(table: Table, event: Event, shoe_id: str | None) -> Round:
    shoe = _shoe(table, shoe_id, event["seq"])
    round_ = Round(table.table_id, event["round_id"], event["seq"], table.openings[-1], shoe)
    table.rounds[round_.round_id] = round_
    table.open.append(round_)
    return round_


def _end_open_rounds(table: Table, event: Event) -> None:
    """End what is still open: the next round opens or the table closes."""
    for round_ in table.open:
        round_.ended_by, round_.end_seq = "OTHER", event["seq"]
        if not round_.held:
            table.findings.append(
                Finding(
                    "ROUND_NOT_CLOSED",
                    table.table_id,
                    round_.seq,
                    round_id=round_.round_id,
                    event_ids=(round_.events[0]["event_id"], event["event_id"]),
                )
            )
    table.open = []
    table.gap_since_boundary = False


def _clock_skew(table: Table, events: list[Event]) -> None:
    """Compare each event with the one before it by seq.

    ambiguous: events out of place have clocks too and count; the second of a conflict does not.
    """
    for before, event in pairwise(events):
        if event["occurred_at"] < before["occurred_at"] - SKEW_MICROS:
            table.findings.append(about_event("CLOCK_SKEW", event))


def _twins(table: Table, round_: Round) -> None:
    """Find the same bet of the same amount placed within a second of an earlier one."""
    earlier: dict[tuple[int | str, ...], list[int]] = {}
    for event in round_.of_type("WagerPlaced"):
        if event["amount_cents"] <= 0:
            continue  # counts for nothing, so it is no bet
        same = (*(event[name] for name in ("spot", "hand", "wager", "bettor", "amount_cents")),)
        times = earlier.setdefault(same, [])
        # ambiguous: "within" includes one second exactly
        if any(abs(event["occurred_at"] - time) <= TWIN_MICROS for time in times):
            table.findings.append(about_event("SUSPECTED_DUPLICATE", event))
        times.append(event["occurred_at"])


def _corrections(table: Table, events: list[Event], arrivals: Arrivals) -> None:
    """Apply corrections to what they name; the last by seq counts, also after the round's end."""
    target = {"CardCorrected": "CardDealt", "PayoutCorrected": "WagerSettled"}
    for event in events:
        wanted = target.get(event["type"])
        if wanted is None:
            continue
        if wanted == "CardDealt":
            _card_named(table, event)
        named = arrivals.kept_ids.get(event["corrects"], [])
        # ambiguous: an event out of place is named all the same, and nothing judged changes
        if not any(
            other["type"] == wanted
            and other["table_id"] == event["table_id"]
            and other["round_id"] == event["round_id"]
            for other in named[:1]
        ):
            table.findings.append(about_event("ORPHAN_CORRECTION", event))
            continue
        round_ = table.rounds.get(event["round_id"])
        if round_ is None:
            continue
        if wanted == "CardDealt":
            round_.card_corrections[event["corrects"]] = event
        else:
            round_.payout_corrections[event["corrects"]] = event


def _card_named(table: Table, correction: Event) -> None:
    """Keep a correction for its round to look at, or look at what it names if it lies outside.

    ambiguous: what is no card is none in an orphan either.
    """
    round_ = table.rounds.get(correction["round_id"])
    if round_ is not None and round_.seq <= correction["seq"] <= round_.end_seq:
        round_.card_corrections_within.append(correction)
    elif parse_card(correction["card"]) is None:
        table.findings.append(about_event("BAD_CARD", correction))


def conflict_findings(arrivals: Arrivals) -> list[Finding]:
    """Report the second content of an id, or of a number at a table."""
    return [about_event("EVENT_CONFLICT", event) for event in arrivals.conflicts]
