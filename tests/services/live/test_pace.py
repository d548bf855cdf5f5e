"""Transactions get shorter while they are refused, and as long again once they go well."""

from services.live.pace import POLL_RECORDS_MAX, POLL_RECORDS_MIN, Pace


def test_a_refused_transaction_is_tried_in_parts() -> None:
    pace = Pace()
    pace.refused(2_000)
    assert pace.records_max == 500
    pace.refused(500)
    assert pace.records_max == 125
    pace.refused(125)
    assert pace.records_max == POLL_RECORDS_MIN


def test_one_that_was_short_already_does_not_make_it_longer() -> None:
    pace = Pace()
    pace.refused(400)
    pace.refused(10_000)
    assert pace.records_max == POLL_RECORDS_MIN


def test_it_finds_back() -> None:
    pace = Pace()
    pace.refused(2_000)
    pace.committed()
    assert pace.records_max == 1_000
    for _ in range(20):
        pace.committed()
    assert pace.records_max == POLL_RECORDS_MAX
