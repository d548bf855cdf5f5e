"""The Arrow form of events between decoding and the journal: one row an event, one schema.

`decode` fills it, `history` stores it. Enum fields hold the codes of `replay.vocabulary`. Null
means that the record has no such field or that the field is null.
"""

from typing import Final

import pyarrow as pa

EVENT_SCHEMA: Final = pa.schema(
    [
        ("kind", pa.uint8()),  # EventKind
        ("event_id", pa.string()),  # 36 characters, lower case
        ("table_id", pa.string()),
        ("seq", pa.int64()),
        ("occurred_at", pa.int64()),  # microseconds since 1970 UTC
        ("recorded_by", pa.string()),
        # rounds
        ("round_id", pa.string()),
        ("spot", pa.int32()),
        ("hand", pa.uint8()),
        ("wager", pa.uint8()),  # Wager
        ("bettor", pa.uint8()),  # Bettor
        ("amount_cents", pa.int64()),  # WagerPlaced, WagerRemoved, TrayCounted, ChipsMoved
        ("paid_cents", pa.int64()),  # WagerSettled, PayoutCorrected
        ("player_id", pa.string()),
        ("place", pa.uint8()),  # Place
        ("card", pa.string()),  # as sent, but `10h` is `Th`
        ("card_code", pa.uint8()),  # 0..51, 254 not a card; null when there is no card
        ("face_up", pa.bool_()),
        ("places", pa.list_(pa.uint8())),  # Place, in the order sent
        ("decision", pa.uint8()),  # Decision
        ("cards", pa.list_(pa.string())),  # as sent, but `10h` is `Th`
        ("kept", pa.uint32()),  # codes of the first four, first lowest, 255 none, 254 not a card
        ("kept_count", pa.int32()),
        ("kept_bad", pa.bool_()),  # any of `cards` is not a card
        ("outcome", pa.uint8()),  # Outcome
        ("reason", pa.uint8()),  # VoidReason
        ("note", pa.string()),  # also `reason` of TableClosed
        ("authorised_by", pa.string()),
        ("corrects", pa.string()),  # event id, lower case
        ("ruling", pa.string()),
        ("dealer_id", pa.string()),
        # tables and shoes
        ("shoe_id", pa.string()),
        ("decks", pa.int32()),
        ("count", pa.uint8()),  # TrayCount
        ("movement", pa.uint8()),  # Movement
        ("game", pa.uint8()),  # Game
        ("gaming_day", pa.date32()),
        ("currency", pa.string()),
        ("spots", pa.int32()),
        ("paytables", pa.string()),  # JSON object, keys sorted, no spaces
        ("minimum_cents", pa.int64()),
        ("maximum_cents", pa.int64()),
        ("house_way", pa.string()),
    ]
)
