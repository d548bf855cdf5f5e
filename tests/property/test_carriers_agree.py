"""What brings events changes nothing: carrier, batches, files, their order, coming twice."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Final

import msgspec
import pytest

from replay.findings import Finding
from replay.resettle import Resettler
from replay.rulebook.loader import load_rulebook
from replay.whole import WholeStream
from services.audit import audit
from services.decode.records import json_decoder
from services.encode import json_line, write_container
from services.history.digests import events_digest, findings_digest
from services.history.journal import Journal
from services.history.store import History
from services.history.stretches import stretches
from services.report.model import json_chunks
from services.simulate.service import FloorPlan, faults_available, games_available, simulate_floor
from services.sources import jsonl
from services.sources.files import read_events
from tests.property.weird_streams import stream
from tests.replay.streams import Event

SEEDS: Final = range(4)
STRETCH_ROWS: Final = (1, 40, 333)
PIECE_BYTES: Final = (1, 3_000, 50_000)
CONFLICTING: Final = {"EVENT_CONFLICT"}


def weird(seed: int) -> list[Event]:
    """Tables of which the stream itself went wrong; without what is no event at all."""
    return [event for event in stream(seed, 4) if _decodes(event)]


def faulty(seed: int) -> list[Event]:
    """A floor of all games with every fault but those that hang on which event came first."""
    faults = [fault.name for fault in faults_available() if not CONFLICTING & set(fault.codes)]
    plan = FloorPlan(rounds=12, seed=seed, faults=tuple(faults))
    return [dict(event) for event in simulate_floor(plan).events()]


def report(*files: Path) -> bytes:
    return b"".join(json_chunks(audit([str(file) for file in files])))


def lines_file(path: Path, events: Iterable[Event]) -> Path:
    path.write_bytes(b"".join(map(json_line, events)))
    return path


def avro_bytes(events: Iterable[Event], codec: str) -> bytes:
    file = BytesIO()
    write_container(file, events, codec)
    return file.getvalue()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_carrier_gives_the_same_bytes(seed: int, tmp_path: Path) -> None:
    events = weird(seed)
    plain = lines_file(tmp_path / "e.jsonl", events)
    contents = {
        "e.jsonl.gz": gzip.compress(plain.read_bytes()),
        "e.avro": avro_bytes(events, "null"),
        "packed.avro": avro_bytes(events, "deflate"),
    }
    files = [tmp_path / name for name in contents]
    for file in files:
        file.write_bytes(contents[file.name])
    expected = report(plain)
    assert b'"findings"' in expected
    assert [report(file) == expected for file in files] == [True] * len(files)
    assert len({digests([file], tmp_path / f"{file.name}.db") for file in (plain, *files)}) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_coming_twice_changes_nothing(seed: int, tmp_path: Path) -> None:
    events = weird(seed)
    once = lines_file(tmp_path / "once.jsonl", events)
    again = tmp_path / "again.avro"
    again.write_bytes(avro_bytes(events, "null"))
    random = Random(seed)
    twice = lines_file(
        tmp_path / "twice.jsonl",
        (event for event in events for _ in range(random.choice((1, 1, 2)))),
    )
    expected = report(once)
    assert report(twice) == expected
    assert report(once, again) == expected
    path = tmp_path / "history.duckdb"
    first = digests([once], path)
    assert digests([again, twice], path) == first


@pytest.mark.parametrize("seed", SEEDS[:1])
def test_files_may_come_in_any_order(seed: int, tmp_path: Path) -> None:
    events, random = faulty(seed), Random(seed)
    expected = report(lines_file(tmp_path / "whole.jsonl", events))
    for turn in range(2):
        random.shuffle(events)
        cuts = sorted(random.sample(range(len(events)), random.randint(1, 4)))
        files = [
            lines_file(tmp_path / f"{turn}-{at}.jsonl", events[at:to])
            for at, to in zip([0, *cuts], [*cuts, len(events)], strict=True)
        ]
        assert report(*files) == expected
        path = tmp_path / f"{turn}.duckdb"
        for file in files:  # each an addition of its own, judged with what came before
            added = digests([file], path)
        assert added == digests([tmp_path / "whole.jsonl"], tmp_path / f"{turn}-whole.duckdb")


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("piece_bytes", PIECE_BYTES)
def test_pieces_of_a_file_change_nothing(
    seed: int, piece_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = lines_file(tmp_path / "e.jsonl", weird(seed)[:600])
    expected = report(file)
    monkeypatch.setattr(jsonl, "PIECE_BYTES", piece_bytes)
    assert report(file) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_stretches_cut_anywhere_change_nothing(seed: int, tmp_path: Path) -> None:
    file = lines_file(tmp_path / "e.jsonl", weird(seed))
    with History.open() as history:
        with history.transaction():
            journal = Journal(history)
            for batch in read_events(file):
                journal.append("e", batch.table, batch.dead_letters)
            journal.decide()
        whole = found_in(history, 10**6)
        assert [found_in(history, rows) == whole for rows in STRETCH_ROWS] == [True] * 3


def found_in(history: History, rows: int) -> set[Finding]:
    resettler, whole = Resettler(load_rulebook()), WholeStream()
    found: list[Finding] = []
    for stretch in stretches(history, rows=rows):
        verdict = resettler.judge(stretch)
        found += verdict.findings
        whole.add(stretch.events, verdict)
    found += whole.findings(load_rulebook())
    assert len(found) == len(set(found))
    return set(found)


def digests(files: Sequence[Path], path: Path) -> tuple[str, str]:
    """Of a history's events and findings, once these files were added to it."""
    audit([str(file) for file in files], db=str(path))
    with History.open(path) as history:
        return events_digest(history), findings_digest(history)


def _decodes(event: Event) -> bool:
    try:
        json_decoder().decode(json_line(event))
    except msgspec.MsgspecError:
        return False
    return True


def test_the_floors_are_of_every_game() -> None:
    opened = {event["game"] for event in faulty(0) if event["type"] == "TableOpened"}
    assert opened == set(games_available())
