"""Array helpers do what their plain counterparts do."""

import numpy as np
import pytest

from replay.arrays import distinct


@pytest.mark.parametrize("values", [[], [7], [3, 1, 3, 2, 1], [5, 5, 5]])
def test_distinct_values_ascend(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
