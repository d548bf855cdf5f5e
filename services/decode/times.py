"""Times as text to microseconds since 1970 UTC: whole columns at once, odd ones one by one.

What is accepted does not depend on the neighbours in the column: the slow way takes everything that
the fast way takes, and gives the same number.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from services.decode.records import MICROS_MAX, MICROS_MIN

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_USUAL: Final = r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$"
_USUAL_LENGTH: Final = len("2026-03-01T20:15:04.120000Z")
_ISO_8601: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?"
    r"(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)",
    re.ASCII,
)


def micros_of(text: str) -> int:
    """One time in microseconds; raises `ValueError` with what is wrong.

    >>> micros_of("2026-03-01T21:15:04.12+01:00") == micros_of("2026-03-01T20:15:04.120000Z")
    True
    """
    found = _ISO_8601.fullmatch(text)
    if not found:
        raise ValueError(f"{text[:60]!r} is no ISO-8601 time with an offset")
    year, month, day, hour, minute, second, decimals, zulu, sign, hours, minutes = found.groups()
    if decimals and decimals[6:].strip("0"):
        raise ValueError(f"{text[:60]!r} has more than 6 decimals")
    offset = timedelta() if zulu else timedelta(hours=int(hours), minutes=int(minutes or 0))
    if not zulu and (int(minutes or 0) > 59 or int(hours) > 23):
        raise ValueError(f"{text[:60]!r} has no possible offset")
    try:
        moment = datetime(
            int(year),
            int(month),
            int(day),
            int(hour),
            int(minute or 0),
            int(second or 0),
            int((decimals or "")[:6].ljust(6, "0")),
            tzinfo=timezone(-offset if sign == "-" else offset),
        )
    except ValueError as error:
        raise ValueError(f"{text[:60]!r} is no time: {error}") from error
    micros = (moment - _EPOCH) // _MICROSECOND
    if not MICROS_MIN <= micros <= MICROS_MAX:
        raise ValueError(f"{text[:60]!r} lies outside the years 1 to 9999 in UTC")
    return micros


def micros_of_column(
    texts: pa.StringArray,
) -> tuple[npt.NDArray[np.int64], dict[int, str]]:
    """N times -> (N,) microseconds, and row -> what is wrong, its microseconds 0."""
    usual = _usual_rows(texts)
    micros = np.zeros(len(texts), dtype=np.int64)
    left_over = np.flatnonzero(~usual)
    try:
        chosen = texts if not len(left_over) else texts.filter(pa.array(usual))
        parsed = chosen.cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        micros[usual] = parsed.to_numpy()
    except pa.ArrowInvalid:  # one of them is no time, and Arrow does not say which
        left_over = np.arange(len(texts))
    else:
        outside = usual & ((micros < MICROS_MIN) | (micros > MICROS_MAX))
        left_over = np.concatenate([left_over, np.flatnonzero(outside)])
    wrong: dict[int, str] = {}
    for row in left_over.tolist():
        try:
            micros[row] = micros_of(texts[row].as_py())
        except ValueError as error:
            micros[row] = 0
            wrong[row] = str(error)
    return micros, wrong


def _usual_rows(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Which rows have one of the usual forms, so that Arrow may parse them: (N,)."""
    lengths = pc.binary_length(texts)
    if len(texts) and pc.all(pc.equal(lengths, _USUAL_LENGTH)).as_py():
        return np.ones(len(texts), dtype=np.bool_)  # nothing of that length that Arrow reads is odd
    usual: npt.NDArray[np.bool_] = pc.match_substring_regex(texts, _USUAL).to_numpy(
        zero_copy_only=False
    )
    return usual
