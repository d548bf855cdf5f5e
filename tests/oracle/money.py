"""Due against settled: one money finding a wager, and the sums over settled rounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.oracle.bets import Bet, Bets
from tests.oracle.bounds import Due
from tests.oracle.findings import BetKey, Event, Finding, stated
from tests.oracle.rounds import Round, Settlement

BONUSES: Final = ("POCKET_PAIR", "ENVY_BONUS")  # never placed, only settled

Dues = Mapping[BetKey, Due]


@dataclass
class Totals:
    """What a settled round adds to the summary."""

    wagers: int = 0
    staked: int = 0
    expected: int = 0
    actual: int = 0

    def add(self, other: "Totals") -> None:
        """Add another round's sums."""
        self.wagers += other.wagers
        self.staked += other.staked
        self.expected += other.expected
        self.actual += other.actual


@dataclass
class Settled:
    """All settlements of one wager that settle it: one, or the parts of a bonus."""

    key: BetKey
    net: int
    first_net: int
    seq: int
    event_ids: tuple[str, ...]


@dataclass
class Sorted:
    """The settlements of a round, sorted into those of a wager and those of none."""

    by_key: dict[BetKey, Settled] = field(default_factory=dict)
    without_wager: list[tuple[Settlement, int]] = field(default_factory=list)


def net_cents(outcome: str, paid: int, stake: int) -> int:
    """Give the player's net of one settlement.

    ambiguous: a bonus has no stake and "is its pay", which is read as the pay of a WIN only.
    """
    return paid if outcome == "WIN" else -stake if outcome == "LOSE" else 0


def sort_settlements(round_: Round, bets: Bets) -> Sorted:
    """Tell the settlements of wagers from further ones and from those without any chips."""
    result = Sorted()
    for settlement in round_.settlements():
        key = settlement.key
        bet = bets.get(key)
        stake = bet.stake if bet else 0
        net = net_cents(settlement.outcome, settlement.paid, stake)
        first_net = net_cents(settlement.first_outcome, settlement.first_paid, stake)
        earlier = result.by_key.get(key)
        if key[2] in BONUSES and earlier:
            earlier.net += net
            earlier.first_net += first_net
            earlier.event_ids += settlement.event_ids
        elif key[2] not in BONUSES and (earlier or not (bet and bet.ever_put)):
            result.without_wager.append((settlement, net))
        else:
            ids = settlement.event_ids
            result.by_key[key] = Settled(key, net, first_net, settlement.seq, ids)
    return result


def round_net(round_: Round, bets: Bets) -> int:
    """Give the player's net over all settlements of the round."""
    sorted_ = sort_settlements(round_, bets)
    wagers = sum(settled.net for settled in sorted_.by_key.values())
    return wagers + sum(net for _, net in sorted_.without_wager)


def _finding(
    round_: Round,
    code: str,
    key: BetKey,
    due: Due,
    seq: int,
    event_ids: tuple[str, ...],
) -> Finding:
    return Finding(
        code,
        round_.table_id,
        seq,
        round_id=round_.round_id,
        spot=key[0],
        hand=key[1],
        wager=key[2],
        bettor=key[3],
        expected=due.exact,
        clause=due.clause or None,
        readings=tuple(due.readings.split()),
        event_ids=event_ids,
    )


def judge_money(
    round_: Round, bets: Bets, dues: Dues, sources: Mapping[BetKey, list[Event]]
) -> tuple[list[Finding], Totals, Sorted]:
    """Hold every wager and bonus of the round against what is due.

    `dues` has every standing wager and every bonus that is or may be due; a wager that is not in
    it has nothing standing, and 0 is due. `sources` are the events that earn a bonus.
    """
    sorted_ = sort_settlements(round_, bets)
    findings: list[Finding] = []
    totals = Totals()
    for key in sorted({*dues, *sorted_.by_key}):
        due = dues.get(key, Due(0, 0))
        settled = sorted_.by_key.get(key)
        bet = bets.get(key)
        if bet and bet.standing and round_.ended_by != "VOIDED":
            totals.wagers += 1
            totals.staked += bet.standing
        if due.exact is not None:
            totals.expected += due.exact
            totals.actual += settled.net if settled else 0
        if due.unknown_paytable:
            continue
        if settled:
            findings += _judge_settled(round_, due, settled)
        else:
            findings += _judge_unsettled(round_, key, due, bet, sources.get(key, []))
    for settlement, net in sorted_.without_wager:
        totals.actual += net
        found = _finding(
            round_,
            "SETTLED_WITHOUT_WAGER",
            settlement.key,
            Due(0, 0),
            settlement.seq,
            settlement.event_ids,
        )
        found.actual = stated(net)
        findings.append(found)
    return findings, totals, sorted_


def _judge_settled(round_: Round, due: Due, settled: Settled) -> list[Finding]:
    """Compare a settled net with what is due, exact or bounded."""
    nearest = due.exact
    code = ""
    if nearest is not None:
        if settled.net == nearest and settled.first_net != nearest:
            code = "MISPAY_CORRECTED"
    elif due.low is None or due.high is None or due.low <= settled.net <= due.high:
        code = "UNDETERMINED"
    else:
        nearest = due.low if settled.net < due.low else due.high
    if not code and nearest is not None and settled.net != nearest:
        code = "UNDERPAID" if settled.net < nearest else "OVERPAID"
    if not code:
        return []
    found = _finding(round_, code, settled.key, due, settled.seq, settled.event_ids)
    found.expected = nearest
    found.actual = stated(settled.first_net if code == "MISPAY_CORRECTED" else settled.net)
    _give_bounds(found, due)
    return [found]


def _give_bounds(found: Finding, due: Due) -> None:
    if due.exact is None:
        found.low, found.high = due.low, due.high


def _judge_unsettled(
    round_: Round, key: BetKey, due: Due, bet: Bet | None, sources: list[Event]
) -> list[Finding]:
    """Report a wager or bonus that was due and never settled, once the round was closed."""
    if round_.ended_by != "CLOSED":
        return []  # "what was settled is judged"; in a voided round nothing is due
    shown = sorted(bet.placed if bet else sources, key=lambda event: int(event["seq"]))
    code = "WAGER_UNSETTLED"
    if key[2] in BONUSES:
        if due.low == due.high == 0:
            return []
        if due.low is None or due.low <= 0:
            code = "UNDETERMINED"  # a card not read may make it due
    elif not (bet and bet.standing):
        return []
    seq = shown[0]["seq"] if shown else round_.end_seq
    ids = tuple(event["event_id"] for event in shown)
    found = _finding(round_, code, key, due, seq, ids)
    _give_bounds(found, due)
    return [found]
