"""JSON lines to columns. A good piece of a file is decoded whole, a bad one line by line.

The quick way rests on three facts that are cheap to see in the bytes: every newline stands between
`}` and `{`, so no event shares a line and none spans two; and the number of keys written is the
number of keys decoded, so no object has a key twice (msgspec would take the last without a word).
"""

from __future__ import annotations

import json
from functools import cache
from operator import attrgetter
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import UNSET

from services.decode import columns
from services.decode.batch import DeadLetter
from services.decode.columns import Grouped
from services.decode.explain import refused
from services.decode.records import RecordSpec, json_decoder, specs, specs_by_type

LINE_BYTES_MAX: Final = 1 << 20
"""An event is some 300 bytes. What is a thousand times longer is none, and is not kept in memory.
"""
HEAD_BYTES: Final = 4096
"""What a dead letter keeps of a line that is too long."""
_BLANK: Final = b" \t\r"
_NEWLINE, _COLON, _QUOTE, _OPEN, _CLOSE, _SPACE = b'\n:"{} '


class _TypeOnly(msgspec.Struct):
    """To see which record a bad line wanted to be."""

    type: str = ""


def decode_piece(piece: bytes, source: str, first_line: int) -> tuple[pa.Table, list[DeadLetter]]:
    """Whole lines, the last with or without its newline -> their events and dead letters.

    `first_line` is the number of the piece's first line. Errors: none; all become dead letters.
    """
    quick = _decode_whole(piece)
    if quick is not None:
        positions = np.arange(first_line, first_line + len(quick.rows), dtype=np.int64)
        table, wrong = columns.build(quick, positions)
        lines = piece.split(b"\n") if wrong else []
        return table, [
            DeadLetter(source, first_line + row, error, lines[row])
            for row, error in sorted(wrong.items())
        ]
    return _decode_each(piece, source, first_line)


def too_long(source: str, line: int, length: int, head: bytes) -> DeadLetter:
    """The dead letter of a line over `LINE_BYTES_MAX`, of which `head` is the beginning."""
    error = f"the line is {length} bytes long; allowed: {LINE_BYTES_MAX}. Its beginning is kept"
    return DeadLetter(source, line, error, head[:HEAD_BYTES])


def _decode_whole(piece: bytes) -> Grouped | None:
    """All lines at once, or None if anything in the piece needs a closer look."""
    octets = np.frombuffer(piece, dtype=np.uint8)
    if not len(octets) or octets[0] != _OPEN:
        return None
    newlines = np.flatnonzero(octets == _NEWLINE)
    if len(newlines) and newlines[-1] == len(octets) - 1:
        newlines = newlines[:-1]
    between = (octets[newlines - 1] == _CLOSE) & (octets[newlines + 1] == _OPEN)
    edges = np.concatenate([[-1], newlines, [len(octets)]])
    if not between.all() or int(np.diff(edges).max()) > LINE_BYTES_MAX:
        return None
    try:
        rows = json_decoder().decode_lines(piece)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if len(rows) != len(newlines) + 1:
        return None
    grouped = Grouped(rows)
    return grouped if _keys_once(octets, grouped) else None


def _keys_once(octets: npt.NDArray[np.uint8], grouped: Grouped) -> bool:
    """Whether no key was written twice. False also where the bytes alone do not tell.

    A key is a quote and a colon. An escaped quote before a colon within a text looks like one key
    too many, white space before the colon like one too few: only the first can be told by counting.
    """
    before = octets[np.flatnonzero(octets == _COLON) - 1]
    if (before <= _SPACE).any():
        return False
    written = int(np.count_nonzero(before == _QUOTE))
    left_out = grouped.keys_left_out()
    grouped.complete = not left_out
    return written == grouped.keys_if_complete() - left_out


def _decode_each(piece: bytes, source: str, first_line: int) -> tuple[pa.Table, list[DeadLetter]]:
    """Line by line: blank lines passed over, bad ones put aside."""
    rows: list[Any] = []
    numbers: list[int] = []
    lines = piece.split(b"\n")
    dead: list[DeadLetter] = []
    decode = json_decoder().decode
    for number, line in enumerate(lines):
        if not line.strip(_BLANK):
            continue
        if len(line) > LINE_BYTES_MAX:
            dead.append(too_long(source, first_line + number, len(line), line))
            continue
        try:
            row = decode(line)
            _check_keys(line, row)
        except (ValueError, RecursionError) as error:
            dead.append(DeadLetter(source, first_line + number, explain_line(line, error), line))
            continue
        rows.append(row)
        numbers.append(number)
    if not rows:
        return columns.empty_table(), dead
    positions = np.array(numbers, dtype=np.int64) + first_line
    table, wrong = columns.build(Grouped(rows), positions)
    dead += [
        DeadLetter(source, first_line + numbers[row], error, lines[numbers[row]])
        for row, error in wrong.items()
    ]
    return table, sorted(dead, key=attrgetter("position"))


def explain_line(line: bytes, error: Exception) -> str:
    """What is wrong with a line that `error` was raised for."""
    if isinstance(error, _RepeatedKeyError):
        return f"the key {str(error)[:60]!r} is there twice; allowed: once"
    if isinstance(error, RecursionError):
        return "no event: nested too deeply; allowed: one JSON object with a type and its fields"
    if not isinstance(error, msgspec.ValidationError):
        return f"not JSON: {error}; allowed: one complete JSON object a line, in UTF-8"
    spec: RecordSpec | None = None
    try:
        spec = specs().get(msgspec.json.decode(line, type=_TypeOnly).type)
    except (ValueError, RecursionError):
        # msgspec stops at the first thing that does not fit: what follows may not even be JSON.
        pass
    return refused(spec, str(error))


class _RepeatedKeyError(ValueError):
    """A JSON object has a key twice; the message is the key."""


def _check_keys(line: bytes, row: msgspec.Struct) -> None:
    """Raise `_RepeatedKeyError` if an object in the line has a key twice."""
    spec = specs_by_type()[type(row)]
    expected = 1 + len(spec.fields) - sum(get(row) is UNSET for get in _optional(spec.name))
    expected += sum(len(get(row)) for get in _maps(spec.name))
    spaced = b" :" in line or b"\t:" in line or b"\r:" in line
    if spaced or line.count(b'":') != expected:
        json.loads(line, object_pairs_hook=_refuse_repeated)


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless a key is there twice."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _RepeatedKeyError(key)
        made[key] = value
    return made


@cache
def _optional(name: str) -> tuple[Any, ...]:
    """Getters of the fields of a record that may be left out."""
    return tuple(attrgetter(f.name) for f in specs()[name].fields.values() if not f.required)


@cache
def _maps(name: str) -> tuple[Any, ...]:
    """Getters of the fields of a record that are objects themselves."""
    return tuple(attrgetter(f.name) for f in specs()[name].fields.values() if f.form == "map")
