"""The index names all that there is, column by column, and notices every row."""

import io
import shutil
from datetime import date
from pathlib import Path

import pytest
from rich.console import Console

from services.audit import audit
from services.history.sealed.write import DIGESTED
from services.history.store import History
from services.history.views import all_views
from services.queries.query import About
from services.queries.seal import SealAsked, sealed_of
from services.records_index.csv import csv_chunks
from services.records_index.gather import index_of
from services.records_index.model import Record, RecordKind, RecordsIndex
from services.records_index.stored import TABLES, meanings
from services.records_index.table import index_table
from services.settings import Settings

SAMPLES = Path(__file__).parents[2] / "samples"
DAY = date(2026, 4, 18)


def index(path: Path) -> RecordsIndex:
    with History.open(path, create=False) as history:
        return index_of(history, Settings())


def record(found: RecordsIndex, name: str, kind: RecordKind = RecordKind.VIEW) -> Record:
    [one] = [each for each in found.records if (each.name, each.kind) == (name, kind)]
    return one


@pytest.fixture
def sealed(evening_db: Path, tmp_path: Path) -> Path:
    path = tmp_path / "sealed.db"
    shutil.copy(evening_db, path)
    with History.open(path) as history:
        sealed_of(history, SealAsked(), About(Settings()))
    return path


def test_people_see_whole_digests(sealed: Path) -> None:
    found, text = index(sealed), io.StringIO()
    for part in index_table(found):
        Console(file=text, width=80).print(part)
    said = "".join(text.getvalue().split())
    assert all(one.digest in said for one in found.records if one.digest is not None)


def test_every_view_with_its_columns(evening_db: Path) -> None:
    found = [one for one in index(evening_db).records if one.kind is RecordKind.VIEW]
    assert [one.name for one in found] == [view.name for view in all_views()]
    for one, view in zip(found, all_views(), strict=True):
        assert [(c.name, c.meaning) for c in one.columns] == [
            (c.name, c.said) for c in view.columns
        ]
        assert all(column.type for column in one.columns)


def test_rows_and_days(evening_db: Path) -> None:
    found = index(evening_db)
    rounds, letters = record(found, "rounds"), record(found, "dead_letters")
    assert (rounds.rows, rounds.first_day, rounds.last_day) == (300, DAY, DAY)
    assert (letters.rows, letters.first_day, letters.last_day) == (0, None, None)
    assert record(found, "cards").first_day == DAY  # by the casino's clock: UTC is a day ahead


def test_the_same_rows_in_another_order_have_the_same_digest(
    evening_db: Path, tmp_path: Path
) -> None:
    lines = (SAMPLES / "evening.jsonl").read_text("utf-8").splitlines()
    file, path = tmp_path / "other.jsonl", tmp_path / "other.db"
    file.write_text("\n".join(sorted(lines)) + "\n", "utf-8")
    audit([str(file)], db=str(path))
    views = [one for one in index(path).records if one.kind is RecordKind.VIEW]
    assert views == [one for one in index(evening_db).records if one.kind is RecordKind.VIEW]


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (
            "UPDATE events SET spot = 9 WHERE kind = 'DecisionMade' AND table_id = 'RT-12'",
            "decisions events",
        ),
        ("UPDATE rounds SET dealer_id = '' WHERE dealer_id IS NULL", ""),
        ("UPDATE rounds SET dealer_id = NULL WHERE round_id = 'RT-12-000012'", "rounds findings"),
        ("DELETE FROM findings WHERE code = 'OVERPAID'", "findings"),
        ("UPDATE events SET amount_cents = 1 WHERE kind = 'TrayCounted'", "events"),
    ],
)
def test_a_change_shows_where_it_is(
    evening_db: Path, tmp_path: Path, change: str, names: str
) -> None:
    path = tmp_path / "changed.db"
    shutil.copy(evening_db, path)
    with History.open(path) as history:
        rows = history.run(change)
    assert bool(rows) is bool(names)
    before, after = index(evening_db), index(path)
    differing = {
        one.name
        for one, other in zip(before.records, after.records, strict=True)
        if one.digest != other.digest
    }
    assert differing == set(names.split())


def test_sealed_days_with_their_files(sealed: Path) -> None:
    found = index(sealed)
    events = record(found, "events", RecordKind.SEALED)
    assert (events.rows, events.first_day, events.last_day) == (11_345, DAY, DAY)
    files = [file for file in found.files if file.record == "events"]
    assert sum(file.rows for file in files) == events.rows
    folder = sealed.with_name(found.sealed_folder)
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.parquet")} == {
        file.path for file in found.files
    }
    assert (found.manifests, len(found.last_manifest_sha256 or "")) == (1, 64)


def test_nothing_sealed(evening_db: Path) -> None:
    found = index(evening_db)
    assert (found.manifests, found.files, found.last_manifest_sha256) == (0, (), None)
    assert record(found, "events", RecordKind.SEALED).digest is None


def test_every_column_of_every_sealed_table_is_explained(sealed: Path) -> None:
    found = index(sealed)
    assert {file.record for file in found.files} <= set(TABLES)
    assert set(DIGESTED) <= set(TABLES)
    with History.open(sealed, create=False) as history:
        for name in TABLES:
            stored = [row[0] for row in history.rows(f"DESCRIBE {name}")]
            assert set(stored) <= set(meanings(name))
            columns = record(found, name, RecordKind.SEALED).columns
            assert [column.name for column in columns] == stored
            assert not any("ENUM" in column.type for column in columns)


def test_csv_has_a_row_a_column(evening_db: Path) -> None:
    found = index(evening_db)
    rows = b"".join(csv_chunks(found)).decode().splitlines()
    assert len(rows) == 1 + sum(len(one.columns) for one in found.records)
