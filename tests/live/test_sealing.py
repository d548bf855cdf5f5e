"""Sealing beside a running service, and histories made again of the topic, by a real broker."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.conftest import Topic
from tests.live.serving import Stage, digests, evening, pitproof, send, send_raw, wait_until

pytestmark = pytest.mark.real_kafka

COUNT = """
import duckdb, sys
files = f"{sys.argv[1]}/gaming_day=*/game=*/events-*.parquet"
print(duckdb.sql(f"SELECT count(*), count(DISTINCT event_id) FROM '{files}'").fetchall()[0])
"""


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Callable[..., Stage]:
    def make(partitions: int = 3) -> Stage:
        return Stage(kafka, tmp_path, topic(partitions), topic(2), topic(1))

    return make


def test_days_are_sealed_and_read_while_the_service_follows(stage: Callable[..., Stage]) -> None:
    on, rows = stage(), evening()
    sealed = on.folder / "history.duckdb.sealed"
    half = len(rows) // 2
    send(on.servers, on.topic, rows[:half])
    with on.serving(PITPROOF_SEAL_QUIET_SECONDS="0") as process:
        wait_until(lambda: on.said("sealed"), "a sealed day")
        readers = [
            subprocess.Popen(
                [sys.executable, "-c", COUNT, str(sealed)], stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        send(on.servers, on.topic, rows[half:])
        assert [reader.communicate()[0] for reader in readers] == [f"({half}, {half})\n"] * 2
        process.terminate()
        assert process.wait(60) == 0
    assert on.to_end().returncode == 1
    assert pitproof("seal", "--db", on.folder / "history.duckdb").returncode == 0
    assert on.verified() == on.audited(rows)
    manifests = sorted((sealed / "manifests").iterdir())
    assert sum(json.loads(one.read_text())["events"] for one in manifests) == len(rows)


def test_a_history_made_again_of_the_topic_goes_on(stage: Callable[..., Stage]) -> None:
    on, rows = stage(), evening()
    conflict = {**rows[5], "event_id": "00000000-0000-4000-8000-0000000000aa"}
    send(on.servers, on.topic, [*rows[:-40], conflict])
    send_raw(on.servers, on.topic, [(b"x", b"no event")])
    assert on.to_end().returncode == 1
    new = on.folder / "new.duckdb"
    made = pitproof(
        *("rebuild", "--db", new, "--from-topic", "--format", "json"),
        *("--bootstrap-servers", on.servers, "--topic", on.topic),
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert json.loads(made.stdout)["dead_letters"] == 1
    assert digests(new) == on.verified()
    send(on.servers, on.topic, rows[-40:])
    assert on.to_end(db="new.duckdb", group="another").returncode == 1
    on.to_end()
    assert digests(new) == on.verified()
    assert on.current() == on.held("new.duckdb")


def test_a_history_made_again_of_sealed_days_goes_on(stage: Callable[..., Stage]) -> None:
    """What was sealed is not read again; what was not, is."""
    on, rows = stage(), evening()
    later = [{**row, "seq": row["seq"] + 100_000, "event_id": other(row)} for row in rows]
    for row in later:
        if row.get("corrects"):
            row["corrects"] = other({"event_id": row["corrects"]})
        if row["type"] == "TableOpened":
            row["gaming_day"] = "2999-01-01"
    send(on.servers, on.topic, rows)
    assert on.to_end().returncode == 1
    db = on.folder / "history.duckdb"
    send(on.servers, on.topic, later[: len(later) // 2])
    on.to_end()
    assert pitproof("seal", "--db", db).returncode == 0
    send(on.servers, on.topic, later[len(later) // 2 :])
    on.to_end()
    before = on.verified()
    for name in (db, on.folder / "history.duckdb.head"):
        os.unlink(name)
    sealed = on.folder / "history.duckdb.sealed"
    made = pitproof("rebuild", "--db", db, "--from-sealed", sealed)
    assert (made.returncode, made.stderr) == (0, "")
    assert on.verified()["events"] == len(rows)
    on.to_end()
    assert on.verified() == before
    assert on.current() == on.held()


def other(row: dict[str, object]) -> str:
    """Another id for the same event."""
    return f"ffffffff{str(row['event_id'])[8:]}"


def test_a_broker_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    made = pitproof(
        *("rebuild", "--db", tmp_path / "new.duckdb", "--from-topic"),
        *("--bootstrap-servers", "127.0.0.1:9"),
    )
    assert (made.returncode, made.stdout) == (2, "")
    assert "no Kafka answers at 127.0.0.1:9" in made.stderr
    assert list(tmp_path.iterdir()) == []
