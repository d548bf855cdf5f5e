"""Times as text to microseconds since 1970 UTC: whole columns at once, odd ones one by one.

What is accepted does not depend on the neighbours in the column: the slow way takes everything that
the fast way takes, and gives the same number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from replay.arrays import among
from services.arrow import octets_of, offsets_of
from services.decode.records import MICROS_MAX, MICROS_MIN

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_SECONDS_LENGTH: Final = len("2026-03-01T20:15:04")
_OFFSET_LENGTH: Final = len("+01:00")
_DECIMALS_MAX: Final = 6
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
    micros = np.zeros(len(texts), dtype=np.int64)
    left_over = np.ones(len(texts), dtype=np.bool_)
    starts, octets = offsets_of(texts), octets_of(texts)
    lengths = np.diff(starts)
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        rows = np.flatnonzero(lengths == length)
        if length < _SECONDS_LENGTH:
            continue
        if len(rows) == len(texts):
            letters = octets.reshape(-1, length)
        else:
            letters = octets[starts[rows][:, None] + np.arange(length)]
        for chosen, decimals, zulu in _usual_forms(letters):
            of_form = letters if chosen.all() else letters[chosen]
            found, good = _parsed(of_form, decimals, zulu=zulu)
            of_rows = rows[chosen][good]
            micros[of_rows] = found[good]
            left_over[of_rows] = False
    wrong: dict[int, str] = {}
    for row in np.flatnonzero(left_over).tolist():
        try:
            micros[row] = micros_of(texts[row].as_py())
        except ValueError as error:
            wrong[row] = str(error)
    return micros, wrong


def _usual_forms(
    letters: npt.NDArray[np.uint8],
) -> Iterator[tuple[npt.NDArray[np.bool_], int, bool]]:
    """Which of (N, L) texts may have a usual form: its decimals, and whether `Z` ends it."""
    length = letters.shape[1]
    for zulu in (True, False):
        decimals = length - _SECONDS_LENGTH - (1 if zulu else _OFFSET_LENGTH)
        decimals -= decimals > 0  # the point
        if 0 <= decimals <= _DECIMALS_MAX:
            yield (letters[:, -1] == ord("Z")) == zulu, decimals, zulu


def _parsed(
    letters: npt.NDArray[np.uint8], decimals: int, *, zulu: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """(N, L) texts of one form -> (N,) microseconds, and whether the text is such a time."""
    places = np.ascontiguousarray(letters.T)
    digits = places - ord("0")  # what is no digit comes out above 9
    year, month, day = _number(digits, 0, 4), _number(digits, 5, 2), _number(digits, 8, 2)
    hour, minute, second = (_number(digits, at, 2) for at in (11, 14, 17))
    digit_at = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
    signs = [(4, "-"), (7, "-"), (10, "T "), (13, ":"), (16, ":")]
    good = (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)
    good &= (hour <= 23) & (minute <= 59) & (second <= 59)
    if decimals:
        point = _SECONDS_LENGTH
        signs.append((point, "."))
        digit_at += range(point + 1, point + 1 + decimals)
    if not zulu:
        offset = len(places) - _OFFSET_LENGTH
        hours, minutes = _number(digits, offset + 1, 2), _number(digits, offset + 4, 2)
        signs += [(offset, "+-"), (offset + 3, ":")]
        digit_at += [offset + place for place in (1, 2, 4, 5)]
        good &= (hours <= 23) & (minutes <= 59)
        west = places[offset] == ord("-")
        minute += np.where(west, 1, -1) * (hours * 60 + minutes)
    for place in digit_at:
        good &= digits[place] <= 9
    for place, allowed in signs:
        good &= among(places[place], allowed.encode())
    months = np.where(good, (year - 1970) * 12 + month - 1, 0)
    first_day, next_month = _first_day(months), _first_day(months + 1)
    good &= day <= next_month - first_day
    micros = (((first_day + day - 1) * 24 + hour) * 60 + minute) * 60 + second
    micros *= 1_000_000
    if decimals:
        fraction = _number(digits, _SECONDS_LENGTH + 1, decimals)
        micros += fraction * 10 ** (_DECIMALS_MAX - decimals)
    good &= (micros >= MICROS_MIN) & (micros <= MICROS_MAX)
    return micros, good


def _number(digits: npt.NDArray[np.uint8], at: int, length: int) -> npt.NDArray[np.int64]:
    """The number that stands at (at : at + length, N)."""
    number: npt.NDArray[np.int64] = digits[at].astype(np.int64)
    for place in range(at + 1, at + length):
        number *= 10
        number += digits[place]
    return number


def _first_day(months: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Months since January 1970 -> their first days, in days since then."""
    days: npt.NDArray[np.int64] = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
    return days
