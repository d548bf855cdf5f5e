"""The chips of a round: what stands, what goes back, and what was wrong about putting it down."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tests.oracle.editions import maximum_cents
from tests.oracle.findings import BetKey, Event, Finding, about_event
from tests.oracle.rounds import NEVER, Round


@dataclass
class Bet:
    """One bet: several placements add up. Chips stand, or go back, or were taken back."""

    key: BetKey
    standing: int = 0
    returning: int = 0  # chips that lie there and go back
    taken_late: int = 0  # standing chips taken back after the moment, as if they still stood
    ever_put: bool = False
    in_vain: bool = False  # chips came after their moment or after the spot's fold
    placed: list[Event] = field(default_factory=list)
    late: list[Event] = field(default_factory=list)
    changed: list[Event] = field(default_factory=list)
    invalid: list[Event] = field(default_factory=list)

    @property
    def stake(self) -> int:
        """What a LOSE takes: the standing chips, or where none stand all that lie there."""
        return self.standing or self.returning

    @property
    def was_placed(self) -> bool:
        """Whether chips stand, or came but go back: the wager is then not missing."""
        return self.standing > 0 or self.in_vain

    def send_back(self) -> None:
        """Let everything on this bet go back; nothing of it can then be changed."""
        self.returning += max(0, self.standing - self.taken_late)
        self.standing = self.taken_late = 0
        self.changed = []


Bets = dict[BetKey, Bet]


@dataclass
class Terms:
    """What a game says about its wagers; moments are seqs before which chips must lie."""

    moment: Callable[[BetKey], int | None]  # None: a wager of another game has no moment
    folded_at: dict[int, int]  # the seq of each spot's fold
    clause: str


def take_bets(round_: Round, terms: Terms) -> tuple[Bets, list[Finding]]:
    """Run through the chips by seq; whether a wager is offered is asked afterwards."""
    bets: Bets = {}
    findings: list[Finding] = []
    for event in round_.of_type("WagerPlaced", "WagerRemoved"):
        key = (event["spot"], event["hand"], event["wager"], event["bettor"])
        bet = bets.setdefault(key, Bet(key))
        moment = terms.moment(key)
        late = moment is not None and event["seq"] > moment
        after_fold = event["seq"] > terms.folded_at.get(event["spot"], NEVER)
        if event["type"] == "WagerPlaced":
            # ambiguous: chips of an invalid amount "go back", so they were put there all the same
            bet.ever_put = True
            if after_fold and event["amount_cents"] > 0:  # else the event counts for nothing
                findings.append(about_event("ACTION_AFTER_FOLD", event, terms.clause))
        if event["amount_cents"] <= 0:
            bet.invalid.append(event)
        elif event["type"] == "WagerPlaced":
            _place(bet, event, late, after_fold)
        else:
            _remove(bet, event, late)
    return bets, findings


def _place(bet: Bet, event: Event, late: bool, after_fold: bool) -> None:
    bet.placed.append(event)
    if late:
        bet.late.append(event)
    if late or after_fold:
        bet.in_vain = True
        bet.returning += event["amount_cents"]
    else:
        bet.standing += event["amount_cents"]


def _remove(bet: Bet, event: Event, late: bool) -> None:
    """Take chips back: first those that go back anyway, which is no change.

    ambiguous: the moment alone decides, so a run bet taken back after the spot's fold but before
    its reveal is taken back in time; more taken back than lies there counts as what lies there,
    though a removal after the moment is always a change when it reaches beyond returning chips.
    """
    from_returning = min(bet.returning, event["amount_cents"])
    bet.returning -= from_returning
    left = event["amount_cents"] - from_returning
    if left and late:
        if bet.standing:
            bet.taken_late += left
            bet.changed.append(event)
    elif left:
        bet.standing = max(0, bet.standing - left)


def bet_finding(
    round_: Round, code: str, key: BetKey, clause: str, events: Iterable[Event], readings: str = ""
) -> Finding:
    """Make a finding about one bet."""
    shown = sorted(events, key=lambda event: int(event["seq"]))
    return Finding(
        code,
        round_.table_id,
        shown[0]["seq"] if shown else round_.seq,
        round_id=round_.round_id,
        spot=key[0],
        hand=key[1],
        wager=key[2],
        bettor=key[3],
        clause=clause,
        readings=tuple(readings.split()),
        event_ids=tuple(event["event_id"] for event in shown),
    )


def chip_findings(round_: Round, bets: Bets, clause: str) -> list[Finding]:
    """Report late, changed and invalid chips, one row a bet.

    ambiguous: each code is judged by itself, so chips on a wager not offered or after a fold are
    also late when they came after that wager's moment.
    """
    findings = []
    for key, bet in bets.items():
        for code, events, readings in (
            ("WAGER_LATE", bet.late, "ALL-LATE"),
            ("WAGER_CHANGED", bet.changed, ""),
            ("INVALID_AMOUNT", bet.invalid, ""),
        ):
            if events:
                findings.append(bet_finding(round_, code, key, clause, events, readings))
    return findings


def limit_findings(
    round_: Round, bets: Bets, minimum_of: Iterable[str], clause: str
) -> list[Finding]:
    """Hold what stands against the posted minimum and the posted or legal maximum."""
    most = maximum_cents(round_.opening)
    least = round_.opening["minimum_cents"]
    findings = []
    for key, bet in bets.items():
        if most is not None and bet.standing > most:
            findings.append(
                bet_finding(
                    round_, "WAGER_OVER_LIMIT", key, "20:18:12.01:08.01", bet.placed, "ALL-TIP"
                )
            )
        watched = key[2] in minimum_of and key[3] == "PLAYER"
        if least is not None and watched and 0 < bet.standing < least:
            findings.append(bet_finding(round_, "WAGER_UNDER_MINIMUM", key, clause, bet.placed))
    return findings


def standing(bets: Bets, spot: int, wager: str, bettor: str = "PLAYER", hand: int = 1) -> int:
    """Give what stands on a bet, 0 for none."""
    bet = bets.get((spot, hand, wager, bettor))
    return bet.standing if bet else 0


def not_offered(
    round_: Round, bets: Bets, offered: Callable[[BetKey], bool], clause: str
) -> list[Finding]:
    """Send back what is not offered and report it; `offered` is asked in the order of hands."""
    findings = []
    for key in sorted(bets):
        bet = bets[key]
        if not offered(key) and bet.placed:
            bet.send_back()
            findings.append(bet_finding(round_, "WAGER_NOT_OFFERED", key, clause, bet.placed))
    return findings


def spots_in_play(round_: Round, bets: Bets) -> list[int]:
    """Give the spots where chips stand or that got cards."""
    with_chips = {key[0] for key, bet in bets.items() if bet.standing > 0}
    return sorted(with_chips | set(round_.spots_dealt()))
