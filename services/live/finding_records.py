"""Findings as records of the topic `audit-findings`: single-object encoding of `AuditFinding`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, Final

import fastavro

from services import schemas

NAME: Final = "AuditFinding"
_MARKER: Final = b"\xc3\x01"
_HEADER_BYTES: Final = 10


class Change(StrEnum):
    """What became of a finding."""

    RAISED = "RAISED"
    CHANGED = "CHANGED"
    WITHDRAWN = "WITHDRAWN"


FIELDS: Final = tuple(field["name"] for field in schemas.record_schema(NAME)["fields"])
CONTENT: Final = tuple(name for name in FIELDS if name not in {"change", "change_id"})
"""What a finding says; the rest is about its publication."""


class NoFindingError(ValueError):
    """Bytes that are no finding of ours."""


def encoded(values: Mapping[str, Any]) -> bytes:
    """A record by its fields, all of them."""
    assert set(values) == set(FIELDS), set(values) ^ set(FIELDS)
    payload = io.BytesIO()
    fastavro.schemaless_writer(payload, _parsed(schemas.PUBLISHED[NAME][-1]), dict(values))
    return _MARKER + schemas.fingerprint(NAME) + payload.getvalue()


def decoded(data: bytes) -> dict[str, Any]:
    """The fields of a record, of any version ever published.

    Raises:
        NoFindingError: it is none.
    """
    version = _versions().get(data[2:_HEADER_BYTES]) if data[:2] == _MARKER else None
    if version is None:
        raise NoFindingError("not an AuditFinding in single-object encoding")
    payload = io.BytesIO(data[_HEADER_BYTES:])
    try:
        record: Any = fastavro.schemaless_reader(payload, _parsed(version), None)
    except Exception as error:  # whatever it is that fastavro stumbles over
        raise NoFindingError(f"damaged: {error}") from error
    return dict(record)


@cache
def _versions() -> dict[bytes, int]:
    return {schemas.fingerprint(NAME, version): version for version in schemas.PUBLISHED[NAME]}


@cache
def _parsed(version: int) -> Any:
    return fastavro.parse_schema(schemas.record_schema(NAME, version))
