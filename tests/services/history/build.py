"""Events and histories for tests: a few words an event, the rest filled in."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import pyarrow as pa

from replay import vocabulary as words
from services.decode.batch import POSITION_SCHEMA, DeadLetter
from services.history.journal import Appended, Journal
from services.history.store import History

Event = dict[str, Any]


def as_kept() -> History:
    """An empty history as one that is kept, though it goes with the test: it needs no path."""
    history = History(None)
    history.temporary, history.stores_digests = False, True
    history._prepare()
    return history


def event_id(name: object) -> str:
    """The same id for the same name, always."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, str(name)))


def event(kind: words.EventKind, table: str, seq: int, name: object = None, **fields: Any) -> Event:
    """One event; its id is made of `name`, else of its place."""
    return {
        "kind": int(kind),
        "event_id": event_id((table, seq) if name is None else name),
        "table_id": table,
        "seq": seq,
        "occurred_at": 1_772_396_104_000_000 + 1_000_000 * seq,
    } | fields


def opened(table: str, seq: int, day: date = date(2026, 3, 1), **fields: Any) -> Event:
    """A `TableOpened`."""
    posted = {"game": 1, "currency": "USD", "spots": 6, "paytables": '{"ultimate_pairs":"2"}'}
    return event(words.EventKind.TABLE_OPENED, table, seq, gaming_day=day, **(posted | fields))


def round_opened(table: str, seq: int, round_id: str, **fields: Any) -> Event:
    """A `RoundOpened`."""
    return event(words.EventKind.ROUND_OPENED, table, seq, round_id=round_id, **fields)


def wager(table: str, seq: int, round_id: str, cents: int = 500, **fields: Any) -> Event:
    """A `WagerPlaced` of a player's first ante at spot 1."""
    placed = {"spot": 1, "hand": 1, "wager": 1, "bettor": 1, "amount_cents": cents}
    return event(words.EventKind.WAGER_PLACED, table, seq, round_id=round_id, **(placed | fields))


def dealt(table: str, seq: int, round_id: str, card: str = "As", **fields: Any) -> Event:
    """A `CardDealt` to spot 1."""
    code = words.CARD_CODES.get(card, words.CARD_BAD)
    laid = {"place": 1, "spot": 1, "card": card, "card_code": code, "face_up": False}
    return event(words.EventKind.CARD_DEALT, table, seq, round_id=round_id, **(laid | fields))


def corrected(table: str, seq: int, round_id: str, corrects: str, card: str = "Kd") -> Event:
    """A `CardCorrected`."""
    return event(
        words.EventKind.CARD_CORRECTED,
        table,
        seq,
        round_id=round_id,
        corrects=corrects,
        card=card,
        card_code=words.CARD_CODES[card],
        authorised_by="pit",
    )


def closed(table: str, seq: int, round_id: str) -> Event:
    """A `RoundClosed`."""
    return event(words.EventKind.ROUND_CLOSED, table, seq, round_id=round_id)


def arrow(events: Sequence[Event], first_position: int = 1) -> pa.Table:
    """Events as decoding hands them on."""
    rows = [
        {name: row.get(name) for name in POSITION_SCHEMA.names} | {"position": position}
        for position, row in enumerate(events, start=first_position)
    ]
    return pa.Table.from_pylist(rows, schema=POSITION_SCHEMA)


def append(
    history: History,
    *batches: Sequence[Event],
    source: str = "a.jsonl",
    dead: Iterable[DeadLetter] = (),
) -> Appended:
    """One transaction of these batches."""
    with history.transaction():
        journal = Journal(history)
        journal.append(source, arrow([]), dead)
        for batch in batches:
            journal.append(source, arrow(batch))
        return journal.decide()


def emptied(history: History) -> History:
    """The same history without anything in it: cheaper than a new one for each example."""
    tables = "SELECT table_name FROM duckdb_tables() WHERE NOT temporary"
    for (name,) in history.rows(f"{tables} AND table_name <> 'settings'"):
        history.run(f"DELETE FROM {name}")  # noqa: S608 (our own words)
    history._numbers = history._sources = None  # what it remembers of them
    return history


def evening(table: str, rounds: int, *, first_seq: int = 1, cards: int = 3) -> list[Event]:
    """A table's stream: opened, then rounds of a wager and some cards."""
    seq = first_seq
    events = [opened(table, seq)]
    for number in range(1, rounds + 1):
        round_id = f"{table}-{first_seq}-{number}"
        laid = [dealt(table, seq + 3 + i, round_id, words.CARD_NAMES[i]) for i in range(cards)]
        events += [
            round_opened(table, seq + 1, round_id, dealer_id=f"D-{number % 2}", shoe_id="S"),
            wager(table, seq + 2, round_id, player_id=f"P-{number}"),
            *laid,
            closed(table, seq + 3 + cards, round_id),
        ]
        seq += 3 + cards
    return events
