"""What a bad file gets: a message with place, cause and next step."""

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from services.errors import UnreadableFileError
from services.sources.files import check_readable, event_files, read_events
from tests.contracts.carriers import container_bytes, header_bytes
from tests.services.sources.reading import GOOD, read, written

SHIFT = {"type": "record", "name": "Shift", "fields": [{"name": "who", "type": "string"}]}


@pytest.mark.parametrize("call", [check_readable, read_events])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("events.jsonl.gz", GOOD, "byte 0: not gzip data (1f 8b expected, found 7b 22)"),
        ("events.avro", GOOD, "byte 0: not an Avro container file (4f 62 6a 01 expected"),
        ("events.avro", b"O", "byte 0: not an Avro container file"),
        ("events.jsonl", gzip.compress(GOOD), "byte 0: gzip data, not JSON lines"),
        ("events.jsonl", header_bytes(), "byte 0: an Avro file, not JSON lines"),
        ("events.json", GOOD, "not an event file by its name"),
        ("events.jsonl.zst", GOOD, "not an event file by its name"),
        ("events", GOOD, "not an event file by its name"),
        ("events.avro", header_bytes()[:-1], "header of the Avro file is damaged: the sync marker"),
        ("events.avro", header_bytes()[:900], "header of the Avro file is damaged"),
        ("events.avro", b"Obj\x01\0" + bytes(16), "it names no schema"),
        ("events.avro", header_bytes().replace(b"[{", b"[["), "header of the Avro file is damaged"),
        ("events.avro", header_bytes(codec=b"snappy"), "packed with 'snappy'"),
        ("events.avro", container_bytes([], SHIFT), "an Avro file of another schema (Shift)"),
        ("events.avro", container_bytes([], "int"), "an Avro file of another schema (int)"),
    ],
)
def test_a_bad_file(
    call: Callable[[Path], object], name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError) as caught:
        call(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert said in caught.value.message
    assert caught.value.next_step


@pytest.mark.parametrize("name", ["none.jsonl", "none.avro", "no/where/none.jsonl.gz"])
def test_a_missing_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="no such file") as caught:
        check_readable(tmp_path / name)
    assert caught.value.next_step


@pytest.mark.parametrize("name", ["folder", "folder.jsonl"])
def test_a_directory(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(UnreadableFileError, match="is a directory") as caught:
        check_readable(tmp_path / name)
    assert caught.value.next_step


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, GOOD)
    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read anything

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableFileError, match="no permission") as caught:
        check_readable(path)
    assert caught.value.next_step


def test_a_disk_that_fails_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = read_events(written(tmp_path, GOOD))

    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(UnreadableFileError, match="cannot be read: Input/output error"):
        list(batches)


@pytest.mark.parametrize("name", ["events.jsonl", "events.jsonl.gz", "events.avro"])
def test_an_empty_file_has_no_events(name: str, tmp_path: Path) -> None:
    (tmp_path / name).touch()
    table, letters = read(tmp_path / name)
    assert (table.num_rows, letters) == (0, [])


def test_the_source_is_the_name_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, b"junk\n")
    monkeypatch.chdir(tmp_path)
    (batch,) = read_events("events.jsonl")
    assert batch.dead_letters[0].source == "events.jsonl"


def piped(path: Path, content: bytes) -> threading.Thread:
    """A pipe at the path, into which somebody writes as soon as it is read."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    return writer


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("events.jsonl", GOOD),
        ("events.jsonl.gz", gzip.compress(GOOD)),
        ("events.avro", container_bytes([])),
    ],
)
def test_a_pipe_is_read_once_and_kept_from_others(
    name: str, content: bytes, tmp_path: Path
) -> None:
    path = str(tmp_path / name)
    writer = piped(Path(path), content)
    with event_files([path, path]) as files:
        writer.join()
        one, again = files
        assert one == again
        assert (one.name, one.size_bytes) == (path, len(content))
        assert one.path.parent.stat().st_mode & 0o077 == 0
        there = [batch.table for batch in read_events(one.path, one.name)]
    (tmp_path / "same").mkdir()
    plain = tmp_path / "same" / name
    plain.write_bytes(content)
    assert there == [batch.table for batch in read_events(plain)]
    assert not one.path.exists()


def test_a_pipe_is_told_by_its_name(tmp_path: Path) -> None:
    path = str(tmp_path / "events.avro")
    piped(Path(path), GOOD)
    with pytest.raises(UnreadableFileError) as caught, event_files([path]):
        pass
    assert caught.value.message.startswith(f"{path}: byte 0: not an Avro container file")


def test_a_pipe_of_another_name_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "events.txt")
    with (
        pytest.raises(UnreadableFileError, match="by its name"),
        event_files([str(tmp_path / "events.txt")]),
    ):
        pass


def test_a_device_is_no_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.symlink_to("/dev/zero")
    with pytest.raises(UnreadableFileError, match="neither a file nor a pipe"):
        check_readable(path)
