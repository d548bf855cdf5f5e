"""UUIDs as text, checked and brought to lower case, whole columns at once."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.arrow import octets_of, offsets_of, texts_of

_LENGTH: Final = 36
_HYPHENS: Final = (8, 13, 18, 23)

_LOWER: Final = bytes(
    octet if chr(octet) in "0123456789abcdef" else octet + 32 if chr(octet) in "ABCDEF" else 0
    for octet in range(256)
)
"""Each hexadecimal digit in lower case; 0 for all other bytes."""


def uuids_of_column(texts: pa.StringArray) -> tuple[pa.StringArray, list[int]]:
    """N texts -> N UUIDs in lower case, and the rows that hold none (what is there then is any)."""
    starts, octets = offsets_of(texts), octets_of(texts)
    whole = np.diff(starts) == _LENGTH
    letters: npt.NDArray[np.uint8]
    if whole.all():
        letters = octets.reshape(-1, _LENGTH)
    else:
        letters = np.zeros((len(texts), _LENGTH), dtype=np.uint8)
        letters[whole] = octets[starts[:-1][whole][:, None] + np.arange(_LENGTH)]
    lower = np.frombuffer(bytearray(letters).translate(_LOWER), np.uint8).reshape(-1, _LENGTH)
    for place in _HYPHENS:
        lower[:, place] = np.where(letters[:, place] == ord("-"), ord("-"), 0)
    odd: list[int] = []
    if not lower.all():
        odd = np.flatnonzero(~lower.all(axis=1)).tolist()
    return texts_of(lower), odd
