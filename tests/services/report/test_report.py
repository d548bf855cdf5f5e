"""The report's three forms."""

import csv
import io
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from replay.findings import Finding, FindingCode
from replay.vocabulary import Wager
from services.report.csv import csv_chunks
from services.report.model import FINDING_KEYS, Report, ReportedFinding, Summary, json_chunks
from services.report.table import SHOWN_MAX, View, report_table
from services.report.words import CODES, WAGERS, days, kinds, shown
from tests.services.report.evening import DUPLICATE, GAP, UNDERPAID, VOIDED, evening

GOLDEN = Path(__file__).parent / "golden"
DENVER = ZoneInfo("America/Denver")


def as_json(report: Report) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(b"".join(json_chunks(report)))
    return loaded


def as_text(report: Report, *, colour: bool = False) -> str:
    text = io.StringIO()
    console = Console(
        file=text,
        width=100,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        legacy_windows=False,
    )
    view = View(
        zone=DENVER,
        explain=lambda f: (
            f"pitproof round {f.round_id} --file evening.jsonl" if f.round_id else None
        ),
    )
    for part in report_table(report, view):
        console.print(part)
    return "\n".join(line.rstrip() for line in text.getvalue().split("\n"))


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_json_has_the_contract_s_keys_in_its_order() -> None:
    loaded = json.loads(b"".join(json_chunks(evening())), object_pairs_hook=list)
    assert [key for key, _ in loaded] == ["version", "summary", "findings", "dead_letters"]
    summary, findings, letters = (value for _, value in loaded[1:])
    assert " ".join(key for key, _ in summary) == (
        "events dead_letters tables rounds settled voided held not_settled wagers staked_cents"
        " player_net_expected_cents player_net_actual_cents findings"
    )
    for finding in findings:
        assert [key for key, _ in finding] == list(FINDING_KEYS)
    assert FINDING_KEYS[:15] == tuple(
        "code severity table_id round_id spot hand wager bettor expected_cents actual_cents"
        " delta_cents clause readings event_ids message".split()
    )
    assert [[key for key, _ in letter] for letter in letters] == [
        ["source", "position", "error"]
    ] * 2


def test_json_of_a_finding() -> None:
    report = evening()
    rows = as_json(report)["findings"]
    assert isinstance(rows, list)
    first, second = rows[:2]
    assert (first["severity"], first["delta_cents"]) == ("critical", -500)
    assert (first["readings"], first["event_ids"]) == (["RT-SIXES"], ["id-of-640"])
    assert second["spot"] is second["wager"] is second["delta_cents"] is None
    assert rows[4]["first_missing_seq"] == 354
    assert (rows[5]["expected_low_cents"], rows[5]["expected_high_cents"]) == (-500, 2000)


def test_json_of_nothing() -> None:
    assert as_json(Report(summary=Summary()))["findings"] == []


def test_json_keeps_the_odd_bytes_of_a_file_name() -> None:
    report = evening()
    odd = replace(report.dead_letters[0], source=os.fsdecode(b"ev\xff.jsonl"))
    text = b"".join(json_chunks(replace(report, dead_letters=(odd,))))
    assert b'"ev\\udcff.jsonl"' in text
    assert os.fsencode(json.loads(text)["dead_letters"][0]["source"]) == b"ev\xff.jsonl"


def test_csv_has_a_row_a_finding() -> None:
    text = b"".join(csv_chunks(evening())).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == FINDING_KEYS
    assert [row["code"] for row in rows] == [r.finding.code for r in evening().findings]
    assert (rows[0]["delta_cents"], rows[1]["delta_cents"]) == ("-500", "")
    assert rows[0]["readings"] == "RT-SIXES"


def test_the_table_as_people_see_it() -> None:
    check_golden("evening.txt", as_text(evening()))


def test_the_table_of_a_clean_evening() -> None:
    summary = Summary(events=900, tables=1, rounds=12, settled=12, wagers=70, staked_cents=70_000)
    clean = Report(summary=summary, days=(date(2026, 4, 18), date(2026, 5, 2)))
    check_golden("clean.txt", as_text(clean))


def test_the_table_keeps_to_100_columns() -> None:
    assert max(len(line) for line in as_text(evening()).splitlines()) <= 100


def test_only_money_that_is_wrong_is_red() -> None:
    text = as_text(evening(), colour=True)
    red = [part.split("\x1b[0m")[0] for part in text.split("\x1b[31m")[1:]]
    # the total, by voids, two tables, three findings
    assert len([part for part in red if part.strip()]) == 7
    assert all("$" in part for part in red if part.strip())


def test_outside_text_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in as_text(evening())
    assert shown("a\x1b[31m\u202eb\n") == "a\\x1b[31m\\u202eb\\n"


def test_many_findings_are_not_all_written_out() -> None:
    [first, *_] = evening().findings
    many = replace(evening(), findings=(first,) * (SHOWN_MAX + 5))
    assert f"{SHOWN_MAX + 5:,} findings, 5 of them not shown." in as_text(many)


@pytest.mark.parametrize(
    ("code", "status"),
    [(FindingCode.MISPAY_CORRECTED, 0), (FindingCode.CLOCK_SKEW, 1), (FindingCode.OVERPAID, 1)],
)
def test_info_findings_do_not_count_against_it(code: FindingCode, status: int) -> None:
    finding = Finding(code=code, finding_id="0", table_id="T", seq=1, clause="(1)")
    report = Report(summary=Summary(), findings=(ReportedFinding(finding, ()),))
    assert report.exit_status == status


def test_a_dead_letter_counts_against_it() -> None:
    assert replace(evening(), findings=()).exit_status == 1
    assert Report(summary=Summary()).exit_status == 0


def covered() -> Iterator[tuple[tuple[date, ...], str]]:
    first = date(2026, 4, 18)
    yield (first,), "18 April 2026"
    yield (first, date(2026, 4, 19)), "18 to 19 April 2026"
    yield (first, date(2026, 5, 1)), "18 April to 1 May 2026"
    yield (first, date(2027, 1, 1)), "18 April 2026 to 1 January 2027"


@pytest.mark.parametrize(("of", "text"), list(covered()))
def test_days(of: tuple[date, ...], text: str) -> None:
    assert days(of) == text


def test_every_code_and_wager_has_its_words() -> None:
    assert set(CODES) == set(FindingCode)
    assert set(WAGERS) == {wager.name for wager in Wager}
    codes = [FindingCode.DEAL_ORDER, FindingCode.WAGER_LATE, FindingCode.DEAL_ORDER]
    assert kinds(codes, {FindingCode.WAGER_LATE: "$5.00"}) == (
        "a late wager ($5.00); 2 deals out of order"
    )


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (2_000, 1_500, "due to players $20.00 paid $15.00 $5.00 too little paid in all"),
        (1_500, 2_000, "due to players $15.00 paid $20.00 $5.00 too much paid in all"),
        (-2_000, -1_500, "due from players $20.00 taken $15.00 $5.00 too little taken in all"),
        (-1_500, -2_000, "due from players $15.00 taken $20.00 $5.00 too much taken in all"),
        (500, -500, "players' net due $5.00 settled -$5.00 $10.00 too little for players in all"),
        (0, 0, "due to players $0.00 paid $0.00 no difference"),
    ],
)
def test_the_sums_say_which_way_the_money_went(expected: int, actual: int, words: str) -> None:
    summary = Summary(player_net_expected_cents=expected, player_net_actual_cents=actual)
    assert " ".join(as_text(Report(summary=summary)).split()).endswith(
        f"{words} Nothing to report."
    )


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (-1_000, -2_000, "UNDERPAID $10.00 too much taken"),
        (0, -2_000, "UNDERPAID $20.00 too much taken"),
        (2_000, 0, "UNDERPAID $20.00 too little paid"),
        (-1_000, 0, "OVERPAID $10.00 too little taken"),
        (-1_000, 1_000, "OVERPAID $20.00 too much for the player"),
    ],
)
def test_a_finding_says_which_way_the_money_went(expected: int, actual: int, words: str) -> None:
    code = FindingCode.OVERPAID if actual > expected else FindingCode.UNDERPAID
    finding = replace(UNDERPAID, code=code, expected_cents=expected, actual_cents=actual)
    report = Report(summary=Summary(), findings=(ReportedFinding(finding, ()),))
    assert words in " ".join(as_text(report).split())


def test_wrong_voids_are_among_the_sums() -> None:
    """No wager of theirs is, so that without them nothing would seem to have gone wrong."""
    findings = (VOIDED, replace(VOIDED, spot=4, finding_id="6" * 32, expected_cents=1_000))
    report = Report(summary=Summary(), findings=tuple(ReportedFinding(f, ()) for f in findings))
    head = " ".join(as_text(report).split())[:200]
    assert "no difference by wrong voids $150.00 kept by players, $10.00 withheld" in head


def test_what_is_said_again_and_again_is_told_once() -> None:
    away = replace(
        GAP, code=FindingCode.EVENT_OUT_OF_PLACE, first_missing_seq=None, last_missing_seq=None
    )
    events = [replace(away, spot=seat, finding_id=f"{seat}" * 32) for seat in (1, 2, 3)]
    other = replace(away, message="something else", finding_id="9" * 32)
    findings = (*events, other, events[0])
    text = as_text(
        Report(summary=Summary(), findings=tuple(ReportedFinding(f, ()) for f in findings))
    )
    told = [" ".join(line.split()) for line in text.split("\n") if "EVENT_OUT_OF_PLACE" in line]
    assert told == [
        "TS-03 EVENT_OUT_OF_PLACE 3x",
        "TS-03 EVENT_OUT_OF_PLACE",
        "TS-03 seat 1 EVENT_OUT_OF_PLACE",
    ]
    assert "5 findings." in text


def test_an_id_without_letters_is_shown() -> None:
    finding = replace(DUPLICATE, table_id="", round_id="")
    text = as_text(Report(summary=Summary(), findings=(ReportedFinding(finding, ()),)))
    assert '""  round ""  ' in text
