"""Floors for these tests: what the oracle finds in them, and what it says is due."""

from collections.abc import Sequence
from typing import Any, Final

from services.simulate.dues import dues_of
from services.simulate.faults.fault import FindingRow
from services.simulate.floor import AskDues
from services.simulate.games.script import NEVER_PLACED
from services.simulate.round import Due, Where
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan, simulate_floor
from tests.oracle.audit import JUDGES, audit_events
from tests.oracle.decode import decode_event
from tests.oracle.rounds import read_cards
from tests.oracle.shoes import count_copies
from tests.oracle.stream import sort_arrivals, walk_table

NOON: Final = "2026-03-06T12:00:00Z"
PLACE: Final = ("table_id", "round_id", "spot", "hand", "wager", "bettor")
AMOUNTS: Final = (
    "expected_cents",
    "actual_cents",
    "expected_low_cents",
    "expected_high_cents",
    "first_missing_seq",
    "last_missing_seq",
)


def oracle_dues(rounds: Sequence[Sequence[Event]]) -> list[dict[Where, Due]]:
    """What is due by the oracle, in the form that the simulator asks for."""
    return [_dues(events) for events in rounds]


def _dues(events: Sequence[Event]) -> dict[Where, Due]:
    """One round, judged as the only one of its table."""
    numbered = [{**event, "seq": seq, "occurred_at": NOON} for seq, event in enumerate(events, 1)]
    arrivals = sort_arrivals([decode_event(event) for event in numbered])
    table = walk_table(str(events[0]["table_id"]), arrivals)
    (round_,) = table.rounds.values()
    read_cards(round_)
    count_copies(table)
    verdict = JUDGES[round_.game](round_)
    dues = {}
    for key, due in verdict.dues.items():
        bet = verdict.bets.get(key)
        earned = 1 if key[2] in NEVER_PLACED else 0  # whatever earned it: above zero is enough
        stake_cents = bet.standing if bet else earned
        dues[Where(*key)] = Due(stake_cents, due.exact, due.low, due.high)
    return dues


def played(plan: FloorPlan, ask_dues: AskDues = dues_of) -> tuple[list[Event], list[FindingRow]]:
    """All events of a floor in order of arrival, and all that was planted."""
    floor = simulate_floor(plan, ask_dues)
    return list(floor.events()), floor.planted()


def differences(events: list[Event], planted: list[FindingRow]) -> list[str]:
    """What the oracle misses of the planted, and what it finds beyond."""
    report = audit_events(events)
    lines = [f"dead letter {dead}" for dead in report["dead_letters"]]
    left: list[dict[str, Any]] = list(report["findings"])
    for row in planted:
        hit = next((found for found in left if _agrees(row, found)), None)
        if hit is None:
            lines.append(f"missing {row}")
        else:
            left.remove(hit)
    return lines + [f"not planted {_shown(found)}" for found in left]


def _agrees(row: FindingRow, found: dict[str, Any]) -> bool:
    """Equal in code, in every place that the row names, and in every amount."""
    return (
        row["code"] == found["code"]
        and all(row[name] is None or row[name] == found[name] for name in PLACE)
        and all(row.get(name) == found[name] for name in AMOUNTS)
    )


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    return {name: found[name] for name in ("code", *PLACE, *AMOUNTS)}
