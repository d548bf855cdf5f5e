"""The whole audit: events as they arrived in, the report out."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.oracle import dakota_duel_draw, run_em_twice, texas_shootout
from tests.oracle.bets import bet_finding
from tests.oracle.decode import DeadLetterError, decode_event
from tests.oracle.editions import (
    DAKOTA_DUEL_DRAW,
    RUN_EM_TWICE,
    TEXAS_SHOOTOUT,
    clause,
    edition_problem,
)
from tests.oracle.findings import Event, Finding, about_event, stated
from tests.oracle.mismatch import Mismatches
from tests.oracle.money import Totals, judge_money, round_net
from tests.oracle.rounds import Round, read_cards
from tests.oracle.shoes import (
    DeckOrders,
    count_copies,
    duplicate_findings,
    loading_findings,
    past_cut_findings,
)
from tests.oracle.stream import Table, conflict_findings, sort_arrivals, walk_table
from tests.oracle.verdict import Verdict

JUDGES: Final = {
    RUN_EM_TWICE: run_em_twice.judge,
    DAKOTA_DUEL_DRAW: dakota_duel_draw.judge,
    TEXAS_SHOOTOUT: texas_shootout.judge,
}
# By the name that a table posts: the wager, the paytables of the rule, the clause.
PAYTABLES: Final[dict[str, dict[str, tuple[str, tuple[str, ...], str]]]] = {
    RUN_EM_TWICE: {
        "ultimate_pairs": ("ULTIMATE_PAIRS", run_em_twice.ULTIMATE_PAIRS_TABLES, "(10)")
    },
    DAKOTA_DUEL_DRAW: {
        "pocket_pair": ("POCKET_PAIR", dakota_duel_draw.POCKET_PAIR_TABLES, "(11)"),
        "big_8": ("BIG_8", dakota_duel_draw.BIG_8_TABLES, "(12)"),
    },
    TEXAS_SHOOTOUT: {"shootout_bonus": ("SHOOTOUT_BONUS", texas_shootout.BONUS_TABLES, "(16)")},
}
COUNT_CLAUSE: Final = {RUN_EM_TWICE: "(1)", DAKOTA_DUEL_DRAW: "(5)", TEXAS_SHOOTOUT: "(7)(12)"}


@dataclass
class Report:
    """The findings and the counts of the summary."""

    findings: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    totals: Totals = field(default_factory=Totals)


def audit_events(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Audit JSON objects in the order of their arrival; give what the audit prints as JSON."""
    typed: list[Event] = []
    dead: list[dict[str, Any]] = []
    for position, raw in enumerate(events, start=1):
        try:
            typed.append(decode_event(raw))
        except DeadLetterError as error:
            dead.append({"source": "events", "position": position, "error": str(error)})
    return audit_typed(typed, dead)


def audit_typed(events: list[Event], dead: list[dict[str, Any]]) -> dict[str, Any]:
    """Audit decoded events, table by table."""
    arrivals = sort_arrivals(events)
    report = Report(findings=conflict_findings(arrivals))
    for table_id in sorted(arrivals.seqs):
        _audit_table(walk_table(table_id, arrivals), report)
    report.findings.sort(key=Finding.sort_key)
    counts, totals = report.counts, report.totals
    summary: dict[str, Any] = {
        "events": arrivals.count,
        "dead_letters": len(dead),
        "tables": len(arrivals.seqs),
        **{name: counts[name] for name in ("rounds", "settled", "voided", "held", "not_settled")},
        "wagers": totals.wagers,
        "staked_cents": totals.staked,
        "player_net_expected_cents": totals.expected,
        "player_net_actual_cents": totals.actual,
        "findings": dict(sorted(Counter(found.code for found in report.findings).items())),
    }
    rows = [found.row() for found in report.findings]
    return {"version": 1, "summary": summary, "findings": rows, "dead_letters": dead}


def exit_status(result: dict[str, Any]) -> int:
    """Give 2 without any event, 1 with something found, else 0."""
    if not result["summary"]["events"]:
        return 2
    found = any(row["severity"] != "info" for row in result["findings"])
    return 1 if found or result["dead_letters"] else 0


def _audit_table(table: Table, report: Report) -> None:
    report.findings += table.findings
    report.findings += _opening_findings(table.openings)
    report.findings += loading_findings(table)
    rounds = list(table.rounds.values())
    for round_ in rounds:
        read_cards(round_)
    count_copies(table)
    orders, mismatches = DeckOrders(), Mismatches()
    for round_ in rounds:
        report.counts["rounds"] += 1
        # ambiguous: a round both held and still open at the end counts in `rounds` only, and a
        # voided round without an edition held counts as voided
        if round_.ended_by is None:
            continue
        if round_.held:
            report.counts["held"] += 1
        elif edition_problem(round_.opening):
            report.counts["voided" if round_.ended_by == "VOIDED" else "not_settled"] += 1
        else:
            report.counts[_audit_round(round_, report, orders, mismatches)] += 1
    report.findings += mismatches.findings(table.table_id)


def _opening_findings(openings: Iterable[Event]) -> list[Finding]:
    """Report editions, paytables and house ways that cannot be settled by.

    ambiguous: without a text in force or held, no paytable or house way is asked for.
    """
    findings = []
    for opening in openings:
        game = opening["game"]
        problem = edition_problem(opening)
        if problem:
            findings.append(about_event(problem, opening))
            continue
        for name, (wager, known, number) in PAYTABLES[game].items():
            posted = opening["paytables"].get(name)
            if posted is not None and posted not in known:
                found = about_event("PAYTABLE_UNKNOWN", opening, clause(game, number))
                found.wager = wager
                findings.append(found)
        if game == TEXAS_SHOOTOUT and not texas_shootout.knows_house_way(opening):
            found = about_event("HOUSE_WAY_UNVERIFIABLE", opening, clause(game, "(11)"))
            found.readings = ("TS-HOUSE-WAY",)
            findings.append(found)
    return findings


def _audit_round(round_: Round, report: Report, orders: DeckOrders, mismatches: Mismatches) -> str:
    """Judge one round that ended whole under an edition held; give what it counts as."""
    verdict: Verdict = JUDGES[round_.game](round_)
    report.findings += verdict.findings
    report.findings += duplicate_findings(round_) + past_cut_findings(round_)
    if verdict.count_right:
        report.findings += orders.judge(round_)
    if round_.ended_by == "VOIDED":
        # ambiguous: 0 is due in a voided round whatever its cards, duplicates or not
        report.findings += judge_money(round_, verdict.bets, {}, {})[0]
        return "voided"
    settled = bool(round_.of_type("WagerSettled"))
    if not verdict.count_right:
        # ambiguous: "the round was settled" is that the table settled something
        if settled:
            report.findings.append(_misdeal(round_, verdict))
        elif round_.ended_by == "CLOSED" and not round_.duplicates:
            report.findings += _kept_after_misdeal(round_, verdict)
        return "not_settled"
    if round_.duplicates or (round_.ended_by == "OTHER" and not settled):
        return "not_settled"
    found, totals, sorted_ = judge_money(round_, verdict.bets, verdict.dues, verdict.sources)
    report.findings += found
    report.totals.add(totals)
    for key, tables in verdict.alternatives.items():
        if key in sorted_.by_key and key in verdict.dues:
            mismatches.take(round_, key, verdict.dues[key], sorted_.by_key[key], tables)
    return "settled"


def _kept_after_misdeal(round_: Round, verdict: Verdict) -> list[Finding]:
    """Report every wager of a round that closed on a wrong number of cards, nothing being settled.

    ambiguous: such a wager is unsettled like any other; in Dakota it goes back, the other games
    name no misdeal, so that what is due is not known. Beside a duplicate card nothing is said.
    """
    dakota = round_.game == DAKOTA_DUEL_DRAW
    number = clause(round_.game, COUNT_CLAUSE[round_.game])
    readings = "DD-COUNT ALL-MISDEAL" if dakota else "RT-CARDS TS-CARDS"
    findings = []
    for key, bet in sorted(verdict.bets.items()):
        if bet.standing:
            found = bet_finding(round_, "WAGER_UNSETTLED", key, number, bet.placed, readings)
            found.expected = 0 if dakota else None
            findings.append(found)
    return findings


def _misdeal(round_: Round, verdict: Verdict) -> Finding:
    """Report a wrong number of cards that was settled all the same.

    ambiguous: in the games that name no misdeal the actual is the round's net as well.
    """
    dakota = round_.game == DAKOTA_DUEL_DRAW
    settlements = round_.settlements()
    return Finding(
        "MISDEAL_NOT_CALLED",
        round_.table_id,
        settlements[0].seq,
        round_id=round_.round_id,
        expected=0 if dakota else None,
        actual=stated(round_net(round_, verdict.bets)),
        clause=clause(round_.game, COUNT_CLAUSE[round_.game]),
        readings=("DD-COUNT", "ALL-MISDEAL") if dakota else ("RT-CARDS", "TS-CARDS"),
        event_ids=tuple(one for settlement in settlements for one in settlement.event_ids),
    )
