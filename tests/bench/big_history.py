"""A history of millions of events, made of one simulated evening in a minute or two.

The evening has every kind of mistake in it. It is repeated at more tables and on more days, with
ids of their own, and stored in the order in which a floor would have sent it: day by day, the
tables in turns. Findings and rounds are repeated with it rather than judged again; all is entered
as it would have been, so that the history is a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from services.audit import audit
from services.history.alert_groups import regroup
from services.history.head import digest_sums, head_path
from services.history.schema import (
    CHANGE_ID,
    DIGEST,
    FINDING_DIGEST,
    ROUND_DIGEST,
    SCHEMA_VERSION,
)
from services.history.store import History
from services.simulate.service import FloorPlan
from services.simulate.writing import form_of, write_floor

ROUNDS: Final = 150  # at each table of the evening
CLONES: Final = 5  # of each table
FAULTS: Final = (
    "pays-wrong-row takes-a-push forgets-wager late-bet duplicate-card settlement-order "
    "house-way-misset deck-repeated gap corrects-mispay voids-exposed twin-bet chips-taken-back"
).split()

_OTHER_ID: Final = "md5(concat({name}, '{clone}/{day}'))::UUID"
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def big_history(path: Path, event_count: int) -> int:
    """Make the history, unless it is there: the number of its events."""
    evening = path.with_name(f"evening-{ROUNDS}-{SCHEMA_VERSION}.duckdb")
    if not evening.exists():
        _simulate(evening)
    if not path.exists():
        with unfinished(path) as part:
            _multiply(evening, part, event_count)
    with History.open(path, create=False) as history:
        return history.count("SELECT count(*) FROM events")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Where a history is made that is to lie at `path` once it is whole."""
    part = path.with_suffix(".part")
    for left in (part, head_path(part)):
        left.unlink(missing_ok=True)
    yield part
    head_path(part).rename(head_path(path))
    part.rename(path)


def _simulate(evening: Path) -> None:
    plan = FloorPlan(
        games=("RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT"),
        tables=2,
        rounds=ROUNDS,
        seed=20_260_418,
        faults=tuple(FAULTS),
    )
    events = evening.with_suffix(".jsonl")
    with events.open("wb") as file:
        write_floor(plan, file, form_of(str(events)))
    audit([str(events)], db=str(evening))


def _multiply(evening: Path, path: Path, event_count: int) -> None:
    with History.open(path, memory_mb=2_000) as history:
        history.run(f"ATTACH '{evening}' AS evening (READ_ONLY)")
        history.run("INSERT INTO sources VALUES (1, 'floor')")
        each, step, found = (
            history.count(f"SELECT {what} FROM evening.main.{table}")  # noqa: S608 (our own words)
            for what, table in (
                ("count(*)", "events"),
                ("max(seq) + 10", "events"),
                ("count(*)", "findings"),
            )
        )
        days = -(-event_count // (each * CLONES))
        for day in range(days):
            with history.transaction():
                first = history.take_numbers(each * CLONES) - 1
                for clone in range(CLONES):
                    _repeat(history, day, clone, first=first + clone * each, step=step)
                _enter(history, first, each * CLONES, found * CLONES)
                if day + 1 == days:
                    regroup(history)


def _repeat(history: History, day: int, clone: int, *, first: int, step: int) -> None:
    suffix = f" || '{_LETTERS[clone]}'"
    later = f"INTERVAL {day} DAY"
    ids = {
        name: _OTHER_ID.format(name=name, clone=clone, day=day)
        for name in ("event_id", "corrects", "finding_id")
    }
    changed = {
        "event_no": f"event_no + {first}",
        "opened_no": f"opened_no + {first}",
        "target_no": f"target_no + {first}",
        "position": f'"position" + {first}',
        "event_nos": f"list_transform(event_nos, lambda n: n + {first})",
        "transaction_no": str(history.transaction_no),
        "source_no": "1",
        "table_id": f"table_id{suffix}",
        "round_id": f"round_id{suffix} || '-{day:03}'",
        **{f"{name}seq": f"{name}seq + {step * day}" for name in ("", "opened_", "ended_")},
        "target_seq": f"target_seq + {step * day}",
        **{name: f"{name} + {later}" for name in ("occurred_at", "opened_at", "ended_at")},
        "gaming_day": f"gaming_day + {day}",
        **ids,
    }
    for table, digest in {
        "events": DIGEST,
        "rounds": ROUND_DIGEST,
        "findings": FINDING_DIGEST,
        "table_openings": "",
        "round_openings": "",
        "corrections": "",
    }.items():
        columns = [
            name
            for (name,) in history.rows(
                "SELECT column_name FROM duckdb_columns() "
                "WHERE database_name = 'evening' AND table_name = ?",
                [table],
            )
        ]
        replaced = ", ".join(f'{changed[n]} AS "{n}"' for n in columns if n in changed)
        select = f"SELECT * REPLACE ({replaced}) FROM evening.main.{table}"  # noqa: S608
        if table == "events":
            select += " ORDER BY evening.main.events.occurred_at"
        if digest:
            select = f"SELECT * REPLACE ({digest} AS digest) FROM ({select})"  # noqa: S608
        history.run(f"INSERT INTO {table} {select}")


def _enter(history: History, first: int, events: int, changes: int) -> None:
    """What was repeated, as a transaction would have entered it."""
    sets = "WHERE event_no > ?"
    conflicts = history.count(f"SELECT count(*) FROM events {sets} AND NOT standing", [first])  # noqa: S608
    upto = history.count("SELECT coalesce(max(change_no), 0) FROM finding_changes")
    history.run(_CHANGES.format(upto=upto, transaction_no=history.transaction_no))
    for select, after in (
        (f"SELECT event_no, digest FROM events {sets}", first),  # noqa: S608
        ("SELECT change_no, change_id FROM finding_changes WHERE change_no > ?", upto),
    ):
        for batch in history.stream(select, [after]):
            history.add_digests(digest_sums(batch.column(0).to_numpy(), batch.column(1)))
    history.record(events=events, conflicts=conflicts, changes=changes)


_CHANGES: Final = f"""
INSERT INTO finding_changes BY NAME
SELECT {CHANGE_ID} AS change_id, *
FROM (
    SELECT {{upto}} + row_number() OVER (ORDER BY table_id, seq, finding_id) AS change_no,
           {{transaction_no}}::INTEGER AS transaction_no, 'RAISED'::change_word AS change, *
    FROM findings
    ANTI JOIN finding_changes USING (finding_id)
)
"""  # noqa: S608 (constants only)
