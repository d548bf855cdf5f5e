"""Streams of tables as they may arrive: late, twice, in conflict, with gaps, in any portions."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from random import Random
from typing import Any

from services.decode.json_lines import decode_piece
from services.history.journal import Journal
from services.history.store import History
from tests.property import weird_dakota_duel_draw, weird_run_em_twice, weird_texas_shootout
from tests.replay.streams import Event

Rows = list[tuple[Any, ...]]

GAMES = {
    "RT": weird_run_em_twice.stream,
    "DD": weird_dakota_duel_draw.stream,
    "TS": weird_texas_shootout.stream,
}


def evening(game: str, seed: int, rounds: int, openings: int = 2) -> list[Event]:
    """A table's stream over some openings, now and then with round ids that come again."""
    random = Random(f"{game}{seed}")
    events: list[Event] = []
    for number in range(openings):
        named = "" if random.random() < 0.2 else f"-{number}"
        for event in GAMES[game](seed * 10 + number, rounds):
            event = {**event, "seq": event["seq"] + (events[-1]["seq"] if number else 0)}
            if number and event["seq"] == 0:
                continue
            for name in ("event_id", "corrects"):
                if event.get(name):
                    event[name] = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{number}{event[name]}"))
            if event.get("round_id"):
                event["round_id"] += named
            if event["type"] == "TableOpened" and random.random() < 0.5:
                event["gaming_day"] = "2026-03-02"
            events.append(event)
    base = 0
    whole: list[Event] = []
    for event in events:
        base += 1
        whole.append({**event, "seq": base})
    return whole


def troubled(events: Sequence[Event], random: Random) -> list[Event]:
    """The same in order, with events missing, twice, or in conflict with others."""
    arriving: list[Event] = []
    for event in events:
        dice = random.random()
        if dice < 0.02:
            continue
        arriving.append(event)
        if dice < 0.04:
            arriving.append(event)
        elif dice < 0.05:
            arriving.append({**event, "occurred_at": "2026-03-01T20:00:00.000000Z"})
        elif dice < 0.06:
            other = str(uuid.UUID(int=random.getrandbits(128)))
            arriving.append({**event, "event_id": other})
        elif dice < 0.065:
            arriving.append({**event, "seq": random.randint(1, events[-1]["seq"] + 3)})
    return arriving


def arriving(events: Sequence[Event], random: Random, lateness: float) -> list[Event]:
    """Some events come later than others that follow them: by a bit, or by far."""
    far = len(events)
    moved = []
    for place, event in enumerate(events):
        late = 0.0
        if random.random() < lateness:
            late = random.random() * (far if random.random() < 0.5 else 30)
        moved.append((place + late, place, event))
    return [event for _, _, event in sorted(moved, key=lambda each: each[:2])]


def portions(events: Sequence[Event], random: Random, most: int) -> list[Sequence[Event]]:
    """The events cut into transactions."""
    cut: list[Sequence[Event]] = []
    at = 0
    while at < len(events):
        step = random.randint(1, most)
        cut.append(events[at : at + step])
        at += step
    return cut


def append(history: History, events: Sequence[Event], batch: int = 10**9) -> Journal:
    """Within a transaction: take events in and decide on them."""
    journal = Journal(history)
    for at in range(0, len(events), batch):
        lines = b"".join(json.dumps(event).encode() + b"\n" for event in events[at : at + batch])
        table, dead = decode_piece(lines, "a.jsonl", 1)
        assert not dead, dead[0].error
        journal.append("a.jsonl", table)
    journal.decide()
    return journal


def held(history: History) -> dict[str, Rows]:
    """All that a history concludes, in contents that do not tell how events arrived."""
    return {
        "findings": history.rows(_FINDINGS),
        "rounds": history.rows(_ROUNDS),
        "pays": history.rows(_PAYS),
    }


_FINDINGS = """
SELECT findings.* EXCLUDE (digest, event_nos), list(event_id::VARCHAR ORDER BY ordinal) AS shown
FROM findings
LEFT JOIN finding_events USING (finding_id)
LEFT JOIN events USING (event_no)
GROUP BY ALL
ORDER BY findings.table_id, findings.seq, finding_id
"""
_ROUNDS = """
SELECT rounds.* EXCLUDE (digest, opened_no), event_id
FROM rounds JOIN events ON events.event_no = opened_no
ORDER BY rounds.table_id, opened_seq
"""
_PAYS = """
SELECT * EXCLUDE (event_nos) FROM pay_rows ORDER BY table_id, opening_seq, wager, other
"""
