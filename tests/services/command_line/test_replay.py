"""`pitproof replay`: its JSON, its statuses, its words, and a history that is in use."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from services.audit import audit
from services.history.journal import Journal
from services.history.store import History
from services.replaying import service
from tests.services.api.standing import standing
from tests.services.command_line.conftest import Call
from tests.services.history.build import arrow, evening

SAMPLES = Path(__file__).parents[2] / "samples"
COMMAND = Path(sys.executable).parent / "pitproof"

BIG_8: tuple[str, ...] = ("--paytable", "DD-07:BIG_8=7")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "whole.db"
    audit([str(SAMPLES / "evening.jsonl")], db=str(path))
    return path


@pytest.fixture
def kept(whole: Path, tmp_path: Path) -> Path:
    path = tmp_path / "kept é.db"
    shutil.copyfile(whole, path)
    return path


def test_a_check_says_what_verify_says(pitproof: Call, kept: Path) -> None:
    before = kept.read_bytes()
    ended = pitproof("replay", "--db", kept, "--format", "json")
    whole = pitproof("verify", "--db", kept, "--format", "json").report
    assert (ended.status, ended.err) == (0, "")
    assert ended.report == {
        "version": 1,
        "rounds": 300,
        "same": True,
        "findings_digest": whole["findings_digest"],
        "differences": [],
    }
    assert kept.read_bytes() == before
    words = pitproof("replay", "--db", kept).out.decode()
    assert "kept é.db: the findings kept are the findings computed again" in words
    assert (
        f" 300 rounds settled again\n{'findings':>22}   digest {whole['findings_digest']}" in words
    )


def test_a_finding_that_was_taken_out_is_a_difference(pitproof: Call, kept: Path) -> None:
    found = pitproof("findings", "--db", kept, "--format", "json", "--code", "UNDERPAID").report
    with History.open(kept) as history:
        history.run("DELETE FROM findings WHERE code = 'UNDERPAID'")
    ended = pitproof("replay", "--db", kept, "--format", "json")
    [difference] = ended.report["differences"]
    assert (ended.status, ended.report["same"]) == (1, False)
    assert difference == {
        "finding_id": found["findings"][0]["finding_id"],
        "kept": None,
        "computed": found["findings"][0],
    }
    rows = list(
        csv.DictReader(
            io.StringIO(pitproof("replay", "--db", kept, "--format", "csv").out.decode())
        )
    )
    assert [(row["side"], row["code"]) for row in rows] == [("computed", "UNDERPAID")]
    words = pitproof("replay", "--db", kept)
    assert words.status == 1
    assert "1 difference:\n  computed, not kept" in words.out.decode()
    elsewhere = pitproof("replay", "--db", kept, "--table", "DD-07", "--format", "json")
    assert (elsewhere.status, elsewhere.report["rounds"]) == (0, 100)


def test_a_what_if_writes_nothing_and_names_what_changes(pitproof: Call, kept: Path) -> None:
    before = kept.read_bytes()
    ended = pitproof("replay", "--db", kept, "--format", "json", *BIG_8)
    report = ended.report
    assert ended.status == 0
    assert list(report) == [
        *("version", "rounds", "player_net_expected_cents", "player_net_what_if_cents", "changed"),
    ]
    assert {row["wager"] for row in report["changed"]} == {"BIG_8"}
    assert {tuple(row) for row in report["changed"]} == {
        (
            *("table_id", "round_id", "spot", "hand", "wager", "bettor"),
            *("expected_cents", "what_if_cents"),
        )
    }
    assert kept.read_bytes() == before
    rows = list(
        csv.DictReader(
            io.StringIO(pitproof("replay", "--db", kept, "--format", "csv", *BIG_8).out.decode())
        )
    )
    assert [row["round_id"] for row in rows] == [row["round_id"] for row in report["changed"]]
    words = pitproof("replay", "--db", kept, *BIG_8).out.decode()
    for heading in ("table", "wager", "player", "gaming day"):
        assert f"\n  {heading} " in words
    assert f"{len(rows)} wagers change, in" in words
    assert max(map(len, words.splitlines())) <= 100


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("4c", "1 wager changes, in 1 round:"),
        ("??", "0 wagers change, 1 is not known, in 1 round:"),
    ],
)
def test_one_wager_is_told_as_one(pitproof: Call, card: str, said: str) -> None:
    round_ = (
        *("--paytable", "BIG_8=7", "--bet", "1 BIG_8 10", "--cards", "1 9c 9s"),
        *("--cards", f"hand_1 4s 4d {card}", "--cards", "hand_2 Tc Jc Qc"),
        *("--table", "DD-01", "--at", "2026-04-18T14:13", "--output", "typed.jsonl"),
    )
    assert pitproof("settle", "DAKOTA_DUEL_DRAW", *round_).status == 0
    pitproof("audit", "typed.jsonl", "--db", "typed.db")
    words = pitproof("replay", "--db", "typed.db", "--paytable", "DD-01:BIG_8=5").out.decode()
    assert f"\n{said}\n" in words


WRONG = [
    (("--edition", "2022-08-10"), "2022-08-09"),
    (("--edition", "the last"), "2022-08-09"),
    (("--paytable", "DD-7:BIG_8=1"), "DD-07"),
    (("--paytable", "DD-07:BIG_9=1"), "BIG_8"),
    (("--paytable", "DD-07:BIG_8=9"), "1, 2, 3, 4, 5, 6, 7"),
    (("--paytable", "DD-07"), "TABLE:WAGER=ID"),
    (("--reading", "RT-RANGE=some"), "whole-multiples"),
    (("--reading", "RT-RANGES=some"), "RT-RANGE"),
    (("--house-way", "TS-03=mine"), "published-2011"),
    (("--house-way", "TS-3=published-2011"), "TS-03"),
    (("--table", "TS-3"), "TS-03"),
    (("--game", "BLACKJACK"), "TEXAS_SHOOTOUT"),
    (("--from", "yesterday"), "2026-04-18"),
    (("--from", "2026-04-19", "--to", "2026-04-18"), "swap"),
    (("--cores", "none"), "whole number"),
    (("--format", "xml"), "json"),
]


@pytest.mark.parametrize(("flags", "says"), WRONG)
def test_what_does_not_do_is_answered_by_what_there_is(
    flags: tuple[str, ...], says: str, pitproof: Call, kept: Path
) -> None:
    ended = pitproof("replay", "--db", kept, *flags)
    assert (ended.status, ended.out) == (2, b"")
    assert says in ended.err
    assert "Traceback" not in ended.err


def test_no_round_is_no_error(pitproof: Call, kept: Path) -> None:
    ended = pitproof("replay", "--db", kept, "--format", "json", "--from", "2030-01-01")
    assert (ended.status, ended.report["rounds"], ended.report["same"]) == (0, 0, True)


def test_house_ways_that_are_not_at_hand_are_said(
    pitproof: Call, kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "ways"
    folder.mkdir()
    (folder / "x.toml").write_text("")
    monkeypatch.setenv("PITPROOF_HOUSE_WAYS", str(folder))
    ended = pitproof("replay", "--db", kept)
    assert (ended.status, ended.out) == (2, b"")


CALLS = [
    ("--format", "json"),
    (),
    ("--table", "RT-12", "--format", "json"),
    ("--table", "RT-99"),
    ("--format", "json", *BIG_8),
    ("--from", "2026-04-18", *BIG_8),
]


def test_of_a_history_in_use_the_same_bytes(pitproof: Call, kept: Path) -> None:
    alone = [pitproof("replay", "--db", kept, *call) for call in CALLS]
    with standing(kept):
        owned = [pitproof("replay", "--db", kept, *call) for call in CALLS]
    assert owned == alone
    assert {ended.status for ended in alone} == {0, 2}


def test_a_history_in_use_goes_on_growing_meanwhile(
    pitproof: Call, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with standing(kept) as stands:

        def grow() -> int:
            with stands.history.transaction():
                journal = Journal(stands.history)
                journal.append("late.jsonl", arrow(evening("RT-77", 3)))
                return journal.decide().events

        grown: list[int] = []

        class Growing:
            def __init__(self, doing: str) -> None:
                assert doing == "replaying"

            def __enter__(self) -> Growing:
                return self

            def __exit__(self, *_: object) -> None:
                pass

            def judging(self, judged: int, total: int) -> None:
                if not grown:
                    grown.append(stands.state.ask(grow).result(timeout=30))

        monkeypatch.setattr("services.command_line.progress.Progress", Growing)
        ended = pitproof("replay", "--db", kept, "--format", "json")
        assert grown == [19]
        assert (ended.status, ended.report["rounds"]) == (0, 300)  # as it was when it began


def test_of_a_history_in_use_from_another_process(kept: Path) -> None:
    call = [str(COMMAND), "replay", "--db", str(kept), "--format", "json"]
    alone = subprocess.run(call, check=False, capture_output=True, cwd="/", timeout=120)
    with standing(kept):
        owned = subprocess.run(call, check=False, capture_output=True, cwd="/", timeout=120)
    assert (owned.returncode, owned.stdout, owned.stderr) == (0, alone.stdout, b"")


def test_interrupted_it_ends_with_130_and_leaves_no_process(
    pitproof: Call, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "EVENTS_A_PROCESS_MIN", 1)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def noted(*words: Any, **settings: Any) -> subprocess.Popen[bytes]:
        started.append(start(*words, **settings))
        return started[-1]

    monkeypatch.setattr("services.processes.subprocess.Popen", noted)
    monkeypatch.setattr("services.command_line.progress.Progress.judging", interrupt)
    ended = pitproof("replay", "--db", kept, "--cores", "2")
    assert (ended.status, ended.out) == (130, b"")
    assert "interrupted" in ended.err
    assert len(started) == 1  # beside the one that was called
    assert all(process.returncode is not None for process in started)
