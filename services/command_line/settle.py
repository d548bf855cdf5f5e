"""`pitproof settle GAME`: what is due on a round that a person types."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
import typer.core

from services.command_line.output import STANDARD, check_writable, remark, write_result
from services.command_line.parameters import (
    DEFAULT_FORMAT,
    ConfigFlag,
    Format,
    FormatFlag,
    day_of,
    format_of,
    no_such,
    whole_number,
)
from services.errors import BadArgumentError

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from services.settings import Settings
    from services.settle.service import SettledRound, Settling

SEQ_MAX: Final = 2**62
YEAR_MIN: Final = 2
YEAR_MAX: Final = 9_998  # events may name a year more on either side, in which a round may end

EXAMPLES: Final = (
    (
        "a round of Run'em Twice:",
        "settle RUN_EM_TWICE --bet '1 FIRST_ANTE 10' --bet '1 SECOND_ANTE 10' "
        "--bet '1 FIRST_RUN 30' --decision '1 FOLD' --cards '1 9c 9s' --cards 'left 4s' "
        "--cards 'right 6c' --cards 'top 4d' --cards 'bottom 4c' --cards 'center ??'",
    ),
    ("a tip for the dealer:", "--bet '2 BIG_8 5 tip'"),
    (
        "a split of Texas Shootout:",
        "--decision '1 SPLIT 8c 8d Ah As' --bet '1 PRIMARY 10 hand 2'",
    ),
    (
        "the same in a text file:",
        "lines such as: bet 1 FIRST_ANTE 10; cards left 4s; decision 1 FOLD; # comment",
    ),
)


class SettleCommand(typer.core.TyperCommand):
    """The command; its help ends with examples."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """How a round is typed."""
        with formatter.section("Examples"):
            formatter.write_dl(EXAMPLES)


COMMAND_CLASS: Final = SettleCommand


def _text(flag: str, metavar: str, words: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=words)


Many = list[str] | None
Paytables = Annotated[Many, _text("--paytable", "WAGER=ID", "A posted paytable. Repeatable.")]
Bets = Annotated[Many, _text("--bet", '"SEAT WAGER DOLLARS"', "One bet. Repeatable.")]
Cards = Annotated[Many, _text("--cards", '"PLACE CARDS"', "Of a seat or a place; ?? unread.")]
Decisions = Annotated[
    Many, _text("--decision", '"SEAT DECISION [CARDS]"', "PLAY, FOLD, KEEP or SPLIT; seat: dealer.")
]
Payments = Annotated[
    Many, _text("--paid", '"SEAT WAGER OUTCOME [DOLLARS]"', "How the table settled a bet.")
]
TextFile = Annotated[str | None, _text("--file", "TEXT", "A text file with the same lines.")]
EditionFlag = Annotated[str | None, _text("--edition", "E", "By its first day, 2022-08-09.")]
DayFlag = Annotated[
    str | None, _text("--gaming-day", "DAY", "Whose rules hold; else that of --at, else today.")
]
HouseWay = Annotated[str | None, _text("--house-way", "NAME", "How the dealer sets the hand.")]
TableFlag = Annotated[str, _text("--table", "T", "Whose events these are.")]
RoundFlag = Annotated[str | None, _text("--round", "ID", "The round's id in the events.")]
FirstSeq = Annotated[str, _text("--first-seq", "N", "The first event's number: the table's next.")]
AtFlag = Annotated[str | None, _text("--at", "TIME", "When, as 2026-04-18T14:13.")]
RecordedBy = Annotated[str | None, _text("--recorded-by", "NAME", "Who typed it.")]
EventsFlag = Annotated[str | None, _text("--output", "FILE.jsonl", "Write the round as events.")]


def command(
    context: typer.Context,
    game: Annotated[str, typer.Argument(metavar="GAME", help="As RUN_EM_TWICE.")],
    paytable: Paytables = None,
    bet: Bets = None,
    cards: Cards = None,
    decision: Decisions = None,
    paid: Payments = None,
    file: TextFile = None,
    edition: EditionFlag = None,
    gaming_day: DayFlag = None,
    house_way: HouseWay = None,
    table: TableFlag = "TYPED",
    round_id: RoundFlag = None,
    first_seq: FirstSeq = "1",
    at: AtFlag = None,
    recorded_by: RecordedBy = None,
    output: EventsFlag = None,
    format: FormatFlag = DEFAULT_FORMAT,
    config: ConfigFlag = None,
) -> int:
    """Say what is due on one round, from its bets, cards and decisions.

    Without bets, on a terminal, everything is asked for. With --output the round is written as
    events, which can join a history, and what is due is shown on standard error.

    Exit status: 0 done, 1 something about the round is not by the rule, 2 could not.
    """
    chosen = format_of(format)
    _check_output(output)
    from services.settings import load_settings

    settings = load_settings(config or context.obj["config"])
    zone = settings.zone()
    when = _time_of(at, zone)
    settling = _started(game, settings, (edition, gaming_day), when)
    from services.settle.service import Whereabouts

    flags = (("bet", bet), ("cards", cards), ("decision", decision), ("paid", paid))
    posted = (("paytable", paytable), ("house-way", [house_way] if house_way else None))
    lines = _lines(file)
    settling.take(
        lines + [(word, value) for word, values in (*posted, *flags) for value in values or ()]
    )
    if not settling.typed.bets:
        _ask(settling)
    where = Whereabouts(
        table_id=table,
        round_id=round_id or f"{table}-000001",
        first_seq=whole_number("--first-seq", first_seq, at_least=1, at_most=SEQ_MAX),
        at=when,
        recorded_by=recorded_by,
    )
    settled = settling.settle(where, zone)
    for sentence in settling.assumed:
        remark(sentence)
    _write(settled, chosen, output, zone)
    return settled.report.exit_status


def _check_output(output: str | None) -> None:
    check_writable(output)
    if output is not None and output != STANDARD and not output.endswith(".jsonl"):
        raise BadArgumentError(
            f"--output {output}: events are written as JSON lines", next_step="name a .jsonl file"
        )


def _started(
    name: str,
    settings: Settings,
    edition_and_day: tuple[str | None, str | None],
    at: datetime | None,
) -> Settling:
    """An empty round of the game, on its gaming day: one given, else that of its time."""
    from datetime import UTC, datetime

    from replay.vocabulary import Game
    from services.history.sealed.days import GamingDays
    from services.settle.service import Settling, day_of_edition, default_day

    games = {one.name: one for one in Game if one is not Game.UNKNOWN}
    wanted = name.upper().replace("-", "_")
    if wanted not in games:
        no_such("GAME", name, games, what="game")
    edition, gaming_day = edition_and_day
    if edition and gaming_day:
        raise BadArgumentError(
            "--edition and --gaming-day: the day tells the edition", next_step="give one of them"
        )
    day = day_of("--gaming-day", gaming_day)
    days = GamingDays(settings.zone(), settings.gaming_day_starts)
    settling = Settling(
        games[wanted],
        day or days.of(at or datetime.now(UTC)),
        readings=settings.readings,
        house_ways=settings.house_ways,
    )
    if edition:
        settling.typed.gaming_day = day_of_edition(settling.rulebook, games[wanted], edition)
    elif day is None and at is None:
        today = settling.typed.gaming_day
        settling.typed.gaming_day = default_day(settling.rulebook, games[wanted], today)
    return settling


def _lines(file: str | None) -> list[tuple[str, str]]:
    if file is None:
        return []
    from pathlib import Path

    from services.errors import UnreadableFileError
    from services.settle.typed import lines_of

    path = Path(file)
    try:
        return lines_of(path.read_text(encoding="utf-8"), file)
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFileError(
            f"{file}: cannot be read as text: {getattr(error, 'strerror', None) or error}",
            next_step="check the path",
        ) from error


def _ask(settling: Settling) -> None:
    """Ask for the round, if somebody sits there."""
    if not sys.stdin.isatty():
        return  # what lacks is said like any other thing that lacks
    from services.settle.ask import Dialogue

    Dialogue(settling.typed, settling.rulebook, _prompt, remark).run()


def _prompt(question: str) -> str:
    """Ask on standard error, so that standard output holds the result alone."""
    sys.stderr.write(question)
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise BadArgumentError("the round ended before everything was answered")
    return answer.rstrip("\n")


def _time_of(text: str | None, zone: ZoneInfo) -> datetime | None:
    if text is None:
        return None
    from datetime import datetime

    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise BadArgumentError(
            f"--at {text}: is not a time", next_step="write it as --at 2026-04-18T14:13"
        ) from None
    if not YEAR_MIN <= at.year <= YEAR_MAX:
        raise BadArgumentError(f"--at {text}: is not in the years {YEAR_MIN} to {YEAR_MAX}")
    return at if at.tzinfo else at.replace(tzinfo=zone)


def _write(settled: SettledRound, chosen: Format, output: str | None, zone: ZoneInfo) -> None:
    from services.command_line.people import shown_round, write_round

    if output is None:
        write_round(settled.report, chosen, None, zone=zone, typed=True)
        return
    from services.encode import json_line
    from services.shown import shown

    write_result((json_line(row) for row in settled.rows), output)
    remark(shown_round(settled.report, zone=zone))
    first, last = settled.rows[0], settled.rows[-1]
    remark(
        f"events {first['seq']} to {last['seq']} of table {shown(first['table_id'])}; "
        f"its next round begins with --first-seq {last['seq'] + 1}"
    )
