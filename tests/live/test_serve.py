"""`pitproof serve` against a real broker: history and findings say what the topic has."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition

from services.encode import single_object
from tests.live.conftest import Topic
from tests.live.serving import Stage, evening, pitproof, read_all, send, send_raw, wait_until

pytestmark = pytest.mark.real_kafka

# The contract's five seconds; more where others use the machine as well.
STOP_SECONDS_MAX = 5 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.fixture
def stage(kafka: str, topic: Topic, tmp_path: Path) -> Callable[..., Stage]:
    def make(partitions: int = 3, **configs: str) -> Stage:
        return Stage(kafka, tmp_path, topic(partitions, **configs), topic(2), topic(1))

    return make


def test_topic_and_file_give_the_same(stage: Callable[..., Stage]) -> None:
    on, rows = stage(), evening()
    send(on.servers, on.topic, rows, compression_type="lz4")
    ended = on.to_end()
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert on.verified() == on.audited(rows)
    assert on.verified()["events"] == len(rows)
    held = on.held()
    assert held
    assert on.current() == held
    records = read_all(on.servers, on.findings)
    assert all(record.value[:2] == b"\xc3\x01" for record in records)
    assert {record.key.decode() for record in records} == {
        values["table_id"] for values in held.values()
    }
    # Once more: nothing new, the same answer, and nothing is published twice.
    again = on.to_end()
    assert again.returncode == 1, again.stderr
    assert len(read_all(on.servers, on.findings)) == len(records)


def test_more_comes_and_a_late_event_changes_what_was_found(stage: Callable[..., Stage]) -> None:
    on, rows = stage(), evening()
    late = next(at for at, row in enumerate(rows) if row["type"] == "WagerSettled" and at > 200)
    kept = rows[:late] + rows[late + 1 :]
    half = len(kept) // 2
    send(on.servers, on.topic, kept[:half])
    assert on.to_end().returncode == 1
    send(on.servers, on.topic, kept[half:])
    assert on.to_end().returncode == 1
    assert "SEQUENCE_GAP" in {values["code"] for values in on.current().values()}
    send(on.servers, on.topic, [rows[late]])
    on.to_end()
    assert "SEQUENCE_GAP" not in {values["code"] for values in on.current().values()}
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()


def test_an_empty_topic_is_said(stage: Callable[..., Stage]) -> None:
    on = stage()
    ended = on.to_end()
    assert ended.returncode == 0, ended.stderr
    assert "is empty" in ended.stderr


def test_what_is_missing_is_named(kafka: str, topic: Topic, tmp_path: Path) -> None:
    on = Stage(kafka, tmp_path, topic(1), "no-findings-here", "no-dead-here")
    refused = on.to_end()
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no topic no-findings-here, no-dead-here" in refused.stderr
    assert "--create-topics" in refused.stderr


def test_no_broker_is_said_in_time(tmp_path: Path) -> None:
    started = time.monotonic()
    refused = pitproof(
        *("serve", "--db", tmp_path / "h.duckdb", "--bootstrap-servers", "127.0.0.1:9"),
    )
    assert refused.returncode == 2
    assert "no Kafka answers at 127.0.0.1:9" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(stage: Callable[..., Stage], number: signal.Signals) -> None:
    on, rows = stage(), evening()
    send(on.servers, on.topic, rows)
    with on.serving() as process:
        wait_until(lambda: on.current(), "findings in the topic")
        started = time.monotonic()
        process.send_signal(number)
        assert process.wait(STOP_SECONDS_MAX) == 0
        assert time.monotonic() - started < STOP_SECONDS_MAX
    assert "Traceback" not in (on.folder / "history.duckdb.log").read_text()
    on.to_end()
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()


def test_a_head_that_cannot_be_written_is_said(stage: Callable[..., Stage]) -> None:
    on, rows = stage(), evening()
    half = len(rows) // 2
    send(on.servers, on.topic, rows[:half])
    assert on.to_end().returncode == 1
    in_the_way = on.folder / "history.duckdb.head.new"
    with on.serving() as process:
        in_the_way.mkdir()
        send(on.servers, on.topic, rows[half:])
        wait_until(lambda: on.said("problem", code="head_unwritten"), "it is said")
        in_the_way.rmdir()
        send(on.servers, on.topic, rows[:1])
        wait_until(lambda: on.said("solved", code="head_unwritten"), "it is over")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == 0
    assert on.verified() == on.audited(rows)


def test_what_was_aborted_is_never_seen(stage: Callable[..., Stage]) -> None:
    on, rows = stage(1), evening()
    cut = len(rows) // 3
    with KafkaProducer(bootstrap_servers=on.servers, transactional_id=on.topic) as producer:
        producer.init_transactions()
        other = [{**row, "seq": row["seq"] + 500_000} for row in rows[cut : 2 * cut]]
        for part, is_kept in ((rows[:cut], True), (other, False), (rows[cut:], True)):
            producer.begin_transaction()
            for row in part:
                producer.send(on.topic, single_object(row), key=row["table_id"].encode())
            (producer.commit_transaction if is_kept else producer.abort_transaction)()
    on.to_end()
    assert on.verified() == on.audited(rows)
    # The position stands behind the markers: what they name may expire.
    with_positions = pitproof("serve", *on.flags(), "--until-end")
    assert "expired" not in with_positions.stderr


def test_poison_is_put_aside_with_its_place(stage: Callable[..., Stage]) -> None:
    on, rows = stage(1, **{"max.message.bytes": "6000000"}), evening()
    good = [(row["table_id"].encode(), single_object(row)) for row in rows]
    value = good[5][1]
    assert value is not None
    poison: list[tuple[bytes | None, bytes | None]] = [
        (b"k", b"junk"),
        (b"k", value[:-3]),
        (b"k", value + b"\x00"),
        (b"k", b"\xc3\x01" + b"\xee" * 8 + value[10:]),
        (b"k", b"\x00\x00\x00\x00\x07" + value[10:]),
        (b"k", b""),
        (b"k", None),
        (None, b"without a key"),
        (b"k", b"\xc3\x01" + bytes(2 << 20)),
    ]
    step = len(good) // len(poison)
    mixed: list[tuple[bytes | None, bytes | None]] = []
    for at, record in enumerate(good):
        if at % step == 1 and at // step < len(poison):
            mixed.append(poison[at // step])
        mixed.append(record)
    send_raw(on.servers, on.topic, mixed)
    bomb = [(b"k", bytes(900_000)) for _ in range(50)]
    send_raw(
        on.servers, on.topic, bomb, compression_type="zstd", batch_size=60 << 20, linger_ms=500
    )
    ended = on.to_end()
    assert ended.returncode == 1, ended.stderr
    assert on.verified() == on.audited(rows)
    dead = read_all(on.servers, on.dead)
    places = {dict(record.headers)["offset"]: record for record in dead}
    assert len(places) == len(dead) >= len(poison) + 1
    by_value = {record.value: record for record in dead}
    for key, poisoned in poison[:-1]:
        record = by_value[poisoned]
        offset = dict(record.headers)["offset"].decode()
        assert record.key == (key if key is not None else f"{on.topic}[0]@{offset}".encode())
        assert dict(record.headers)["topic"].decode() == on.topic
        assert dict(record.headers)["partition"] == b"0"
        assert dict(record.headers)["error"].decode()
        assert mixed[int(offset)] == (key, poisoned)
    bombs = [record for record in dead if b"when unpacked" in dict(record.headers)["error"]]
    assert bombs
    first, last = (int(dict(bombs[0].headers)[name]) for name in ("offset", "last_offset"))
    assert (first, last - first >= 36) == (len(mixed), True)
    shown = json.loads(
        pitproof("findings", "--db", on.folder / "history.duckdb", "--format", "json").stdout
    )
    assert {letter["source"] for letter in shown["dead_letters"]} == {f"{on.topic}[0]"}
    assert len(shown["dead_letters"]) == len(dead)


def test_a_position_that_expired_stops_its_partition_only(stage: Callable[..., Stage]) -> None:
    on, rows = stage(2), evening()
    tables = sorted({row["table_id"] for row in rows})
    first = [row for row in rows if row["table_id"] == tables[0]]
    second = [row for row in rows if row["table_id"] == tables[1]]
    send(on.servers, on.topic, first[:50], partition=0)
    send(on.servers, on.topic, second[:50], partition=1)
    on.to_end()
    send(on.servers, on.topic, first[50:], partition=0)
    with KafkaAdminClient(bootstrap_servers=on.servers) as admin:
        admin.delete_records({TopicPartition(on.topic, 0): 60})
    send(on.servers, on.topic, second[50:], partition=1)
    with on.serving() as process:
        wait_until(lambda: on.said("problem", code="expired"), "the loss is said")
        told = on.said("problem", code="expired")
        assert told is not None
        assert "offsets 50 to 59 have expired" in told["message"]
        assert "--skip-lost 0" in told["next_step"]
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS_MAX) == 0
    assert on.verified() == on.audited(first[:50] + second)
    ended = on.to_end("--skip-lost", "0")
    assert ended.returncode == 1, ended.stderr
    assert on.verified()["events"] == len(first) + len(second) - 10


def test_a_topic_made_anew_is_not_taken_for_the_old_one(stage: Callable[..., Stage]) -> None:
    on, rows = stage(1), evening()
    send(on.servers, on.topic, rows[:400])
    with on.serving() as process:
        wait_until(lambda: on.committed(0) == 400, "it has read them")
        with KafkaAdminClient(bootstrap_servers=on.servers) as admin:
            admin.delete_topics([on.topic])
            time.sleep(0.5)
            admin.create_topics({on.topic: {"num_partitions": 1}}, wait_for_metadata=True)
        send(on.servers, on.topic, rows[400:1_000])
        wait_until(
            lambda: on.said("problem", code="made_anew") or on.said("problem", code="deleted"),
            "it is said",
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(STOP_SECONDS_MAX) == 0
    assert on.verified() == on.audited(rows[:400])
    with on.serving(db="history.duckdb"):
        wait_until(lambda: on.said("problem", code="made_anew"), "it is said at the next start too")
    on.to_end("--skip-lost", "0")
    assert on.verified()["events"] == 1_000


def test_a_history_put_back_from_yesterday_is_noticed_and_healed(
    stage: Callable[..., Stage],
) -> None:
    on, rows = stage(2), evening()
    half = len(rows) // 2
    send(on.servers, on.topic, rows[:half])
    on.to_end()
    yesterday = (on.folder / "history.duckdb").read_bytes()
    send(on.servers, on.topic, rows[half:])
    on.to_end()
    (on.folder / "history.duckdb").write_bytes(yesterday)
    healed = on.to_end()
    assert healed.returncode == 1
    assert '"put_back"' in healed.stderr
    assert " lost, with " in healed.stderr
    assert on.verified() == on.audited(rows)
    assert on.current() == on.held()
    assert '"put_back"' not in on.to_end().stderr
