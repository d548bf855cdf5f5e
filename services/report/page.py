"""A report as one HTML file to be printed: nothing is fetched, nothing runs.

It says whose it is, of what, when it was made and by which version, at the head of each section;
sections begin a page of their own, heads of tables are repeated, pages are counted. Everything that
is not written here is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from importlib.metadata import version
from typing import Final
from zoneinfo import ZoneInfo

from services.shown import shown

_STYLE: Final = """
@page { margin: 14mm 12mm 16mm;
  @bottom-left { content: "pitproof"; font: 7.5pt sans-serif; color: #555; }
  @bottom-right { content: "page " counter(page) " of " counter(pages);
    font: 7.5pt sans-serif; color: #555; } }
:root { color-scheme: light; }
body { font: 8.5pt/1.35 "Liberation Sans", Arial, Helvetica, sans-serif; color: #000;
  background: #fff; margin: 0 auto; max-width: 250mm; }
header { border-bottom: 0.6pt solid #000; margin-bottom: 3mm; padding-bottom: 1.5mm;
  break-after: avoid; }
header h1 { font-size: 12pt; margin: 0; }
header p { margin: 0; }
h2 { font-size: 11pt; margin: 0 0 2mm; break-after: avoid; }
section + section { break-before: page; margin-top: 10mm; }
@media print { section + section { margin-top: 0; } body { max-width: none; } }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
tbody { border-bottom: 0.4pt solid #999; }
th { font-weight: bold; text-align: left; vertical-align: bottom; }
th, td { padding: 0.5mm 1.2mm; }
td { vertical-align: top; }
thead th { border-bottom: 0.6pt solid #000; }
.number { text-align: right; white-space: nowrap; }
.name { white-space: nowrap; padding-right: 4mm; }
.strong { font-weight: bold; }
.faint { color: #555; }
.wrong { color: #b00000; }
td.text { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5mm 4mm; margin: 2mm 0; }
dt { font-weight: bold; }
dd { margin: 0; }
"""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands at the head of every section."""

    title: str
    casino: str
    """Empty: not set."""
    about: Sequence[str]
    """What it is of, when it was made, and by which version: a line each."""
    is_wide: bool = False
    """Printed across the longer side of the paper, of whatever size that is."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, not escaped, and the classes of its style."""

    text: str
    style: str = "text"


@dataclass(frozen=True, slots=True)
class Body:
    """Rows of a table that belong together."""

    rows: Iterable[Sequence[Cell]]


def page_chunks(head: Head, sections: Iterable[tuple[str, Iterable[str]]]) -> Iterator[bytes]:
    """The file: each section has a heading, and parts that are HTML already."""
    title = " - ".join(part for part in (head.title, head.casino) if part)
    style = f"{_STYLE}@page {{ size: landscape; }}\n" if head.is_wide else _STYLE
    yield _encoded(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{text(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )
    for heading, parts in sections:
        yield _encoded(f"<section>\n{_head(head)}<h2>{text(heading)}</h2>\n")
        for part in parts:
            yield _encoded(part)
        yield b"</section>\n"
    yield b"</body>\n</html>\n"


def text(words: str) -> str:
    """Text from anywhere, fit to stand in HTML."""
    return escape(shown(words))


def table(headings: Sequence[Cell], bodies: Iterable[Body]) -> Iterator[str]:
    """A table; its head is repeated on every page."""
    row = "".join(f'<th class="{_style(cell)}">{text(cell.text)}</th>' for cell in headings)
    yield f"<table>\n<thead><tr>{row}</tr></thead>\n"
    for body in bodies:
        yield "<tbody>\n"
        for cells in body.rows:
            inner = "".join(
                f'<td class="{_style(cell)}"{_span(cells, headings)}>{text(cell.text)}</td>'
                for cell in cells
            )
            yield f"<tr>{inner}</tr>\n"
        yield "</tbody>\n"
    yield "</table>\n"


def made_words(made_at: datetime, timezone: str) -> str:
    """When and by what a report was made."""
    local = made_at.astimezone(ZoneInfo(timezone))
    return f"made {local:%Y-%m-%d %H:%M %Z} by pitproof {version('pitproof')}"


def definitions(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Terms with what they mean."""
    yield "<dl>\n"
    for name, meaning in pairs:
        yield f"<dt>{text(name)}</dt><dd>{text(meaning)}</dd>\n"
    yield "</dl>\n"


def _head(head: Head) -> str:
    lines = [f"<h1>{text(head.title)}</h1>"]
    if head.casino:
        lines.insert(0, f'<p class="strong">{text(head.casino)}</p>')
    lines += [f"<p>{text(line)}</p>" for line in head.about]
    return f"<header>{''.join(lines)}</header>\n"


def _span(cells: Sequence[Cell], headings: Sequence[Cell]) -> str:
    """A row of one cell is as wide as the table."""
    return f' colspan="{len(headings)}"' if len(cells) == 1 < len(headings) else ""


def _style(cell: Cell) -> str:
    return escape(cell.style)


def _encoded(html: str) -> bytes:
    return html.encode("utf-8", "xmlcharrefreplace")
