"""Stored events as the objects of JSON lines again: the fields of the contract, defaults filled in.

A default that was left out and one that was given are one content, so both come out the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from services.decode.records import FieldSpec, specs
from services.history.schema import FIELDS
from services.history.store import History
from services.times import moment_of, utc_text

_NOT_SAID: Final = frozenset({"kind", "card_code", "kept", "kept_count", "kept_bad"})

_COLUMNS: Final = {field.name: f'"{field.name}"' for field in FIELDS if field.name not in _NOT_SAID}
_COLUMNS.update(
    {name: f"{name}::VARCHAR" for name in ("event_id", "corrects", "gaming_day")},
    occurred_at="epoch_us(occurred_at)",
)

_SELECT: Final = f"SELECT kind::VARCHAR, {', '.join(_COLUMNS.values())} FROM events"  # noqa: S608

_OF_ROUND: Final = f"{_SELECT} WHERE table_id = ? AND round_id = ? ORDER BY seq, event_no"
_OPENING: Final = f"""
{_SELECT} WHERE table_id = ? AND kind = 'TableOpened' AND standing AND seq <= ?
ORDER BY seq DESC LIMIT 1
"""


def round_events(history: History, table_id: str, round_id: str) -> list[dict[str, Any]]:
    """The events of a round by (`seq`, arrival); both contents of a conflict are among them."""
    return [_object(row) for row in history.rows(_OF_ROUND, [table_id, round_id])]


def opening_before(history: History, table_id: str, seq: int) -> dict[str, Any] | None:
    """The table's `TableOpened` in force at a `seq`."""
    rows = history.rows(_OPENING, [table_id, seq])
    return _object(rows[0]) if rows else None


def _object(row: Sequence[Any]) -> dict[str, Any]:
    kind, *values = row
    stored = dict(zip(_COLUMNS, values, strict=True))
    if kind == "TableClosed":
        stored["reason"] = stored["note"]
    said: dict[str, Any] = {"type": kind}
    for spec in specs()[kind].fields.values():
        said[spec.name] = _said(spec, stored[spec.name])
    return said


def _said(spec: FieldSpec, value: Any) -> Any:
    if value is None:
        return spec.default
    if spec.form == "time":
        return utc_text(moment_of(value))
    return json.loads(value) if spec.form == "map" else value
