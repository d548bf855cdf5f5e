"""The report as people and programs get it: CSV, a table of 100 columns, HTML to be printed."""

import csv
import io
import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import Final

import msgspec
import pytest
from rich.console import Console

from services.statistics.csv import csv_chunks
from services.statistics.html import html_chunks
from services.statistics.model import COLUMNS, Line, Note, NoteCode, Period, Statistics, json_chunks
from services.statistics.table import statistics_table
from services.statistics.words import percent

EVIL: Final = "<script>alert(1)</script>\x1b[2J\"'&"
MADE_AT: Final = datetime(2026, 4, 19, 12, 30, tzinfo=UTC)
DAY: Final = date(2026, 4, 18)

PLAIN: Final = Line(
    period=Period.DAY,
    first_day=DAY,
    last_day=DAY,
    shift=None,
    game="TEXAS_SHOOTOUT",
    table_id="TS-03",
    currency="USD",
    openings=1,
    openings_counted=1,
    rounds=100,
    rounds_not_judged=0,
    opening_tray_cents=10_000_00,
    closing_tray_cents=10_240_00,
    fills_cents=1_000_00,
    credits_cents=300_00,
    drop_cents=500_00,
    win_by_count_cents=40_00,
    win_by_rounds_cents=45_00,
    difference_cents=-5_00,
    explained_cents=-5_00,
    too_much_cents=20_00,
    too_little_cents=5_00,
    win_by_count_over_drop_bp=800,
    win_by_rounds_over_drop_bp=900,
    counted_drop_cents=500_00,
    counted_win_by_count_cents=40_00,
    counted_win_by_rounds_cents=45_00,
    counted_explained_cents=-5_00,
    notes=(),
)


def changed(**fields: object) -> Line:
    return msgspec.structs.replace(PLAIN, **fields)


UNKNOWN: Final = {
    "openings": 2,
    "win_by_count_cents": None,
    "difference_cents": None,
    "explained_cents": None,
    "win_by_count_over_drop_bp": None,
    "opening_tray_cents": None,
    "closing_tray_cents": None,
}

REPORT: Final = Statistics(
    casino=EVIL,
    timezone="America/Denver",
    shifts=(),
    first=DAY,
    last=DAY,
    table=None,
    game=None,
    transaction=7,
    committed_at=MADE_AT,
    lines=(
        changed(table_id=EVIL, game="RUN_EM_TWICE"),
        PLAIN,
        changed(period=Period.SHIFT, shift=EVIL, notes=(NoteCode.NOT_COUNTED_BY_SHIFT,), **UNKNOWN),
        changed(table_id="TS-04"),
        changed(table_id=None, drop_cents=98_765_432_109_00),
        changed(table_id=None, game=None, **UNKNOWN),
    ),
    notes=(
        Note(
            code=NoteCode.STILL_OPEN,
            gaming_day=DAY,
            table_id=EVIL,
            opened_seq=1,
            message="still open",
        ),
    ),
)


def html() -> str:
    return b"".join(html_chunks(REPORT, MADE_AT)).decode()


def people(report: Statistics = REPORT, width: int = 100) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=width, highlight=False, markup=False, emoji=False)
    for part in statistics_table(report):
        console.print(part)
    return [line.rstrip() for line in text.getvalue().split("\n")]


class Tags(HTMLParser):
    """Every tag with its attributes, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def tags() -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(html())
    return parser.found


def test_csv_has_the_keys_of_the_json() -> None:
    rows = list(csv.reader(io.StringIO(b"".join(csv_chunks(REPORT)).decode())))
    assert rows[0] == list(COLUMNS)
    assert [len(row) for row in rows] == [len(COLUMNS)] * (len(REPORT.lines) + 1)
    said = msgspec.json.decode(b"".join(json_chunks(REPORT)))
    assert list(said["lines"][0]) == list(COLUMNS)
    assert rows[3][COLUMNS.index("win_by_count_cents")] == ""
    assert rows[3][COLUMNS.index("notes")] == "NOT_COUNTED_BY_SHIFT"


def test_html_runs_and_fetches_nothing() -> None:
    assert {tag for tag, _ in tags()} <= set(
        "html head meta title style body section header h1 h2 p table thead tbody tr th td dl dt "
        "dd".split()
    )
    assert {name for _, given in tags() for name in given} <= set(
        "lang charset http-equiv content class colspan".split()
    )
    assert "://" not in html()
    assert "url(" not in html()
    assert "default-src 'none'" in html()


def test_html_escapes_every_name() -> None:
    assert "<script" not in html()
    assert "\x1b" not in html()
    assert html().count("&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J&quot;&#x27;&amp;") >= 4


def test_html_prints_a_game_a_page() -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", html())
    assert headings == ["Run&#x27;em Twice", "Texas Shootout", "all games", "Notes and meanings"]
    assert "section + section { break-before: page;" in html()
    assert 'content: "page " counter(page) " of " counter(pages)' in html()
    assert "size: landscape" in html()  # of whatever paper: none is named


def test_html_says_when_and_by_what_it_was_made() -> None:
    assert len(re.findall(r"made 2026-04-19 06:30 MDT by pitproof \d", html())) == 4
    assert "as of its transaction 7" in html()


def test_every_row_of_html_is_as_wide_as_its_table() -> None:
    for table in re.findall(r"<table>.*?</table>", html(), flags=re.DOTALL):
        [head] = re.findall(r"<thead>(.*?)</thead>", table)
        width = head.count("<th")
        for row in re.findall(r"<tr>(.*?)</tr>", table.split("</thead>")[1]):
            assert row.count("<td") == width or f'colspan="{width}"' in row


def test_people_get_100_columns_and_no_control_characters() -> None:
    lines = people()
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    text = "\n".join(lines)
    assert "$98,765,432,109.00" in text
    assert "…" not in text


def test_at_80_columns_figures_stand_below_their_words() -> None:
    report = msgspec.structs.replace(REPORT, lines=(PLAIN,), notes=())
    beside = "$500.00        $40.00         $45.00      -$5.00     -$5.00     8.00%"
    [wide] = [line for line in people(report) if beside in line]
    [words] = wide.split(beside, 1)[:1]
    narrow = people(report, 80)
    assert max(map(len, narrow)) <= 80
    assert [narrow[narrow.index(words.rstrip()) + 1].strip()] == [beside]


def test_people_see_what_is_not_known() -> None:
    rows = [line.split()[-6:] for line in people() if "(9.00%)" in line]
    assert rows == [["$500.00", "-", "$45.00", "-", "-", "(9.00%)"]] * 2
    assert any(line.split()[:3] == ["1", "of", "2"] for line in people())
    assert any("not counted at the change of shifts" in line for line in people())


@pytest.mark.parametrize(
    ("basis_points", "said"), [(0, "0.00%"), (800, "8.00%"), (-17255, "-172.55%"), (5, "0.05%")]
)
def test_percent(basis_points: int, said: str) -> None:
    assert percent(basis_points) == said
