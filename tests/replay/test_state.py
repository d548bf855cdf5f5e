"""States survive their text form, and judging goes on from them as if never interrupted."""

from __future__ import annotations

from replay.findings import Finding
from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from replay.state import dump, load
from replay.whole import WholeStream
from tests.property.weird_run_em_twice import stream
from tests.replay.streams import Event, judge, stretch_of


def cut_at_openings(events: list[Event]) -> list[list[Event]]:
    """The events of one table, cut just before every `RoundOpened`."""
    parts: list[list[Event]] = [[]]
    for event in events:
        if event["type"] == "RoundOpened":
            parts.append([])
        parts[-1].append(event)
    return [part for part in parts if part]


def test_judging_from_dumped_states_finds_the_same() -> None:
    rulebook = load_rulebook()
    for seed in range(12):
        events = [e for e in stream(seed, 6) if not e["type"].endswith("Corrected")]
        _, wanted = judge(events)
        state_text: str | None = None
        found: list[Finding] = []
        whole = WholeStream()
        parts = cut_at_openings(events)
        for number, part in enumerate(parts):
            resettler = Resettler(rulebook)
            if state_text is not None:
                resettler.states["RT-01"] = load(state_text, rulebook)
                assert dump(resettler.states["RT-01"]) == state_text
            stretch = stretch_of(part)
            if number + 1 < len(parts):
                stretch.next_seq[0] = parts[number + 1][0]["seq"]
            verdict = resettler.judge(stretch)
            found += verdict.findings
            whole.add(stretch.events, verdict)
            state_text = dump(resettler.states["RT-01"])
        found += whole.findings(rulebook)
        assert {f.finding_id for f in found} == {f.finding_id for f in wanted}
