"""Event numbers may be any of 64 bits: the engine only goes by their order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from replay.findings import Finding
from services.audit import audit
from tests.property import weird_dakota_duel_draw, weird_run_em_twice, weird_texas_shootout
from tests.property.compare import FIELDS, write_lines
from tests.replay.streams import Event, judge
from tests.replay.tape import Tape

SEQ_MAX = 2**63 - 1
STREAMS = (weird_run_em_twice.stream, weird_dakota_duel_draw.stream, weird_texas_shootout.stream)


def what(finding: Finding) -> tuple[object, ...]:
    return (finding.code, *(getattr(finding, name) for name in FIELDS if "seq" not in name))


@pytest.mark.parametrize("stream", STREAMS)
def test_the_last_numbers_there_are_change_no_finding(
    stream: Callable[[int, int], list[Event]],
) -> None:
    events = stream(3, 8)
    by = SEQ_MAX - max(event["seq"] for event in events)
    moved = [event | {"seq": event["seq"] + by} for event in events]
    assert list(map(what, judge(moved)[1])) == list(map(what, judge(events)[1]))


def test_a_gap_may_reach_up_to_the_last_number(tmp_path: Path) -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011")
    tape.send("TrayCounted", count="CLOSING", amount_cents=1)
    tape.send("TableClosed", reason=None, seq=SEQ_MAX)
    write_lines(tape.events, tmp_path / "events.jsonl")
    [row] = audit([str(tmp_path / "events.jsonl")]).findings
    gap = row.finding
    assert (gap.code, gap.first_missing_seq, gap.last_missing_seq) == (
        "SEQUENCE_GAP",
        3,
        SEQ_MAX - 1,
    )


def test_two_contents_of_the_last_number_leave_no_gap(tmp_path: Path) -> None:
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", house_way="published-2011", seq=SEQ_MAX - 1)
    tape.send("TrayCounted", count="CLOSING", amount_cents=1, seq=SEQ_MAX)
    tape.send("TrayCounted", count="CLOSING", amount_cents=2, seq=SEQ_MAX)
    write_lines(tape.events, tmp_path / "events.jsonl")
    codes = [row.finding.code for row in audit([str(tmp_path / "events.jsonl")]).findings]
    assert codes == ["EVENT_CONFLICT"]
