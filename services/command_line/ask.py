"""`pitproof ask`: canned questions, for people who write no SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import check_writable, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    OutputFlag,
    history_of,
    whole_number,
)
from services.command_line.sql import (
    LIMIT_DEFAULT,
    LIMIT_MAX,
    FormFlag,
    LimitFlag,
    check_form,
    write_rows,
)
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from services.questions.catalogue import CannedQuestion


class AskCommand(typer.core.TyperCommand):
    """The command; its help ends with the questions."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Every question, with its parameters."""
        from services.questions.catalogue import questions

        with formatter.section("Questions, and their parameters"):
            formatter.write_dl(
                [(one.name, f"{one.title}. {_flags(one)}".strip()) for one in questions()]
            )


COMMAND_CLASS: Final = AskCommand


def command(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] [--PARAMETER VALUE]",
            help="The question and its parameters; without any, all questions are listed.",
        ),
    ] = None,
    db: DbFlag = None,
    limit: LimitFlag = str(LIMIT_DEFAULT),
    format: FormFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Ask a history one of the questions that come up again and again.

    Exit status: 0 answered, 2 there is no such question or parameter, or it could not be answered.
    """
    name, parameters = _taken_apart(words or [])
    limit_rows = whole_number("--limit", limit, at_least=1, at_most=LIMIT_MAX)
    if name is None:
        check_writable(output)
        _list(format, output)
        return 0
    check_form(format, output)
    check_writable(output)
    from services.queries.ask import ASK, AskAsked

    asked = AskAsked(name=name, parameters=parameters, limit=limit_rows, form=format)
    asked.check()
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    path = history_of(db, settings)
    from services.command_line.asking import ask

    write_rows(ask(ASK, path, asked, settings), format, output)
    return 0


def _taken_apart(words: Sequence[str]) -> tuple[str | None, dict[str, str]]:
    """The name of the question, and its parameters: `--from 2026-04-01` or `--from=2026-04-01`."""
    name: str | None = None
    parameters: dict[str, str] = {}
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word.startswith("--"):
            flag, equals, value = word[2:].partition("=")
            if not equals:
                if not waiting:
                    raise BadArgumentError(f"{word}: its value is missing")
                value = waiting.pop(0)
            parameters[flag.replace("-", "_")] = value
        elif name is None:
            name = word
        else:
            raise BadArgumentError(
                f"ask {name}: {word} belongs to nothing",
                next_step="a parameter is given as --name value",
            )
    if name is None and parameters:
        raise BadArgumentError(
            f"--{next(iter(parameters))}: of which question?", next_step="`pitproof ask` lists them"
        )
    return name, parameters


def _flags(question: CannedQuestion) -> str:
    return " ".join(
        f"--{one.name} {one.kind}" if one.default is None else f"[--{one.name} {one.kind}]"
        for one in question.parameters
    )


def _csv() -> bytes:
    """A row for each question."""
    from services.csv_rows import csv_rows
    from services.questions.catalogue import questions

    rows = ((one.name, one.title, one.answers, _flags(one)) for one in questions())
    return csv_rows([("name", "title", "answers", "parameters"), *rows])


def _list(form: str, output: str | None) -> None:
    """All questions, for people, as JSON or CSV."""
    from services.questions.catalogue import questions

    if form == "json":
        write_result([json.dumps(_objects()).encode() + b"\n"], output)
        return
    if form == "csv":
        write_result([_csv()], output)
        return
    if form != DEFAULT_FORMAT:
        raise BadArgumentError(
            f"--format {form}: the list of questions is a table, JSON or CSV",
            next_step="name a question for its rows",
        )
    import textwrap

    from services.command_line.people import width_for, write_text

    lines = []
    for one in questions():
        said = [(f"{one.title}. {one.answers}", "    ")]
        said += [
            (f"--{each.name} {each.kind}   {each.said}", "        ") for each in one.parameters
        ]
        lines.append(one.name)
        for text, below in said:
            lines += textwrap.wrap(
                text, width_for(output), initial_indent="    ", subsequent_indent=below
            )
    lines.append("pitproof ask NAME [--PARAMETER VALUE] --db PATH")
    write_text("\n".join(lines) + "\n", output)


def _objects() -> dict[str, Any]:
    from services.questions.catalogue import questions

    return {
        "version": 1,
        "questions": [
            {
                "name": one.name,
                "title": one.title,
                "answers": one.answers,
                "parameters": [
                    {
                        "name": parameter.name,
                        "kind": parameter.kind,
                        "required": parameter.default is None,
                        "said": parameter.said,
                    }
                    for parameter in one.parameters
                ],
            }
            for one in questions()
        ],
    }
