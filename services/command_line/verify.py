"""`pitproof verify`: is a history whole, and which digests does it have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from services.command_line.output import check_writable, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    Format,
    FormatFlag,
    OutputFlag,
    format_of,
    history_of,
)


def command(
    context: typer.Context,
    db: DbFlag = None,
    format: FormatFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Check that a history is whole, and show the digests of its events and findings.

    Exit status: 0 whole, 1 problems, 2 cannot be read at all.
    """
    chosen = format_of(format)
    check_writable(output)
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    path = history_of(db, settings)
    from services.command_line.asking import ask
    from services.queries.verify import VERIFY, VerifyAsked

    result = ask(VERIFY, path, VerifyAsked(), settings)
    if chosen is Format.JSON:
        write_result(VERIFY.told(result), output)
    elif chosen is Format.CSV:
        write_result([_csv(result)], output)
    else:
        from services.command_line.people import write_text

        write_text(_told(result, path), output)
    return 0 if result["ok"] else 1


def _csv(result: Mapping[str, Any]) -> bytes:
    from services.csv_rows import csv_rows

    names = ("what", "where", "message")
    return csv_rows([names, *([each[name] for name in names] for each in result["problems"])])


def _told(result: Mapping[str, Any], path: str) -> str:
    from services.report.words import count, shown

    problems = result["problems"]
    lines = [
        f"{shown(path)} is {'whole' if result['ok'] else 'not whole'}",
        *(
            f"  {count(result[f'{what}s'] or 0, what):>20}   "
            f"digest {result[f'{what}s_digest'] or 'cannot be told'}"
            for what in ("event", "finding")
        ),
        *([f"{count(len(problems), 'problem')}:"] if problems else []),
        *(f"  {p['what']}  {shown(p['where'])}  {shown(p['message'])}" for p in problems),
    ]
    return "\n".join(lines) + "\n"
