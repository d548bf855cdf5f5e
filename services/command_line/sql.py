"""`pitproof sql "SELECT …"`: a question in SQL to a history, which can only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import STANDARD, check_writable, remark, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    DbFlag,
    OutputFlag,
    history_of,
    no_such,
    whole_number,
)
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from services.queries.sql import SqlResult

LIMIT_DEFAULT: Final = 10_000
LIMIT_MAX: Final = 1_000_000
FORMS: Final = ("table", "json", "csv", "parquet")

FormFlag = Annotated[
    str,
    typer.Option("--format", metavar="table|json|csv|parquet", help="How the rows are written."),
]
LimitFlag = Annotated[
    str, typer.Option("--limit", metavar="N", help=f"Rows at most, up to {LIMIT_MAX:,}.")
]


class SqlCommand(typer.core.TyperCommand):
    """The command; its help ends with the views and their columns."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Every view with its columns."""
        from services.history.views import all_views

        rows = [
            (view.name, ", ".join(column.name for column in view.columns)) for view in all_views()
        ]
        with formatter.section("Views and their columns (services/history/README.md says more)"):
            formatter.write_dl(rows)


COMMAND_CLASS: Final = SqlCommand


def command(
    context: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="SELECT", help="One SELECT, in quotes: SQL of DuckDB.")
    ],
    db: DbFlag = None,
    limit: LimitFlag = str(LIMIT_DEFAULT),
    format: FormFlag = DEFAULT_FORMAT,
    output: OutputFlag = None,
    config: ConfigFlag = None,
) -> int:
    """Put one SELECT to a history. It can only read, and is stopped after 30 s or at 1 GiB.

    Exit status: 0 answered, 2 refused, stopped, or the history cannot be read.
    """
    limit_rows = whole_number("--limit", limit, at_least=1, at_most=LIMIT_MAX)
    check_form(format, output)
    check_writable(output)
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    path = history_of(db, settings)
    from services.command_line.asking import ask
    from services.queries.sql import SQL, SqlAsked

    asked = SqlAsked(text=text, limit=limit_rows, form=format)
    result = ask(SQL, path, asked, settings)
    write_rows(result, format, output)
    return 0


def write_rows(result: SqlResult, form: str, output: str | None) -> None:
    """Write an answer; people are told when there is more."""
    if form == "table":
        from services.command_line.people import write_text

        write_text(result.content.decode("utf-8"), output)
    else:
        write_result([result.content], output)
    if result.days and form == "table":
        first, last = result.days
        remark(f"gaming days {first} to {last}; others with --from and --to")
    if result.truncated:
        remark(f"cut after {result.row_count:,} rows; there are more, see --limit")


def check_form(form: str, output: str | None) -> None:
    """Refuse a form that there is not, and Parquet on a terminal.

    Raises:
        BadArgumentError: the message says what there is.
    """
    if form not in FORMS:
        no_such("--format", form, FORMS, what="format")
    if form == "parquet" and output in (None, STANDARD):
        raise BadArgumentError(
            "--format parquet: is nothing to read on standard output",
            next_step="name a file with --output",
        )
