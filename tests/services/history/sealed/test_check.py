"""Whatever is changed, removed or added among sealed days is named, and what it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from services.history.problems import Problem
from services.history.sealed.folder import folder_of
from services.history.store import History
from services.history.whole import all_problems
from tests.services.history.build import append, event_id
from tests.services.history.sealed.days import FIRST, SECOND, days_of, grown, sealed

A, B = days_of("A", FIRST, SECOND), days_of("B", SECOND, game=2)

DAY = "gaming_day=2026-03-01"
EVENTS = f"{DAY}/game=RUN_EM_TWICE/events-000001.parquet"
CHANGES = f"{DAY}/game=RUN_EM_TWICE/finding_changes-000001.parquet"
AMENDMENT = f"{DAY}/game=RUN_EM_TWICE/events-000003.parquet"
OTHER_DAY = "gaming_day=2026-03-02"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with two days and an amendment sealed."""
    path = tmp_path_factory.mktemp("whole") / "h.db"
    grown(path, [event for event in A if event["seq"] != 4], B)
    sealed(path)
    with History.open(path) as history:
        append(history, [event for event in A if event["seq"] == 4])
    sealed(path)
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    """A copy to be tampered with."""
    shutil.copytree(whole.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / whole.name


def problems(path: Path) -> list[Problem]:
    with History.open(path) as history:
        return list(all_problems(history, folder_of(path)))


def rewritten(file: Path, select: str) -> None:
    """The file written anew by plain DuckDB, with what `select` makes of its rows."""
    fresh = file.with_suffix(".new")
    with duckdb.connect() as connection:
        rows = f"read_parquet('{file}', hive_partitioning = false, file_row_number = true)"
        answer = f"WITH rows AS (FROM {rows}) SELECT * EXCLUDE (file_row_number) FROM ({select})"  # noqa: S608
        connection.execute(f"COPY ({answer}) TO '{fresh}' (FORMAT parquet)")
    fresh.replace(file)


def place(seq: int) -> str:
    return f"A seq {seq} event {event_id(('A', seq))}"


def named(found: list[Problem], what: str, where: str) -> list[str]:
    return [each.message for each in found if (each.what, each.where) == (what, where)]


def test_what_was_sealed_is_whole(path: Path) -> None:
    assert problems(path) == []


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_manifest_removed_is_named_with_its_day(path: Path, number: int) -> None:
    folder_of(path).manifest_path(number).unlink()
    [message] = named(problems(path), "manifest", f"manifests/00000{number}.json")
    assert message.startswith(f"is missing; gaming day {SECOND if number == 2 else FIRST}")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_manifest_changed_is_named(path: Path, number: int) -> None:
    manifest = folder_of(path).manifest_path(number)
    manifest.write_text(manifest.read_text().replace('"RUN_EM_TWICE"', '"TEXAS_SHOOTOUT"', 1))
    [message] = named(problems(path), "manifest", f"manifests/00000{number}.json")
    assert "is not the one that was written when gaming day" in message


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"version": 2}'])
def test_a_manifest_that_is_none_is_named(path: Path, content: bytes) -> None:
    folder_of(path).manifest_path(2).write_bytes(content)
    [message] = named(problems(path), "manifest", "manifests/000002.json")
    assert "cannot be read" in message
    assert "2026-03-02" in message


@pytest.mark.parametrize("name", ["000004.json", "7.json", "000002.json.bak", "000001.txt"])
def test_a_manifest_added_is_named(path: Path, name: str) -> None:
    manifests = folder_of(path).manifest_path(1).parent
    shutil.copy(manifests / "000002.json", manifests / name)
    assert named(problems(path), "manifest", f"manifests/{name}")


def test_a_manifest_swapped_for_another_is_named(path: Path) -> None:
    folder = folder_of(path)
    shutil.copy(folder.manifest_path(1), folder.manifest_path(2))
    assert named(problems(path), "manifest", "manifests/000002.json") == ["is manifest 1"]


def test_a_day_removed_is_named(path: Path) -> None:
    shutil.rmtree(folder_of(path).path / OTHER_DAY)
    [message] = named(problems(path), "sealed_day", OTHER_DAY)
    assert "was removed" in message


def test_a_day_removed_with_its_manifest_is_named(path: Path) -> None:
    """Even the last one, on which nothing follows: the history has its digest."""
    folder_of(path).manifest_path(3).unlink()
    for file in folder_of(path).path.rglob("*-000003.parquet"):
        file.unlink()
    found = problems(path)
    assert [each.what for each in found] == ["manifest"]
    assert "gaming day 2026-03-01 was sealed with it" in found[0].message


def test_all_sealed_days_removed_are_named(path: Path) -> None:
    shutil.rmtree(folder_of(path).path)
    assert [each.where for each in problems(path)] == [
        f"manifests/00000{n}.json" for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("file", "with_rows"),
    [(EVENTS, "12 rows"), (AMENDMENT, "1 row")],
)
def test_a_file_removed_is_named(path: Path, file: str, with_rows: str) -> None:
    (folder_of(path).path / file).unlink()
    assert named(problems(path), "sealed_day", file) == [f"is missing, with {with_rows}"]


@pytest.mark.parametrize("name", [f"{DAY}/game=RUN_EM_TWICE/events-000009.parquet", "notes.txt"])
def test_a_file_added_is_named(path: Path, name: str) -> None:
    shutil.copy(folder_of(path).path / EVENTS, folder_of(path).path / name)
    [message] = named(problems(path), "sealed_day", name)
    assert "was added" in message


def test_a_file_put_in_the_place_of_another_is_named(path: Path) -> None:
    shutil.copy(folder_of(path).path / AMENDMENT, folder_of(path).path / EVENTS)
    found = problems(path)
    assert named(found, "sealed_day", EVENTS)
    assert "was added" in named(found, "event", place(4))[0]
    assert "was removed" in named(found, "event", place(3))[0]


@pytest.mark.parametrize("at", [0.05, 0.3, 0.5, 0.7, 0.999])
def test_a_byte_flipped_is_named(path: Path, at: float) -> None:
    file = folder_of(path).path / EVENTS
    content = bytearray(file.read_bytes())
    content[int(at * len(content))] ^= 0x20
    file.write_bytes(content)
    assert named(problems(path), "sealed_day", EVENTS)[0] == "is not the file that was sealed"


def test_a_row_removed_is_named(path: Path) -> None:
    rewritten(folder_of(path).path / EVENTS, "FROM rows WHERE seq <> 7 ORDER BY file_row_number")
    found = problems(path)
    assert named(found, "sealed_day", EVENTS)
    events = [each for each in found if each.what == "event"]
    assert [(each.where, each.message[:11]) for each in events] == [(place(7), "was removed")]


def test_a_row_changed_is_named(path: Path) -> None:
    changed = "SELECT * REPLACE (if(seq = 5, 'Kd', card) AS card) FROM rows ORDER BY ALL"
    rewritten(folder_of(path).path / EVENTS, changed.replace("ALL", "file_row_number"))
    [message] = named(problems(path), "event", place(5))
    assert message.startswith("its content is not the one")


def test_a_row_changed_with_its_digest_is_named(path: Path) -> None:
    changed = "SELECT * REPLACE (if(seq = 5, uuid(), digest) AS digest) FROM rows"
    rewritten(folder_of(path).path / EVENTS, f"{changed} ORDER BY file_row_number")
    assert named(problems(path), "event", place(5))


def test_rows_swapped_are_named(path: Path) -> None:
    swapped = "FROM rows ORDER BY CASE seq WHEN 5 THEN 8 WHEN 8 THEN 5 ELSE seq END"
    rewritten(folder_of(path).path / EVENTS, swapped)
    found = problems(path)
    assert named(found, "sealed_day", EVENTS)
    assert {each.where for each in found if each.what == "event"} == {place(5), place(6)}


def test_a_row_that_has_the_content_of_another_is_named(path: Path) -> None:
    swapped = (
        "SELECT * REPLACE (CASE seq WHEN 5 THEN 6 WHEN 6 THEN 5 ELSE seq END AS seq) FROM rows"
    )
    rewritten(folder_of(path).path / EVENTS, f"{swapped} ORDER BY seq")
    found = problems(path)
    assert {each.where.split(" event")[0] for each in found if each.what == "event"} == {
        "A seq 5",
        "A seq 6",
    }


def test_a_row_added_is_named(path: Path) -> None:
    added = "FROM rows UNION ALL SELECT * REPLACE (77 AS event_no) FROM rows WHERE seq = 7"
    rewritten(folder_of(path).path / EVENTS, f"FROM ({added}) ORDER BY seq, event_no")
    assert named(problems(path), "event", place(7))[0].startswith("was added")


def test_a_finding_changed_or_removed_is_named(path: Path) -> None:
    changed = "SELECT * REPLACE (if(change_no = 1, 9, actual_cents) AS actual_cents) FROM rows"
    rewritten(folder_of(path).path / CHANGES, f"{changed} WHERE change_no <> 2 ORDER BY change_no")
    found = problems(path)
    assert named(found, "sealed_day", CHANGES)
    assert [each.message[:20] for each in found if each.what == "finding"] == [
        "its content is not t",
        "was removed, or is n",
    ]


CHANGED = {
    "an event": "UPDATE events SET digest = uuid(), card = 'Kd' WHERE event_no = 5",
    "an event's number": "UPDATE events SET event_no = 999 WHERE event_no = 5",
    "an event's place": "DELETE FROM events WHERE event_no = 5",
    "a finding": "DELETE FROM finding_changes WHERE change_no = 1",
    "a record": "DELETE FROM records WHERE record_no = 1",
    "a commit's time": "UPDATE transactions SET committed_at = '2020-01-01' "
    "WHERE transaction_no = 1",
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_what_the_history_has_otherwise_than_it_was_sealed_is_named(
    path: Path, change: str
) -> None:
    with History.open(path) as history:
        history.run(change)
    sealed_otherwise = [each for each in problems(path) if "as it was sealed" in each.message]
    assert len(sealed_otherwise) == 1


def _another(path: Path) -> None:
    other = grown(path.with_name("other.db"), A)
    other.replace(path)
    path.with_name("other.db.head").replace(path.with_name("h.db.head"))


def _yesterday(path: Path) -> None:
    with History.open(path) as history:
        history.run("DELETE FROM transactions WHERE transaction_no > 2")


@pytest.mark.parametrize("replaced", [_another, _yesterday])
def test_a_history_put_in_the_place_of_another_is_named(
    path: Path, replaced: Callable[[Path], None]
) -> None:
    replaced(path)
    messages = [each.message for each in problems(path) if each.what == "manifest"]
    assert any("of another history than this one, or of a later state" in each for each in messages)
