"""One round for people: the cards as they lay, every wager with its line, findings, the timeline.

Dollars and the casino's time; a clause on every line of money; red only for money that is wrong. At
most 100 columns. What came from outside is shown with its control characters spelled out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from replay.bets import Hand
from replay.explain import ExplainedWager, best_of, words_of
from replay.findings import Finding, FindingCode, Severity
from replay.ranking import plural
from replay.rulebook.model import Line
from replay.verdict import RoundStatus
from replay.vocabulary import Decision, Wager
from replay.words import NOTHING_WORDS, card_words, money, net_words, off_words
from services.report.one_round import cards_lying, wagers_of
from services.report.round_cards import drawn, seats
from services.report.table import FAINT, GAP, STRONG, WRONG, off_text, voided_words
from services.report.timeline import TURNS, bet_name, event_words, local_time
from services.report.unjudged import NOT_JUDGED
from services.report.words import GAMES, count, long_day, named, shown

if TYPE_CHECKING:
    from services.rounds import RoundReport

TIMELINE_MAX: Final = 24
"""Lines of the short timeline; who wants more asks for all of it."""

SEATS_MAX: Final = 40
"""Seats that are shown: a table has seven, and whoever made up a thousand may read JSON."""
FINDINGS_MAX: Final = 100

COMMON: Final = {"board": "board", "the dealer": "dealer"}
"""Hands that are the same for every seat, and are shown once."""

_KEPT_AND_FLOP: Final = 7  # of Texas Shootout: the two kept first
_NOTE_INDENT: Final = 8
_SUITS: Final = 4  # card codes of one rank


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    """How a round is shown."""

    zone: ZoneInfo
    whole_timeline: bool = False
    typed: bool = False
    """Typed in: there is no table and no time."""
    width: int = 100


def round_table(report: RoundReport, view: RoundView) -> Iterator[RenderableType]:
    """Everything to print, in order."""
    yield from _head(report, view)
    lying = cards_lying(report)
    picture = drawn(report.game, lying)
    if picture:
        yield Text()
        yield from (Text(f"      {line}") for line in picture)
    held, of_all = seats(lying), wagers_of(report)
    spots = sorted({*held, *(wager.spot for wager in of_all)})
    chosen = set(_chosen(report, spots))
    wagers = [wager for wager in of_all if wager.spot in chosen]
    shared = [hand for hand in _hands(wagers) if hand.whose in COMMON]
    yield from (Padding(_hand(hand, COMMON[hand.whose]), (0, 0, 0, 2)) for hand in shared)
    yield from _seats(report, {spot: held.get(spot, "") for spot in sorted(chosen)}, wagers, view)
    yield from _rest(len(spots) - len(chosen), "seat")
    if report.findings:
        yield Text()
        yield Text(count(len(report.findings), "finding"))
        for row in report.findings[:FINDINGS_MAX]:
            yield from _finding(row.finding)
        yield from _rest(len(report.findings) - FINDINGS_MAX, "finding")
    if not view.typed:
        yield Text()
        yield from _timeline(report, view)


def _head(report: RoundReport, view: RoundView) -> Iterator[Text]:
    game = GAMES[report.game] or "game not known"
    parts = [Text(game, STRONG)]
    if view.typed:
        parts.append(Text(f"gaming day {long_day(report.gaming_day)}" if report.gaming_day else ""))
    else:
        parts.append(Text(f"table {named(report.table_id)}"))
        parts.append(Text(_when(report, view.zone)))
        parts.append(
            Text(f"dealer {named(report.dealer_id)}" if report.dealer_id is not None else "")
        )
        parts.append(Text(_STATUS[report.status]))
    posted = ", ".join(f"{key.replace('_', ' ')} {id}" for key, id in report.paytables.items())
    parts.append(Text(f"paytable {shown(posted)}" if posted else ""))
    line = Text()
    for part in parts:
        if line.cell_len and line.cell_len + GAP + part.cell_len > view.width:
            yield line
            line = Text("  ")
        elif line.cell_len and part.cell_len:
            line.append("   ")
        line.append_text(part)
    yield line
    if report.why:
        yield Text(f"{shown(report.why[0].upper() + report.why[1:])}.", STRONG)


_STATUS: Final = {
    None: "never opened",
    RoundStatus.OPEN: "still open",
    RoundStatus.SETTLED: "settled",
    RoundStatus.VOIDED: "voided",
    RoundStatus.HELD: "held for a gap",
    RoundStatus.NOT_SETTLED: "not settled",
}


def _when(report: RoundReport, zone: ZoneInfo) -> str:
    if report.opened_at is None:
        return ""
    at = local_time(report.opened_at, zone)
    until = f" to {local_time(report.ended_at, zone):%H:%M:%S}" if report.ended_at else ""
    return f"{at:%a} {long_day(at.date())}, {at:%H:%M:%S}{until}"


def _chosen(report: RoundReport, spots: list[int]) -> list[int]:
    """The seats that are shown: where there are too many, first those with a finding."""
    if len(spots) <= SEATS_MAX:
        return spots
    found = {row.finding.spot for row in report.findings}
    return sorted(spots, key=lambda spot: (spot not in found, spot))[:SEATS_MAX]


def _rest(number: int, name: str) -> Iterator[Text]:
    if number > 0:
        yield Text()
        yield Text(f"  {count(number, name)} more (--format json for all)", FAINT)


def _seats(
    report: RoundReport, held: dict[int, str], wagers: Sequence[ExplainedWager], view: RoundView
) -> Iterator[Text]:
    show = _Wagers(wagers, report.status, view.width)
    folded = {
        event["spot"]
        for event in report.timeline
        if event["type"] == "DecisionMade" and event["decision"] == Decision.FOLD.name
    }
    for spot, cards in held.items():
        mine = [wager for wager in wagers if wager.spot == spot]
        yield Text()
        line = Text(f"  seat {spot}", STRONG)
        line.append(f"   {cards or 'no cards'}", "not bold")
        if spot in folded:
            line.append("   folded", "not bold")
        yield line
        yield from (_hand(hand, hand.whose) for hand in _hands(mine) if hand.whose not in COMMON)
        for wager in mine:
            yield from show.lines(wager)


def _hands(wagers: Sequence[ExplainedWager]) -> list[Hand]:
    """Each whole hand that wagers rest on, once; of envy they are the other seats' own."""
    found: dict[str, Hand] = {}
    for wager in wagers:
        for hand in wager.argument.hands if wager.wager != Wager.ENVY_BONUS else ():
            if best_of(hand):
                found.setdefault(hand.whose, hand)
    return list(found.values())


def _hand(hand: Hand, name: str) -> Text:
    line = f"    {name:8} {card_words(best_of(hand))}   {words_of(hand)}"
    kept = f"   keeps {card_words(hand.cards[:2])}" if len(hand.cards) == _KEPT_AND_FLOP else ""
    return Text(f"{line}{kept}")


class _Wagers:
    """Lines of wagers: name, stake, what is due, what was settled, what is wrong, and why."""

    def __init__(
        self, wagers: Sequence[ExplainedWager], status: RoundStatus | None, width: int
    ) -> None:
        """Columns are as wide as the widest of all wagers."""
        self._status = status
        self._width = width
        self._settled = any(wager.actual_cents is not None for wager in wagers)
        rows = [self._cells(wager) for wager in wagers]
        self._widths = [max((len(row[place]) for row in rows), default=0) for place in range(4)]

    def lines(self, wager: ExplainedWager) -> Iterator[Text]:
        """One line, or more where what is wrong or the reason does not fit."""
        name, stake, due, settled = self._cells(wager)
        widths = self._widths
        line = Text(f"    {name:{widths[0]}}  {stake:>{widths[1]}}   {due:{widths[2]}}   ")
        if self._settled:
            line.append(f"{settled:{widths[3]}}   ")
        off = _mark(wager, self._status)
        if off and line.cell_len + len(off) > self._width:
            line.rstrip()
            yield line
            line = Text(" " * _NOTE_INDENT)
        if off:
            line.append(f"{off}   ", WRONG)
        note = Text(_note(wager, self._status))
        if line.cell_len + note.cell_len <= self._width:
            yield line.append_text(note)
            return
        line.rstrip()
        yield line
        yield Text(" " * _NOTE_INDENT).append_text(note)

    def _cells(self, wager: ExplainedWager) -> tuple[str, str, str, str]:
        name = bet_name(wager.wager.name, wager.hand, wager.bettor.name)
        stake = money(wager.stake_cents) if wager.stake_cents else ""
        return name, stake, self._due(wager), self._paid(wager)

    def _due(self, wager: ExplainedWager) -> str:
        if self._status is not RoundStatus.SETTLED and wager.expected_cents is None:
            return "not reckoned"
        if self._status is not RoundStatus.SETTLED:
            return "stake back" if wager.stake_cents else "nothing due"
        if wager.expected_cents is not None:
            nothing = "push" if wager.stake_cents and not _is_bonus(wager) else "nothing"
            return f"due {net_words(wager.expected_cents, nothing)}"
        low, high = wager.expected_low_cents, wager.expected_high_cents
        if low is None or high is None:
            return "due not known"
        return f"due {net_words(low, '$0.00')} to {net_words(high, '$0.00')}"

    def _paid(self, wager: ExplainedWager) -> str:
        actual_cents = wager.actual_cents
        if actual_cents is None:
            return "" if self._status is RoundStatus.VOIDED else "not settled"
        if actual_cents == 0:
            return f"settled {NOTHING_WORDS[wager.settled_as]}"
        return f"{'paid' if actual_cents > 0 else 'taken'} {money(abs(actual_cents))}"


def _is_bonus(wager: ExplainedWager) -> bool:
    """One without a stake of its own."""
    return wager.wager in (Wager.POCKET_PAIR, Wager.ENVY_BONUS)


def _mark(wager: ExplainedWager, status: RoundStatus | None) -> str:
    """What a wager was settled wrong by, where that is known."""
    expected, actual = wager.expected_cents, wager.actual_cents
    low, high = wager.expected_low_cents, wager.expected_high_cents
    if actual is None or status not in (RoundStatus.SETTLED, RoundStatus.VOIDED):
        return ""
    if expected is None:
        if low is None or high is None or low <= actual <= high:
            return ""
        expected = low if actual < low else high
    if actual == expected:
        return ""
    off = off_words(expected, actual)
    beside = ("paid", "for the player") if actual > 0 else ("taken",) if actual < 0 else ()
    for said in beside:
        off = off.removesuffix(f" {said}")
    return f"✗ {off}"


def _note(wager: ExplainedWager, status: RoundStatus | None) -> str:
    """The clause and the words that decide, short enough for the line of the wager."""
    argument = wager.argument
    if argument is NOT_JUDGED:
        return ""
    clause = argument.clause[argument.clause.find("(") :] if "(" in argument.clause else ""
    words = _deciding_words(wager)
    would = ""
    if status is RoundStatus.VOIDED and wager.by_cards_cents is not None:
        nothing = "nothing" if _is_bonus(wager) else "push"
        would = f"; by the cards {net_words(wager.by_cards_cents, nothing)}"
    return f"{clause} {words}{would}".strip()


def _deciding_words(wager: ExplainedWager) -> str:
    argument, hands = wager.argument, wager.argument.hands
    table = f", paytable {argument.paytable}" if argument.paytable else ""
    if not hands:
        return argument.words.partition(": ")[2] or argument.words
    if wager.wager == Wager.ENVY_BONUS:
        paying = [hand for hand in hands if hand.line]
        told = ", ".join(f"{hand.whose} {_line(hand.line)}" for hand in paying)
        return told or "no other hand holds a line of it"
    if wager.expected_cents is None and wager.by_cards_cents is None:
        return f"an unread card decides{table}" if _has_unread(hands) else ""
    if wager.wager == Wager.CENTER:
        one, other = (_odds(hand.line) for hand in hands)
        return f"the better of {one} and {other}"
    if wager.wager == Wager.PRIMARY:
        return argument.words.rpartition(": ")[2]
    if wager.wager == Wager.POCKET_PAIR:
        return f"{_pair(hands[0])}{table}"
    return f"{_line(argument.line)}{table}"


def _has_unread(hands: tuple[Hand, ...]) -> bool:
    return any(card >= 52 for hand in hands for card in hand.cards)


def _pair(hand: Hand) -> str:
    first, second = (card // _SUITS for card in hand.cards)
    return f"pair of {plural(first)}, {_odds(hand.line)}" if first == second else "no pair"


def _line(line: Line | None) -> str:
    if line is None:
        return "no line pays it"
    return f"{line.words}, {_odds(line)}"


def _odds(line: Line | None) -> str:
    if line is None:
        return "nothing"
    if line.result != "pays":
        return {"push": "push", "lose": "lose", "na": "N/A"}[line.result]
    return f"{line.to_one:,} to 1" if line.to_one is not None else money(line.cents or 0)


def _finding(finding: Finding) -> Iterator[RenderableType]:
    line = Text(f"  {finding.code.value}", "" if finding.severity is Severity.INFO else STRONG)
    off = off_text(finding)
    if off:
        line.append(f"  {off}", WRONG)
    if finding.code is FindingCode.WRONGLY_VOIDED and finding.expected_cents:
        line.append(f"  {voided_words(finding.expected_cents)}", WRONG)
    if finding.spot is not None:
        line.append(f"  seat {finding.spot}", "not bold")
    if finding.wager is not None:
        name = bet_name(finding.wager, finding.hand or 1, finding.bettor or "PLAYER")
        line.append(f"  {name}", "not bold")
    yield line
    yield Padding(Text(shown(finding.message)), (0, 0, 0, 7))
    grounds = Text(shown(finding.clause), FAINT)
    if finding.readings:
        grounds.append(f"  reading {', '.join(finding.readings)}")
    yield Padding(grounds, (0, 0, 0, 7))


def _timeline(report: RoundReport, view: RoundView) -> Iterator[Text]:
    events = report.timeline
    chosen = [event for event in events if view.whole_timeline or event["type"] in TURNS]
    if not view.whole_timeline:
        chosen = chosen[:TIMELINE_MAX]
    rest = "" if len(chosen) == len(events) else f" (--timeline for all {len(events)} events)"
    yield Text(f"timeline{rest}")
    for event in chosen:
        at = local_time(event["occurred_at"], view.zone)
        yield Text(f"  {at:%H:%M:%S}  {event['seq']:>6}  {shown(event_words(event))}")
