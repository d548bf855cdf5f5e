"""A history of millions of events, made of one simulated evening in a minute or two.

The evening has every kind of mistake in it. It is repeated at more tables and on more days, with
ids of their own, and stored in the order in which a floor would have sent it: day by day, the
tables in turns. Findings and rounds are repeated with it rather than judged again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from services.audit import audit
from services.history.schema import FIELDS, SCHEMA_VERSION
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
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        _multiply(evening, part, event_count)
        part.rename(path)
    with History.open(path, create=False) as history:
        return history.count("SELECT count(*) FROM events")


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
        each = history.count("SELECT count(*) FROM evening.main.events")
        step = history.count("SELECT max(seq) + 10 FROM evening.main.events")
        days = -(-event_count // (each * CLONES))
        for day in range(days):
            with history.transaction():
                for clone in range(CLONES):
                    _repeat(history, day, clone, each=each, step=step)
                history.run(_COUNTS, [history.transaction_no])


def _repeat(history: History, day: int, clone: int, *, each: int, step: int) -> None:
    suffix = f" || '{_LETTERS[clone]}'"
    changed = {
        "event_id": _OTHER_ID.format(name="event_id", clone=clone, day=day),
        "corrects": _OTHER_ID.format(name="corrects", clone=clone, day=day),
        "table_id": f"table_id{suffix}",
        "round_id": f"round_id{suffix} || '-{day:03}'",
        "seq": f"seq + {step * day}",
        "occurred_at": f"occurred_at + INTERVAL {day} DAY",
        "gaming_day": f"gaming_day + {day}",
    }
    names = ", ".join(f'{changed.get(f.name, f.name)} AS "{f.name}"' for f in FIELDS)
    first = (day * CLONES + clone) * each
    history.run(
        f"INSERT INTO events SELECT event_no + {first}, {history.transaction_no}, standing, digest,"  # noqa: S608
        f" 1, position + {first}, {names} FROM evening.main.events ORDER BY occurred_at"
    )
    moved = f"table_id{suffix} AS table_id, {changed['round_id']} AS round_id"
    seq, number = f"seq + {step * day} AS seq", f"event_no + {first} AS event_no"
    finding = _OTHER_ID.format(name="finding_id", clone=clone, day=day)
    transaction = f"{history.transaction_no} AS transaction_no"
    for table, replaced in {
        "rounds": f"{moved}, gaming_day + {day} AS gaming_day, opened_no + {first} AS opened_no, "
        f"opened_seq + {step * day} AS opened_seq, ended_seq + {step * day} AS ended_seq, "
        f"opened_at + INTERVAL {day} DAY AS opened_at, ended_at + INTERVAL {day} DAY AS ended_at",
        "findings": f"{moved}, gaming_day + {day} AS gaming_day, {seq}, {finding} AS finding_id, "
        f"list_transform(event_nos, lambda n: n + {first}) AS event_nos",
        "table_openings": f"table_id{suffix} AS table_id, {seq}, {number}, {transaction}, "
        f"gaming_day + {day} AS gaming_day",
        "round_openings": f"{moved}, {seq}, {number}, {transaction}",
        "corrections": f"{moved}, {seq}, {number}, {transaction}, target_no + {first} AS target_no,"
        f" target_seq + {step * day} AS target_seq, {changed['corrects']} AS corrects, "
        f"occurred_at + INTERVAL {day} DAY AS occurred_at",
    }.items():
        history.run(
            f"INSERT INTO {table} BY NAME SELECT * REPLACE ({replaced}) FROM evening.main.{table}"  # noqa: S608
        )


_COUNTS: Final = """
UPDATE transactions SET findings = (SELECT count(*) FROM findings),
    rounds = (SELECT count(*) FROM rounds)
WHERE transaction_no = ?
"""
