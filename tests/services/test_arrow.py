"""Arrow arrays looked at by their buffers."""

import pyarrow as pa
import pytest

from services.arrow import first_row_with

TEXTS = pa.array(["zz", "a-1", None, "", "b-12", "b-1", "b-1", "c"], pa.string())


@pytest.mark.parametrize(
    ("sought", "row"),
    [("zz", 0), ("a-1", 1), ("b-12", 4), ("b-1", 4), ("c", 7), ("1b", 1), ("x", -1)],
)
def test_first_row_with(sought: str, row: int) -> None:
    assert first_row_with(TEXTS, sought) == row


def test_first_row_with_of_a_slice() -> None:
    assert first_row_with(TEXTS.slice(5), "b-1") == 0
    assert first_row_with(TEXTS.slice(5), "zz") == -1
    assert first_row_with(TEXTS.slice(2, 2), "b") == -1
    assert first_row_with(TEXTS.slice(0, 0), "zz") == -1
