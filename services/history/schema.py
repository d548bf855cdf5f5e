"""The columns of events, findings and rounds, and how a decoded event becomes a row.

Enum fields are stored as words, in the order of `replay.vocabulary`, so that people read
`WIN` where the engine reads 1: a word's place in its type is its code.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

from replay import vocabulary as words

SCHEMA_VERSION: Final = 4


class Field(NamedTuple):
    """One column: its name, its type, and how it is spelled for the digest."""

    name: str
    type: str
    spelled: str
    """`number`: no comma within. `text`: anything, so its length goes before it."""


ENUMS: Final[dict[str, type[IntEnum]]] = {
    "kind": words.EventKind,
    "wager": words.Wager,
    "bettor": words.Bettor,
    "place": words.Place,
    "decision": words.Decision,
    "outcome": words.Outcome,
    "reason": words.VoidReason,
    "count": words.TrayCount,
    "movement": words.Movement,
    "game": words.Game,
}
"""Field of an event -> its words; the type in the database is named `<field>_word`."""

FIELDS: Final = (
    Field("kind", "kind_word", "number"),
    Field("event_id", "UUID", "number"),
    Field("table_id", "VARCHAR", "text"),
    Field("seq", "BIGINT", "number"),
    Field("occurred_at", "TIMESTAMPTZ", "micros"),
    Field("recorded_by", "VARCHAR", "text"),
    Field("round_id", "VARCHAR", "text"),
    Field("spot", "INTEGER", "number"),
    Field("hand", "UTINYINT", "number"),
    Field("wager", "wager_word", "number"),
    Field("bettor", "bettor_word", "number"),
    Field("amount_cents", "BIGINT", "number"),
    Field("paid_cents", "BIGINT", "number"),
    Field("player_id", "VARCHAR", "text"),
    Field("place", "place_word", "number"),
    Field("card", "VARCHAR", "text"),
    Field("card_code", "UTINYINT", "number"),
    Field("face_up", "BOOLEAN", "number"),
    Field("places", "place_word[]", "words"),
    Field("decision", "decision_word", "number"),
    Field("cards", "VARCHAR[]", "texts"),
    Field("kept", "UINTEGER", "number"),
    Field("kept_count", "INTEGER", "number"),
    Field("kept_bad", "BOOLEAN", "number"),
    Field("outcome", "outcome_word", "number"),
    Field("reason", "reason_word", "number"),
    Field("note", "VARCHAR", "text"),
    Field("authorised_by", "VARCHAR", "text"),
    Field("corrects", "UUID", "number"),
    Field("ruling", "VARCHAR", "text"),
    Field("dealer_id", "VARCHAR", "text"),
    Field("shoe_id", "VARCHAR", "text"),
    Field("decks", "INTEGER", "number"),
    Field("count", "count_word", "number"),
    Field("movement", "movement_word", "number"),
    Field("game", "game_word", "number"),
    Field("gaming_day", "DATE", "number"),
    Field("currency", "VARCHAR", "text"),
    Field("spots", "INTEGER", "number"),
    Field("paytables", "VARCHAR", "text"),
    Field("minimum_cents", "BIGINT", "number"),
    Field("maximum_cents", "BIGINT", "number"),
    Field("house_way", "VARCHAR", "text"),
)
"""The content of an event, in the order of `services.event_table.EVENT_SCHEMA`."""


def word_of(member: IntEnum) -> str:
    """The word that stands for a code: `WIN`; of a kind, the record's name, `WagerSettled`."""
    if isinstance(member, words.EventKind) and member is not words.EventKind.UNKNOWN:
        return "".join(part.capitalize() for part in member.name.split("_"))
    return member.name


def typed(field: Field) -> str:
    """SQL that turns a column of EVENT_SCHEMA into the stored column."""
    name = f'"{field.name}"'
    if field.name in ENUMS:
        return f"enum_range(NULL::{field.type})[{name} + 1]"
    if field.name == "places":
        return f"list_transform({name}, lambda code: enum_range(NULL::place_word)[code + 1])"
    if field.name == "occurred_at":
        return f"make_timestamptz({name})"
    return f"{name}::UUID" if field.type == "UUID" else name


def _spelled(field: Field) -> str:
    name = f'"{field.name}"'
    return {
        "number": f"{name}, ','",
        "micros": f"epoch_us({name}), ','",
        "words": f"{name}::VARCHAR, ','",
        "text": f"length({name}), ':', {name}",
        "texts": f"to_json({name}), ','",
    }[field.spelled]


def spelled(fields: Iterable[Field]) -> str:
    """SQL for a text that differs wherever one of the fields does (of a null stands the comma)."""
    return f"concat({', '.join(map(_spelled, fields))})"


def _digest(fields: Iterable[Field]) -> str:
    """SQL for the first 16 bytes of SHA-256 of the fields."""
    return f"left(sha256({spelled(fields)}), 32)::UUID"


DIGEST: Final = _digest(FIELDS)
"""Digest of an event's content, over the stored columns."""


def digest_of_event(*, stored: bool) -> str:
    """SQL for it: a column, or what that would hold."""
    return "digest" if stored else DIGEST


PRINTED_FINDING: Final = (
    Field("finding_id", "UUID", "number"),
    Field("code", "finding_code", "number"),
    Field("severity", "finding_severity", "number"),
    Field("table_id", "VARCHAR", "text"),
    Field("round_id", "VARCHAR", "text"),
    Field("spot", "INTEGER", "number"),
    Field("hand", "INTEGER", "number"),
    Field("wager", "VARCHAR", "text"),
    Field("bettor", "VARCHAR", "text"),
    Field("expected_cents", "BIGINT", "number"),
    Field("actual_cents", "BIGINT", "number"),
    Field("expected_low_cents", "BIGINT", "number"),
    Field("expected_high_cents", "BIGINT", "number"),
    Field("first_missing_seq", "BIGINT", "number"),
    Field("last_missing_seq", "BIGINT", "number"),
    Field("clause", "VARCHAR", "text"),
    Field("readings", "VARCHAR[]", "texts"),
)
"""What is printed of a finding but `message`, the events (a table of their own) and the delta."""

FINDING_DIGEST: Final = _digest(
    (
        *PRINTED_FINDING,
        Field("seq", "BIGINT", "number"),
        Field("message", "VARCHAR", "text"),
        Field("game", "game_word", "number"),
        Field("gaming_day", "DATE", "number"),
        Field("dealer_id", "VARCHAR", "text"),
        Field("event_nos", "BIGINT[]", "texts"),
    )
)
"""Digest of everything in a row of `findings`."""

ROUND_DIGEST: Final = _digest(
    (
        Field("table_id", "VARCHAR", "text"),
        Field("round_id", "VARCHAR", "text"),
        Field("opened_seq", "BIGINT", "number"),
        Field("ended_seq", "BIGINT", "number"),
        Field("opened_at", "TIMESTAMPTZ", "micros"),
        Field("ended_at", "TIMESTAMPTZ", "micros"),
        Field("game", "game_word", "number"),
        Field("gaming_day", "DATE", "number"),
        Field("dealer_id", "VARCHAR", "text"),
        Field("status", "round_status", "number"),
        Field("wagers", "INTEGER", "number"),
        Field("staked_cents", "HUGEINT", "number"),
        Field("net_expected_cents", "HUGEINT", "number"),
        Field("net_actual_cents", "HUGEINT", "number"),
        Field("opened_no", "BIGINT", "number"),
        Field("deck_high", "UBIGINT", "number"),
        Field("deck_low", "UBIGINT", "number"),
    )
)
"""Digest of everything in a row of `rounds`."""

RECORD_DIGEST: Final = _digest(
    (
        Field("record_no", "BIGINT", "number"),
        Field("transaction_no", "INTEGER", "number"),
        Field("kind", "VARCHAR", "text"),
        Field("table_id", "VARCHAR", "text"),
        Field("at", "TIMESTAMPTZ", "micros"),
        Field("by", "VARCHAR", "text"),
        Field("fields", "VARCHAR", "text"),
    )
)
"""Digest of everything in a row of `records`."""

CHANGE_ID: Final = (
    "left(sha256(concat_ws(',', (SELECT value FROM settings WHERE name = 'history_id'), "
    "transaction_no, change_no, change, digest)), 32)::UUID"
)
"""What a change of a finding is known by: never the same for two, and of one always the same."""

TYPED_COLUMNS: Final = ", ".join(f'{typed(field)} AS "{field.name}"' for field in FIELDS)
FIELD_NAMES: Final = ", ".join(f'"{field.name}"' for field in FIELDS)

EVENT_COLUMN_TYPES: Final = ",\n    ".join(f'"{field.name}" {field.type}' for field in FIELDS)
"""The columns of an event's content, as declared."""
