"""What every command has in common: statuses, help, bad values, settings, output."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.command_line.app import COMMANDS
from services.command_line.main import main
from services.command_line.parameters import Format
from services.errors import BadSettingError
from services.settings import Settings, load_settings
from tests.services.command_line.conftest import Call

COMMAND = Path(sys.executable).parent / "pitproof"


def test_version_and_help(pitproof: Call) -> None:
    assert pitproof("--version").out.startswith(b"pitproof ")
    text = pitproof("--help")
    assert text.status == 0
    assert all(str(name).encode() in text.out for name in COMMANDS)
    assert pitproof().out == text.out


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(pitproof: Call, name: str) -> None:
    ended = pitproof(name, "--help")
    assert (ended.status, ended.err) == (0, "")
    assert b"Exit status" in ended.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("audti",), "audit"),
        (("audit",), "FILE"),
        (("audit", "x.jsonl", "--fromat", "json"), "--format"),
        (("audit", "x.jsonl", "--format", "xml"), "table, json, csv"),
        (("audit", "x.jsonl", "--format"), "--format"),
        (("audit", "x.jsonl", "--reading", "RT-RANGE"), "ID=VALUE"),
        (("audit", "x.jsonl", "--output", "nowhere/at/all"), "no folder"),
        (("audit", "x.jsonl", "--output", "."), "folder"),
        (("audit", "x.jsonl", "--config", "none.toml"), "none.toml"),
        (("findings",), "--db"),
        (("verify",), "--db"),
        (("findings", "--db", "x", "--from", "yesterday"), "2026-04-18"),
        (("findings", "--db", "x", "--from", "2026-04-19", "--to", "2026-04-18"), "swap"),
        (("findings", "--db", "x", "--code", "UNDERPAYED"), "did you mean UNDERPAID"),
        (("findings", "--db", "x", "--game", "POKER"), "RUN_EM_TWICE"),
        (("findings", "--db", "none.db"), "none.db"),
        (("verify", "--db", "none.db"), "none.db"),
        (("simulate",), "--output"),
        (("simulate", "--rounds", "many", "--output", "-"), "--rounds"),
        (("simulate", "--rounds", "0", "--output", "-"), "--rounds"),
        (("simulate", "--seed", "-1", "--output", "-"), "--seed"),
        (("simulate", "POKER", "--output", "-"), "RUN_EM_TWICE"),
        (("simulate", "--fault", "overpays", "--output", "-"), "pays-wrong-row"),
        (("simulate", "--output", "-", "--planted", "-"), "standard output"),
        (("simulate", "--output", "x.txt"), ".jsonl"),
    ],
)
def test_a_bad_call_says_what_there_is(
    pitproof: Call, arguments: tuple[str, ...], told: str
) -> None:
    ended = pitproof(*arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert told in ended.err
    assert "Traceback" not in ended.err


def test_a_fault_of_ours_is_no_finding(pitproof: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("services.settings.load_settings", broken)
    ended = pitproof("audit", "x.jsonl")
    assert (ended.status, ended.out) == (2, b"")
    assert "ZeroDivisionError" in ended.err


def test_ctrl_c_is_130(pitproof: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("services.settings.load_settings", interrupted)
    ended = pitproof("audit", "x.jsonl")
    assert (ended.status, ended.out) == (130, b"")
    assert len(ended.err.splitlines()) == 1


def test_no_finding_no_reader_no_fuss(gapped: Path) -> None:
    """`| head` closing early ends the command quietly, with the status of what it found."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as out:
        ended = subprocess.run(
            [COMMAND, "audit", gapped, "--format", "json"], stdout=out, stderr=subprocess.PIPE
        )
    assert ended.returncode == 1
    assert b"Error" not in ended.stderr


@pytest.mark.parametrize("form", [*Format, None])
def test_status_2_leaves_standard_output_empty(pitproof: Call, form: Format | None) -> None:
    ended = pitproof("audit", "none.jsonl", *(("--format", form) if form else ()))
    assert (ended.status, ended.out) == (2, b"")
    assert "none.jsonl" in ended.err


def test_settings_flag_over_environment_over_file_over_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(environment={}) == Settings()
    (tmp_path / "pitproof.toml").write_text(
        "db = 'kept/h.db'\ntimezone = 'UTC'\n[readings]\nRT-RANGE = 'whole-multiples'\n"
    )
    from_file = load_settings(environment={})
    assert from_file.db == Path("kept/h.db")
    assert from_file.readings == {"RT-RANGE": "whole-multiples"}
    from_both = load_settings(
        environment={"PITPROOF_DB": "other.db", "PITPROOF_READINGS": "A=b,C=d"}
    )
    assert (from_both.db, from_both.timezone) == (Path("other.db"), "UTC")
    assert from_both.readings == {"A": "b", "C": "d"}


def test_a_path_in_a_settings_file_is_meant_from_there(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("db = 'h.db'\nhouse_ways = '/etc/ways'\n")
    settings = load_settings(str(tmp_path / "p.toml"), {})
    assert (settings.db, settings.house_ways) == (tmp_path / "h.db", Path("/etc/ways"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dbb = 'h.db'", "settings are db, timezone"),
        ("db = 3", "expected text"),
        ("db = ", "TOML"),
        ("readings = 'RT-RANGE'", "ID=VALUE"),
        ("[readings]\nRT-RANGE = 3", "table"),
        ("timezone = 'America/Deadwood'", "America/Denver"),
    ],
)
def test_a_bad_setting_names_place_and_cure(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text)
    with pytest.raises(BadSettingError) as raised:
        load_settings(str(path), {}).zone()
    assert told in str(raised.value)


def test_the_history_comes_from_flag_environment_or_file(
    pitproof: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pitproof.toml").write_text("db = 'file.db'\n")
    assert "file.db" in pitproof("findings").err
    monkeypatch.setenv("PITPROOF_DB", "environment.db")
    assert "environment.db" in pitproof("findings").err
    assert "flag.db" in pitproof("findings", "--db", "flag.db").err
    assert "file.db" not in pitproof("--config", "pitproof.toml", "findings").err


def test_audit_does_not_read_pitproof_db(
    pitproof: Call, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PITPROOF_DB", "kept.db")
    assert pitproof("audit", clean).status == 0
    assert not Path("kept.db").exists()


def test_main_never_raises() -> None:
    assert main(["--no-such-flag"]) == 2
