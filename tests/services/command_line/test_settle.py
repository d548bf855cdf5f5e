"""`pitproof settle`: what is due on a typed round, the same as on the round of a table."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.services.command_line.conftest import Call

EVENING: Final = Path(__file__).parents[2] / "samples" / "evening.jsonl"
COMMAND: Final = Path(sys.executable).parent / "pitproof"

DUE: Final = (
    *("spot", "hand", "wager", "bettor", "stake_cents", "expected_cents", "clause", "row"),
    "readings",
)

RUN_EM: Final = (
    *("--paytable", "ULTIMATE_PAIRS=4"),
    *("--bet", "1 FIRST_ANTE 10", "--bet", "1 SECOND_ANTE 10", "--bet", "1 FIRST_RUN 30"),
    *("--bet", "1 SECOND_RUN 25", "--bet", "1 CENTER 30", "--bet", "1 FIVE_CARD_BONUS 1"),
    *("--cards", "1 9c 9s", "--cards", "left 4s", "--cards", "right 6c", "--cards", "top 4d"),
    *("--cards", "bottom 4c", "--cards", "center Ad"),
)
DAKOTA: Final = (
    *("--paytable", "BIG_8=7", "--paytable", "POCKET_PAIR=4"),
    *("--bet", "1 BIG_8 10", "--bet", "1 HAND_2_ANTE 10", "--bet", "1 HAND_1_PLAY 10"),
    *("--bet", "1 BIG_8 5 tip", "--cards", "1 9c 9s", "--cards", "hand_1 4s 4d 4c"),
    *("--cards", "hand_2 Tc Jc Qc"),
)
SHOOTOUT: Final = (
    *("--paytable", "SHOOTOUT_BONUS=A", "--house-way", "published-2011"),
    *("--bet", "1 PRIMARY 10", "--bet", "1 SHOOTOUT_BONUS 5", "--bet", "1 PRIMARY 10 hand 2"),
    *("--bet", "1 SHOOTOUT_BONUS 5 hand 2", "--bet", "3 PRIMARY 10"),
    *("--cards", "1 8c 8d As Ah", "--decision", "1 SPLIT As Ah 8c 8d"),
    *("--cards", "3 Kh Kd 3d 4s", "--decision", "3 KEEP Kh Kd"),
    *("--cards", "dealer 2s 2c Ts 9s", "--cards", "flop Ac Ad As 3h 8c"),
)


def dues(report: dict[str, Any]) -> dict[tuple[int, int, str, str], int]:
    return {
        (row["spot"], row["hand"], row["wager"], row["bettor"]): row["expected_cents"]
        for row in report["wagers"]
    }


@pytest.mark.parametrize(
    ("game", "flags", "wanted"),
    [
        (
            "RUN_EM_TWICE",
            RUN_EM,
            {
                (1, 1, "FIRST_ANTE", "PLAYER"): 0,
                (1, 1, "SECOND_ANTE", "PLAYER"): 1000,
                (1, 1, "FIRST_RUN", "PLAYER"): 0,
                (1, 1, "SECOND_RUN", "PLAYER"): 5000,
                (1, 1, "CENTER", "PLAYER"): 6000,
                (1, 1, "FIVE_CARD_BONUS", "PLAYER"): 400,
            },
        ),
        (
            "dakota-duel-draw",
            DAKOTA,
            {
                (1, 1, "POCKET_PAIR", "PLAYER"): 3000,
                (1, 1, "HAND_1_PLAY", "PLAYER"): 8000,
                (1, 1, "HAND_2_ANTE", "PLAYER"): 2000,
                (1, 1, "BIG_8", "PLAYER"): 5000,
                (1, 1, "BIG_8", "DEALER"): 2500,
            },
        ),
        (
            "TEXAS_SHOOTOUT",
            SHOOTOUT,
            {
                (1, 1, "PRIMARY", "PLAYER"): 1000,
                (1, 2, "PRIMARY", "PLAYER"): 1000,
                (1, 1, "SHOOTOUT_BONUS", "PLAYER"): 25000,
                (1, 2, "SHOOTOUT_BONUS", "PLAYER"): 1500,
                (1, 2, "ENVY_BONUS", "PLAYER"): 1000,
                (3, 1, "PRIMARY", "PLAYER"): 1000,
            },
        ),
    ],
)
def test_what_is_due(
    pitproof: Call, game: str, flags: tuple[str, ...], wanted: dict[Any, int]
) -> None:
    ended = pitproof("settle", game, *flags, "--format", "json")
    assert (ended.status, ended.err) == (0, "")
    assert dues(ended.report) == wanted
    assert ended.report["findings"] == []
    assert {row["actual_cents"] for row in ended.report["wagers"]} == {None}


@pytest.mark.parametrize(
    "name", ["RT-12-000012", "RT-12-000002", "DD-07-000015", "DD-07-000084", "TS-03-000004"]
)
def test_a_round_of_a_table_typed_in_is_due_the_same(pitproof: Call, name: str) -> None:
    held = pitproof("round", name, "--file", EVENING, "--format", "json").report
    flags = typed_from(held)
    ended = pitproof("settle", held["game"], *flags, "--format", "json")
    assert ended.status == 0, ended.err
    wanted = [{key: row[key] for key in DUE} for row in held["wagers"]]
    assert [{key: row[key] for key in DUE} for row in ended.report["wagers"]] == wanted


def typed_from(held: dict[str, Any]) -> list[str]:
    """The flags by which somebody would type a round, from what stands in its JSON."""
    keys = {"ultimate_pairs": "ULTIMATE_PAIRS", "big_8": "BIG_8", "pocket_pair": "POCKET_PAIR"}
    keys["shootout_bonus"] = "SHOOTOUT_BONUS"
    flags = [f"--paytable={keys[key]}={id}" for key, id in held["paytables"].items()]
    flags.append(f"--gaming-day={held['gaming_day']}")
    if held["game"] == "TEXAS_SHOOTOUT":
        flags.append("--house-way=published-2011")
    for row in held["wagers"]:
        if row["stake_cents"] and row["wager"] not in ("POCKET_PAIR", "ENVY_BONUS"):
            dollars = f"{row['stake_cents'] // 100}.{row['stake_cents'] % 100:02}"
            hand = " hand 2" if row["hand"] == 2 else ""
            flags.append(f"--bet={row['spot']} {row['wager']} {dollars}{hand}")
    for card in held["cards"]:
        place = card["spot"] if card["place"] == "PLAYER" else card["place"].lower()
        flags.append(f"--cards={place} {card['card'] or '??'}")
    for event in held["timeline"]:
        if event["type"] == "DecisionMade":
            who = "dealer" if event["spot"] is None else event["spot"]
            flags.append(f"--decision={who} {event['decision']} {' '.join(event['cards'])}")
    return flags


def test_people_read_the_same_text_as_of_a_round(pitproof: Call) -> None:
    text = pitproof("settle", "RUN_EM_TWICE", *RUN_EM).out.decode()
    assert "hand 2   9♣ 9♠ 4♦ 4♣ A♦   two pair, nines and fours" in text
    assert "center        $30.00   due +$60.00   (8) the better of push and 2 to 1" in text
    assert "timeline" not in text


def test_unread_cards_give_bounds(pitproof: Call) -> None:
    flags = [flag.replace("center Ad", "center ??") for flag in RUN_EM]
    report = pitproof("settle", "RUN_EM_TWICE", *flags, "--format", "json").report
    [run] = [row for row in report["wagers"] if row["wager"] == "SECOND_RUN"]
    assert run["expected_cents"] is None
    assert (run["expected_low_cents"], run["expected_high_cents"]) == (5000, 30000)
    assert "ALL-UNSEEN" in run["readings"]


def test_a_text_file_says_the_same(pitproof: Call, tmp_path: Path) -> None:
    pairs = zip(DAKOTA[::2], DAKOTA[1::2], strict=True)
    lines = [f"{flag.removeprefix('--')} {value}  # typed" for flag, value in pairs]
    path = tmp_path / "round.txt"
    path.write_text("\n".join(["# one round", "", *lines]) + "\n")
    by_file = pitproof("settle", "DAKOTA_DUEL_DRAW", "--file", path, "--gaming-day", "2026-04-18")
    by_flags = pitproof("settle", "DAKOTA_DUEL_DRAW", *DAKOTA, "--gaming-day", "2026-04-18")
    assert by_file.out == by_flags.out != b""


@pytest.mark.parametrize(
    ("game", "flags"),
    [("RUN_EM_TWICE", RUN_EM), ("DAKOTA_DUEL_DRAW", DAKOTA), ("TEXAS_SHOOTOUT", SHOOTOUT)],
)
def test_written_as_events_it_joins_a_history(
    pitproof: Call, tmp_path: Path, game: str, flags: tuple[str, ...]
) -> None:
    path = tmp_path / "typed.jsonl"
    where = ("--table", "XX-01", "--round", "XX-01-7", "--recorded-by", "ann", "--output", path)
    day = ("--gaming-day", "2026-04-18")
    ended = pitproof("settle", game, *flags, *where, *day, "--format", "json")
    assert (ended.status, ended.out) == (0, b"")
    assert "due" in ended.err
    told = ended.err.splitlines()[-1]
    first = path.read_bytes()
    pitproof("settle", game, *flags, *where, *day)
    assert path.read_bytes() == first
    events = [json.loads(line) for line in first.splitlines()]
    assert {event["recorded_by"] for event in events} == {"ann"}
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert told == (
        f"events 1 to {len(events)} of table XX-01; its next round begins with "
        f"--first-seq {len(events) + 1}"
    )
    joined = pitproof("audit", path, "--db", "h.db", "--format", "json").report
    assert joined["dead_letters"] == []
    assert set(joined["summary"]["findings"]) == {"WAGER_UNSETTLED"}  # nobody typed what was paid
    round_ = pitproof("round", "XX-01-7", "--db", "h.db", "--format", "json").report
    settled = pitproof("settle", game, *flags, *day, "--format", "json").report
    assert dues(round_) == dues(settled)


@pytest.mark.parametrize(
    ("flags", "day"),
    [
        (("--at", "2026-04-18T21:40"), "2026-04-18"),
        (
            ("--at", "2026-04-19T02:30"),
            "2026-04-18",
        ),  # by the clock the next day, for the casino not
        (("--at", "2026-04-19T02:30", "--gaming-day", "2026-04-19"), "2026-04-19"),
    ],
)
def test_a_round_is_of_the_gaming_day_of_its_time(
    pitproof: Call, flags: tuple[str, ...], day: str
) -> None:
    report = pitproof("settle", "DAKOTA_DUEL_DRAW", *DAKOTA, *flags, "--format", "json").report
    assert report["gaming_day"] == day


def test_what_the_table_paid_may_be_typed_too(pitproof: Call) -> None:
    flags = [*DAKOTA, "--paid", "1 HAND_1_PLAY WIN 60", "--paid", "1 HAND_2_ANTE WIN 20"]
    ended = pitproof("settle", "DAKOTA_DUEL_DRAW", *flags, "--format", "json")
    assert ended.status == 1
    [row] = [row for row in ended.report["findings"] if row["code"] == "UNDERPAID"]
    assert (row["wager"], row["delta_cents"]) == ("HAND_1_PLAY", -2000)


def test_what_is_not_by_the_rule_is_found(pitproof: Call) -> None:
    flags = [flag.replace("FIRST_RUN 30", "FIRST_RUN 40") for flag in RUN_EM]
    ended = pitproof("settle", "RUN_EM_TWICE", *flags, "--format", "json")
    assert ended.status == 1
    assert [row["code"] for row in ended.report["findings"]] == ["WAGER_OUT_OF_RANGE"]
    assert "is $40.00 over $10.00" in ended.report["findings"][0]["message"]


def test_a_fold_comes_after_the_bets_that_were_made(pitproof: Call) -> None:
    at = RUN_EM.index("1 CENTER 30")
    flags = RUN_EM[: at - 1] + RUN_EM[at + 1 :]
    report = pitproof(
        "settle", "RUN_EM_TWICE", *flags, "--decision", "1 FOLD", "--format", "json"
    ).report
    assert report["findings"] == []
    assert dues(report)[1, 1, "SECOND_RUN", "PLAYER"] == -2500
    decisions = [e["decision"] for e in report["timeline"] if e["type"] == "DecisionMade"]
    assert decisions == ["PLAY", "PLAY", "FOLD"]


def test_the_house_way_is_taken_for_granted_aloud(pitproof: Call) -> None:
    at = SHOOTOUT.index("--house-way")
    flags = SHOOTOUT[:at] + SHOOTOUT[at + 2 :]
    ended = pitproof("settle", "TEXAS_SHOOTOUT", *flags, "--format", "json")
    assert "published-2011" in ended.err
    kept = pitproof(
        "settle", "TEXAS_SHOOTOUT", *flags, "--decision", "dealer KEEP Ts 9s", "--format", "json"
    )
    assert kept.err == ""
    [told] = [row for row in kept.report["wagers"] if (row["spot"], row["wager"]) == (3, "PRIMARY")]
    assert told["hands"][1]["cards"][:2] == ["Ts", "9s"]


@pytest.mark.parametrize(
    ("arguments", "say"),
    [
        ((), "GAME"),
        (("POKER",), "RUN_EM_TWICE"),
        (("RUN_EM_TWICE",), "nobody has a bet"),
        (("RUN_EM_TWICE", "--bet", "1 BIG_8 5"), "FIRST_ANTE"),
        (("RUN_EM_TWICE", "--bet", "1 FIRST_ANTE 5"), "seat 1: 2 cards lacking"),
        (("RUN_EM_TWICE", "--paytable", "BIG_8=1"), "ULTIMATE_PAIRS=ID"),
        (("RUN_EM_TWICE", "--paytable", "ULTIMATE_PAIRS=6"), "1, 2, 3, 4, 5"),
        (("TEXAS_SHOOTOUT", "--house-way", "mine"), "published-2011"),
        (("DAKOTA_DUEL_DRAW", "--edition", "2020-01-01"), "2022-08-09"),
        (("DAKOTA_DUEL_DRAW", "--edition", "2022-08-09", "--gaming-day", "2026-01-01"), "one"),
        (("DAKOTA_DUEL_DRAW", "--edition", "2021-04-26", *DAKOTA), "not held"),
        (("DAKOTA_DUEL_DRAW", *DAKOTA[4:]), "--paytable BIG_8=ID"),
        (("DAKOTA_DUEL_DRAW", *DAKOTA, "--output", "x.csv"), ".jsonl"),
        (("DAKOTA_DUEL_DRAW", *DAKOTA, "--at", "noon"), "2026-04-18T14:13"),
        (("DAKOTA_DUEL_DRAW", *DAKOTA, "--at", "2021-05-01T20:00"), "not held"),
        (("DAKOTA_DUEL_DRAW", *DAKOTA, "--first-seq", "0"), "--first-seq"),
        (("DAKOTA_DUEL_DRAW", "--file", "none.txt"), "none.txt"),
    ],
)
def test_a_bad_call(
    pitproof: Call, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], say: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    ended = pitproof("settle", *arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert say in ended.err
    assert "Traceback" not in ended.err


def test_a_round_is_asked_for_on_a_terminal(tmp_path: Path) -> None:
    """Question by question, as somebody at a keyboard sees it; a wrong card is asked again."""
    answers = {
        "seats in play": ["1"],
        "primary $": ["10"],
        "shootout bonus $": [""],
        "seat 1  4 cards": ["Kh Kx 3d 4s", "Kh Kd 3d 4s"],
        "seat 1  keeps": ["Kh Kd"],
        "dealer  4 cards": ["2s 2c Ts 9s"],
        "dealer  keeps": [""],
        "flop  5 cards": ["Ac Ad As 3h 8c"],
    }
    leader, follower = os.openpty()
    command = [str(COMMAND), "settle", "TEXAS_SHOOTOUT"]
    environment = {**os.environ, "TERM": "dumb"}
    with subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, env=environment
    ) as running:
        os.close(follower)
        try:
            shown = conversation(leader, answers)
            running.wait(timeout=30)
        finally:
            running.kill()
    os.close(leader)
    assert running.returncode == 0
    assert not any(answers.values())
    assert "Kx is no card" in shown
    assert "due +$10.00" in shown


def conversation(leader: int, answers: dict[str, list[str]]) -> str:
    """Answer every question on a terminal until nobody is there; all that was shown."""
    shown, waiting = "", ""
    while select.select([leader], [], [], 30)[0]:
        try:
            part = os.read(leader, 4096).decode(errors="replace")
        except OSError:  # the other end is closed
            return shown
        shown, waiting = shown + part, waiting + part
        question = waiting.splitlines()[-1] if waiting else ""
        if question.endswith(": ") and question.count("(") == question.count(")"):
            [asked] = [key for key in answers if question.startswith(key) or key in question]
            os.write(leader, answers[asked].pop(0).encode() + b"\n")
            waiting = ""
    return shown
