"""The stored tables that sealed days hold, and what their columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from services.history.views import all_views

_TRANSACTION: Final = "the transaction it came in"

_ALIKE: Final = {"events": "events", "finding_changes": "findings"}
"""Stored table -> the view that says of columns of the same name what they are."""

_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "events": {
        "event_no": "number of its arrival",
        "transaction_no": _TRANSACTION,
        "standing": "false: another content of its id or place came before, and counts",
        "digest": "first 16 bytes of SHA-256 of the content, of all columns from `kind` on",
        "source_no": "where it was read, see `sources`",
        "position": "line or record from 1; offset in a topic",
        "card_code": "the card by its number: 4 for each rank above the deuce, and the suit",
        "face_up": "of a card dealt: face up",
        "places": "of a reveal: which places",
        "cards": "of a decision: the cards it names, as told",
        "kept": "the first four of these by their numbers, a byte each",
        "kept_count": "how many cards it names",
        "kept_bad": "one of them is no card",
        "count": "of a tray: `OPENING` or `CLOSING`",
        "game": "of a table opened",
        "gaming_day": "of a table opened",
        "currency": "of all amounts of a table opened",
        "spots": "of a table opened: betting positions",
        "paytables": "of a table opened: the paytables posted, as JSON",
        "minimum_cents": "of a table opened: the posted minimum of each bet",
        "maximum_cents": "of a table opened: the posted maximum of each bet",
        "house_way": "of a table opened: the posted house way, by name",
    },
    "finding_changes": {
        "change_no": "number of the change, from 1, without holes",
        "transaction_no": _TRANSACTION,
        "change": "`RAISED`, `CHANGED` or `WITHDRAWN`",
        "change_id": "what the change is known by where it is published",
        "digest": "first 16 bytes of SHA-256 of what follows",
        "event_nos": "the events that show it, by number of arrival",
    },
    "transactions": {
        "transaction_no": "number of the transaction, from 1",
        "committed_at": "when it was committed",
        "events": "events that came in it, conflicting ones too",
        "redelivered": "events that were there already",
        "conflicts": "events with another content than one that came before",
        "dead_letters": "dead letters that came in it",
        "changes": "changes of findings in it",
        "records": "records of the history's own in it",
        "findings": "current findings when it ended",
        "rounds": "rounds when it ended",
        "last_event_no": "no event that came by then has a higher number of arrival",
        "chain": "digest of all that came so far, transaction by transaction",
    },
    "records": {
        "digest": "first 16 bytes of SHA-256 of what follows",
        "record_no": "number of the record, from 1, without holes",
        "transaction_no": "the transaction it was entered in",
        "kind": "what was done, as `gap_released`",
        "table_id": "the table; null: of no one table",
        "at": "when it was done",
        "by": "who did it",
        "fields": "the rest, as JSON",
    },
    "sources": {
        "source_no": "number of the source",
        "name": "the file, or topic and partition",
    },
    "dead_letters": {
        "letter_no": "number of its arrival",
        "transaction_no": _TRANSACTION,
        "source": "the file, or topic and partition, that it came from",
        "position": "line, record or offset",
        "error": "what is wrong with it",
        "bytes": "what it is, byte for byte",
        "digest": "SHA-256 of the bytes",
        "last_position": "of a batch that is lost as a whole: its last offset",
        "sent_at": "when it was sent, by the topic",
        "key": "its key in the topic",
        "tombstone": "it had no value at all",
        "redriven_in": "the transaction in which its events came in after all",
    },
    "writer_schemas": {
        "fingerprint": "CRC-64-AVRO of the schema, 16 hexadecimal digits",
        "schema": "the Avro schema that records were written with",
        "transaction_no": "the transaction in which it was first met",
    },
    "registry_schemas": {
        "registry_id": "number of the schema in the registry",
        "schema": "the Avro schema",
        "transaction_no": "the transaction in which it was first met",
    },
}
"""Stored table -> column -> what it is, of columns that no view has."""

TABLES: Final[Mapping[str, str]] = {
    "events": "Every event as it was kept, those too that another content of it came before.",
    "finding_changes": "Every verdict that was reached: raised, changed or withdrawn.",
    "transactions": "What each transaction of the history brought, and the chain over them.",
    "records": "What people, or the service, did to the history itself.",
    "sources": "Where events were read.",
    "dead_letters": "Every record that is no event of the contract, with its bytes.",
    "writer_schemas": "Avro schemas that records were written with.",
    "registry_schemas": "Avro schemas that a registry gave.",
}
"""Stored table -> what a row of it is."""


def meanings(table: str) -> Mapping[str, str]:
    """What the columns of a stored table are, by name."""
    alike = _ALIKE.get(table)
    said = {c.name: c.said for view in all_views() if view.name == alike for c in view.columns}
    return {**said, **_OWN[table]}
