"""NumPy arrays as Arrow ones and back, by their buffers.

Arrow's own conversions import `numpy.ma`, its selections all of `pyarrow.compute` with the
documentation of every function: together longer than a file of a hundred events takes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

FEW_TEXTS: Final = 4096
"""Texts that are numbered sooner than `pyarrow.compute` is imported."""


def array_of(values: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """N numbers or booleans as Arrow, without a copy of numbers; null where not `valid`."""
    return _assembled(pa.from_numpy_dtype(values.dtype), values, valid)


def spread(dense: pa.Array, rows: npt.NDArray[np.int64], size: int) -> pa.Array:
    """The values at `rows` (ascending) of `size`, in their order; null in all other rows.

    `dense` is as it was built, not a slice: numbers, booleans, text, or lists of these.
    """
    assert dense.offset == 0
    assert len(dense) == len(rows)
    type_ = dense.type
    valid = np.zeros(size, dtype=np.bool_)
    valid[rows] = valid_of(dense)
    if pa.types.is_boolean(type_) or pa.types.is_primitive(type_):
        values = np.zeros(size, dtype=_dtype_of(type_))
        values[rows] = numbers_of(dense)
        return _assembled(type_, values, valid)
    counts = np.zeros(size + 1, dtype=np.int32)
    counts[1:][rows] = np.diff(offsets_of(dense))
    offsets = pa.py_buffer(np.cumsum(counts, dtype=np.int32))
    if pa.types.is_list(type_):
        return pa.ListArray.from_buffers(
            type_, size, [_bits(valid), offsets], children=[dense.values]
        )
    return pa.Array.from_buffers(type_, size, [_bits(valid), offsets, dense.buffers()[2]])


def numbers_of(array: pa.Array) -> npt.NDArray[Any]:
    """The values of numbers, dates or booleans: (N,). Where one is null, anything."""
    assert array.offset == 0
    buffer = array.buffers()[1]
    if pa.types.is_boolean(array.type):
        return _unpacked(buffer, len(array))
    return np.frombuffer(buffer, dtype=_dtype_of(array.type), count=len(array))


def valid_of(array: pa.Array) -> npt.NDArray[np.bool_]:
    """Which values are not null: (N,)."""
    assert array.offset == 0
    buffer = array.buffers()[0]
    return np.ones(len(array), dtype=np.bool_) if buffer is None else _unpacked(buffer, len(array))


def offsets_of(array: pa.Array) -> npt.NDArray[np.int32]:
    """Where each text or list begins, and where the last ends: (N + 1,)."""
    assert array.offset == 0
    if not len(array):
        return np.zeros(1, dtype=np.int32)
    return np.frombuffer(array.buffers()[1], dtype=np.int32, count=len(array) + 1)


def octets_of(texts: pa.StringArray) -> npt.NDArray[np.uint8]:
    """The bytes of all texts, one after the other."""
    buffer = texts.buffers()[2]
    return np.frombuffer(buffer or b"", dtype=np.uint8)[: offsets_of(texts)[-1]]


def texts_of(octets: npt.NDArray[np.uint8]) -> pa.StringArray:
    """(N, L) bytes of ASCII -> N texts of L characters, without a copy."""
    count, length = octets.shape
    offsets = np.arange(0, (count + 1) * length, length, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(octets))]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def first_row_with(texts: pa.StringArray, sought: str) -> int:
    """The first row in which the text may be, in whole or in part or across its end; -1: nowhere.

    No row before it holds the text.
    """
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int32)
    offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
    first, end = int(offsets[0]), int(offsets[-1])
    at = (texts.buffers()[2] or pa.py_buffer(b""))[first:end].to_pybytes().find(sought.encode())
    return int(np.searchsorted(offsets, first + at, "right")) - 1 if at >= 0 else -1


def numbered(texts: pa.StringArray) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Texts as numbers in the order of their first appearance, -1 for null: (N,); and the texts."""
    if len(texts) > FEW_TEXTS:
        coded = texts.dictionary_encode()
        numbers = numbers_of(coded.indices)
        if coded.null_count:
            numbers = np.where(valid_of(coded.indices), numbers, np.int32(-1))
        return numbers, coded.dictionary.to_pylist()
    known: dict[str, int] = {}
    few = [-1 if text is None else known.setdefault(text, len(known)) for text in texts.to_pylist()]
    return np.array(few, dtype=np.int32), list(known)


def _assembled(
    type_: pa.DataType, values: npt.NDArray[Any], valid: npt.NDArray[np.bool_] | None
) -> pa.Array:
    if values.dtype == np.bool_:
        data = _bits(values)
    else:
        data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(
        type_, len(values), [None if valid is None else _bits(valid), data]
    )


def _unpacked(buffer: pa.Buffer, count: int) -> npt.NDArray[np.bool_]:
    octets = np.frombuffer(buffer, dtype=np.uint8)
    return np.unpackbits(octets, count=count, bitorder="little").view(np.bool_)


def _bits(flags: npt.NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _dtype_of(type_: pa.DataType) -> np.dtype[Any]:
    if pa.types.is_date32(type_):
        return np.dtype(np.int32)
    dtype: np.dtype[Any] = np.dtype(type_.to_pandas_dtype())
    return dtype
