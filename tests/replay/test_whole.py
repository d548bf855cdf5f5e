"""Only rounds whose table dealt their cards in that order twice are looked at one by one."""

import numpy as np

from replay.whole import _met_twice


def test_an_order_is_met_again_at_its_own_table_only() -> None:
    table = np.array([0, 1, 0, 1, 0], np.int32)
    digest = np.array([[1, 2], [1, 2], [1, 2], [2, 1], [1, 3]], np.uint64)
    assert _met_twice(table, digest).tolist() == [True, False, True, False, False]


def test_nothing_is_met_again_among_none() -> None:
    assert not len(_met_twice(np.zeros(0, np.int32), np.zeros((0, 2), np.uint64)))
