"""One round, found by its id and explained: out of a history, out of a file, or typed in.

The findings are those of an audit; the wagers are argued by the engine while it judges the stretch
that holds the round.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from replay.explain import ExplainedRound, Explainer
from replay.findings import FindingCode
from replay.resettle import Resettler
from replay.verdict import RoundStatus
from replay.vocabulary import Game
from services.audit import Watcher, judge_tables, made_with, nothing_in, read_files, rulebook_for
from services.errors import BadArgumentError
from services.held import check_table, opened
from services.history.event_objects import opening_before, round_events
from services.history.journal import Journal
from services.history.scopes import TO_THE_END
from services.history.stretches import stretches
from services.report.gather import findings_of_round, gaps_between
from services.report.model import ReportedFinding
from services.sources.files import event_files

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from services.history.store import History

NAMED_MAX: Final = 5
READING: Final = "reading "
"""What the settings of a history call the readings that it was made with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReport:
    """A round as `pitproof round` tells it."""

    table_id: str
    round_id: str
    game: Game
    status: RoundStatus | None
    """None: never opened, so that nothing of it is judged."""
    why: str
    """Why it is not settled; empty where it is."""
    gaming_day: date | None
    dealer_id: str | None
    opened_at: str | None
    ended_at: str | None
    paytables: Mapping[str, str]
    explained: ExplainedRound | None
    findings: tuple[ReportedFinding, ...]
    timeline: tuple[dict[str, Any], ...]

    @property
    def exit_status(self) -> int:
        """0 as long as nothing but info findings came up."""
        return int(any(row.finding.severity.value != "info" for row in self.findings))


def round_of_file(
    name: str,
    round_id: str,
    table_id: str | None = None,
    *,
    readings: Mapping[str, str] | None = None,
    house_ways: Path | None = None,
    watcher: Watcher | None = None,
) -> RoundReport:
    """A round out of an event file; only its own table is judged.

    Raises:
        PitproofError: the file cannot be read, or holds no such round, or one at several tables.
    """
    rulebook = rulebook_for(readings or {}, house_ways)
    with (
        event_files([name]) as files,
        opened(None, create=True) as history,
        history.transaction(),
    ):
        journal = Journal(history)
        first_error = read_files(journal, files, watcher)
        if not journal.decide().events:
            raise nothing_in([name], first_error)
        table_id = _table_of(history, round_id, table_id, name)
        return _judged(history, rulebook, table_id, round_id)


def round_of_rows(
    rows: Iterable[Mapping[str, Any]], table_id: str, round_id: str, rulebook: Rulebook
) -> RoundReport:
    """A round out of events in memory, as JSON objects.

    Raises:
        BadArgumentError: one of them is no event.
    """
    from services.decode.json_lines import decode_piece
    from services.encode import json_line

    table, dead = decode_piece(b"".join(json_line(row) for row in rows), "typed", 1)
    if dead:
        raise BadArgumentError(f"{dead[0].error}")
    with opened(None, create=True) as history, history.transaction():
        journal = Journal(history)
        journal.append("typed", table)
        journal.decide()
        return _judged(history, rulebook, table_id, round_id)


def round_in_history(
    history: History,
    round_id: str,
    table_id: str | None = None,
    *,
    house_ways: Path | None = None,
    named: str = "",
) -> RoundReport:
    """A round out of a history, argued by the readings that the history was made with.

    Raises:
        PitproofError: the history holds no such round, or one at several tables; `named` says how
            the message names the history.
    """
    table_id = _table_of(history, round_id, table_id, named or str(history.path))
    rulebook = rulebook_for(_readings_of(history), house_ways)
    explainer = Explainer(table_id, round_id)
    seqs = _seqs_around(history, table_id, round_id)
    if seqs is not None:
        resettler = Resettler(rulebook, look_on=explainer)
        for stretch in stretches(history, [table_id], seqs=seqs):
            resettler.judge(stretch)
            if explainer.found is not None:
                break
    return _report(history, table_id, round_id, explainer.found)


def _judged(history: History, rulebook: Rulebook, table_id: str, round_id: str) -> RoundReport:
    explainer = Explainer(table_id, round_id)
    judge_tables(history, rulebook, [table_id], look_on=explainer)
    return _report(history, table_id, round_id, explainer.found)


def rulebook_of(history: History, house_ways: Path | None) -> Rulebook:
    """The rules by which a history was judged so far.

    Raises:
        HistoryMadeOtherwiseError: it was made with other house ways than these.
    """
    rulebook = rulebook_for(_readings_of(history), house_ways)
    history.require(made_with(rulebook, house_ways))
    return rulebook


def _readings_of(history: History) -> dict[str, str]:
    rows = history.rows("SELECT name, value FROM settings WHERE starts_with(name, ?)", [READING])
    return {name.removeprefix(READING): value for name, value in rows}


def _table_of(history: History, round_id: str, table_id: str | None, origin: str) -> str:
    """The one table that has the round; a round without `RoundOpened` counts too.

    Raises:
        BadArgumentError: no table has it, or several; the message names what there is.
    """
    if table_id is not None:
        check_table(history, table_id)
    condition, values = ("", []) if table_id is None else (" AND table_id = ?", [table_id])
    found = history.rows(
        f"SELECT DISTINCT table_id FROM events WHERE round_id = ?{condition} ORDER BY ALL",  # noqa: S608
        [round_id, *values],
    )
    if len(found) == 1:
        return str(found[0][0])
    if found:
        raise BadArgumentError(
            f"round {round_id}: there is one at {len(found)} tables",
            next_step=f"name one with --table: {', '.join(table for (table,) in found)}",
        )
    if table_id is not None:
        elsewhere = history.rows(
            "SELECT DISTINCT table_id FROM events WHERE round_id = ? ORDER BY ALL LIMIT ?",
            [round_id, NAMED_MAX],
        )
        if elsewhere:
            raise BadArgumentError(
                f"round {round_id}: is not at table {table_id}",
                next_step=f"it is at {', '.join(table for (table,) in elsewhere)}",
            )
    near = history.rows(
        "SELECT round_id FROM events WHERE kind = 'RoundOpened'"  # noqa: S608
        f"{condition} GROUP BY round_id "
        "ORDER BY jaro_winkler_similarity(lower(round_id), lower(?)) DESC, round_id LIMIT ?",
        [*values, round_id, NAMED_MAX],
    )
    at = f" at table {table_id}" if table_id is not None else ""
    named = ", ".join(each for (each,) in near)
    raise BadArgumentError(
        f"round {round_id}: {origin} has no such round{at}",
        next_step=f"nearest are {named}" if near else "it has no round at all",
    )


_SEQS: Final = """
WITH it AS (
    SELECT min(seq) AS seq, arg_min(shoe_id, seq) AS shoe_id FROM events
    WHERE table_id = $table AND round_id = $round AND kind = 'RoundOpened' AND standing
),
load AS (
    SELECT max(events.seq) AS seq FROM events, it
    WHERE table_id = $table AND kind = 'ShoeLoaded' AND standing AND events.seq < it.seq
        AND (it.shoe_id IS NULL OR events.shoe_id = it.shoe_id)
),
opening AS (
    SELECT max(events.seq) AS seq FROM events, load
    WHERE table_id = $table AND kind = 'TableOpened' AND standing AND events.seq <= load.seq
),
following AS (
    SELECT events.seq FROM events, it
    WHERE table_id = $table AND kind = 'RoundOpened' AND standing AND events.seq > it.seq
    ORDER BY events.seq LIMIT 2
)
SELECT it.seq, opening.seq, (SELECT max(seq) FROM following HAVING count(*) = 2)
FROM it, opening
"""
"""A round is judged right from the opening before its shoe was loaded to past the next round's
beginning: nothing before bears on it, and of later events only corrections, which are asked for."""


def _seqs_around(history: History, table_id: str, round_id: str) -> tuple[int, int] | None:
    sql = _SEQS.replace("$table", "?").replace("$round", "?")
    asked = [table_id, round_id, table_id, table_id, table_id]
    [(own, opening, following)] = history.rows(sql, asked)
    if own is None:
        return None
    return opening or 0, following or TO_THE_END


def _report(
    history: History, table_id: str, round_id: str, explained: ExplainedRound | None
) -> RoundReport:
    timeline = round_events(history, table_id, round_id)
    opening = opening_before(history, table_id, min(event["seq"] for event in timeline))
    rows = history.rows(
        "SELECT status::VARCHAR, gaming_day, dealer_id, opened_seq, ended_seq FROM rounds "
        "WHERE table_id = ? AND round_id = ? ORDER BY opened_seq LIMIT 1",
        [table_id, round_id],
    )
    status, day, dealer, first_seq, last_seq = rows[0] if rows else (None,) * 5
    findings = findings_of_round(history, table_id, round_id)
    said = opening or {}
    known = None if status is None else RoundStatus[status]
    at = {event["seq"]: event["occurred_at"] for event in reversed(timeline)}
    last = last_seq or max(event["seq"] for event in timeline)
    return RoundReport(
        table_id=table_id,
        round_id=round_id,
        game=Game[said["game"]] if said else Game.UNKNOWN,
        status=known,
        why=_why(history, table_id, known, findings, explained, (first_seq or 0, last)),
        gaming_day=day or (date.fromisoformat(said["gaming_day"]) if said else None),
        dealer_id=dealer,
        opened_at=at.get(first_seq),
        ended_at=at.get(last_seq),
        paytables=said.get("paytables") or {},
        explained=explained,
        findings=findings,
        timeline=tuple(timeline),
    )


def _why(
    history: History,
    table_id: str,
    status: RoundStatus | None,
    findings: tuple[ReportedFinding, ...],
    explained: ExplainedRound | None,
    seqs: tuple[int, int],
) -> str:
    """Why a round is not settled, in a sentence; empty where it is."""
    if status is RoundStatus.SETTLED:
        return ""
    if status is None:
        return "it was never opened: its events are kept, and not judged"
    if status is RoundStatus.OPEN:
        return "it was still open when the events ended: not judged"
    if status is RoundStatus.VOIDED:
        return "it was voided: every stake goes back, and nothing is due"
    if status is RoundStatus.HELD:
        gaps = gaps_between(history, table_id, *seqs)
        named = " and ".join(
            f"event {first} is" if first == last else f"events {first} to {last} are"
            for first, last in gaps
        )
        missing = f"{named} missing" if gaps else "events are missing"
        return f"{missing}: it is held until they arrive or a person releases it"
    own = {row.finding.code: row.finding for row in findings}
    if FindingCode.DUPLICATE_CARD in own:
        return own[FindingCode.DUPLICATE_CARD].message
    if explained is None:
        return _not_in_force(history, table_id, seqs[0])
    if not explained.count_right:
        return "a wrong number of cards lies"
    return "it never ended, and nothing of it was settled"


def _not_in_force(history: History, table_id: str, seq: int) -> str:
    """What the table's opening has against it: no edition, or one whose text is not held."""
    rows = history.rows(
        "SELECT message FROM findings WHERE table_id = ? AND seq <= ? "
        "AND code IN ('NO_EDITION_IN_FORCE', 'EDITION_NOT_HELD') ORDER BY seq DESC LIMIT 1",
        [table_id, seq],
    )
    return str(rows[0][0]) if rows else "the table was never opened: no rule is known to hold"
