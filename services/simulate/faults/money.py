"""Wrong pays: what was settled is not what was due."""

from typing import Final

from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    POSTED_WAGERS,
    RUN_EM_TWICE,
    SHOOTOUT,
    Fault,
    FindingRow,
    found,
    mispaid,
    pick,
    set_net,
    settled_as,
)
from services.simulate.games.script import NEVER_PLACED
from services.simulate.round import PLAYER, Ask, Dues, Round, Where, Wishes, net_of
from services.simulate.table import Table

RUNS_TO_ONE: Final = (1, 2, 3, 5, 8, 12, 40)
HANDS_TO_ONE: Final = (2, 3, 4, 6, 8, 30)
PAYS_TO_ONE: Final = {
    "FIRST_RUN": RUNS_TO_ONE,
    "SECOND_RUN": RUNS_TO_ONE,
    "CENTER": RUNS_TO_ONE,
    "FIVE_CARD_BONUS": (1, 3, 4, 6, 10, 15, 40),
    "HAND_1_PLAY": HANDS_TO_ONE,
    "HAND_2_ANTE": HANDS_TO_ONE,
    "SHOOTOUT_BONUS": (1, 2, 3),
}
"""Lines that a tired eye may take for one another; the bonus tables agree in those named here."""


class PaysWrongRow(Fault):
    """The dealer reads the line above or below."""

    name = "pays-wrong-row"
    games = EVERY_GAME
    codes = ("OVERPAID", "UNDERPAID")
    summary = "a winner is paid by another line of its paytable"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Pay other odds on one winner."""
        winners = [
            where
            for where in settled_as(play, "WIN")
            if dues[where].due_cents in [n * dues[where].stake_cents for n in odds_of(where)]
        ]
        where = pick(play, winners)
        if where is None:
            return None
        stake_cents, due_cents = dues[where].stake_cents, dues[where].due_cents
        assert due_cents is not None
        others = [n * stake_cents for n in odds_of(where) if n * stake_cents != due_cents]
        paid_cents = play.rng.choice(others)
        set_net(play.events[play.settlements()[where]], paid_cents)
        return [mispaid(play, where, due_cents, paid_cents)]


def odds_of(where: Where) -> tuple[int, ...]:
    """The winnings of the lines of a wager's paytable, to one."""
    return PAYS_TO_ONE.get(where.wager, ())


class TakesPush(Fault):
    """The dealer takes a stake that should have come back."""

    name = "takes-a-push"
    games = (RUN_EM_TWICE,)
    codes = ("UNDERPAID",)
    summary = "a push is taken as a loss"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Make one push a loss."""
        where = pick(play, settled_as(play, "PUSH"))
        if where is None:
            return None
        set_net(play.events[play.settlements()[where]], -1)
        return [mispaid(play, where, 0, -dues[where].stake_cents)]


class PaysLoser(Fault):
    """The dealer pays a hand that lost."""

    name = "pays-a-loser"
    games = EVERY_GAME
    codes = ("OVERPAID",)
    summary = "a lost wager is paid even money"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Make one loss a win."""
        out = play.folded()
        losers = [
            where for where in settled_as(play, "LOSE", but=POSTED_WAGERS) if where.spot not in out
        ]
        where = pick(play, losers)
        if where is None:
            return None
        stake_cents = dues[where].stake_cents
        set_net(play.events[play.settlements()[where]], stake_cents)
        return [mispaid(play, where, -stake_cents, stake_cents)]


class TakesWinner(Fault):
    """The dealer takes a hand that won."""

    name = "takes-a-winner"
    games = EVERY_GAME
    codes = ("UNDERPAID",)
    summary = "a won wager is taken"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Make one win a loss."""
        where = pick(play, settled_as(play, "WIN", but=POSTED_WAGERS | NEVER_PLACED))
        if where is None:
            return None
        due = dues[where]
        assert due.due_cents is not None
        set_net(play.events[play.settlements()[where]], -1)
        return [mispaid(play, where, due.due_cents, -due.stake_cents)]


class ForgetsWager(Fault):
    """A bet lies there and is neither paid nor taken."""

    name = "forgets-wager"
    games = EVERY_GAME
    codes = ("WAGER_UNSETTLED",)
    summary = "a standing wager is not settled"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Leave one settlement out."""
        settlements = play.settlements()
        where = pick(play, [at for at in settlements if at.wager not in NEVER_PLACED])
        if where is None:
            return None
        del play.events[settlements[where]]
        return [found("WAGER_UNSETTLED", play, where, expected_cents=dues[where].due_cents)]


class ForgetsBonus(Fault):
    """A bonus without a stake of its own goes unnoticed."""

    name = "forgets-bonus"
    games = (DAKOTA, SHOOTOUT)
    codes = ("WAGER_UNSETTLED",)
    summary = "a pocket pair or envy bonus that is due is not paid"

    def prepare(self, table: Table) -> Wishes:
        """A pair for somebody; in Shootout three more of its rank on the flop."""
        rank, spot = table.rng.choice("9TJQKA"), table.rng.choice(table.spots_taken())
        pair = [f"{rank}c", f"{rank}d"]
        flop = [f"{rank}h", f"{rank}s", f"{rank}h"]
        return Wishes({("PLAYER", spot): pair, ("FLOP", 0): flop})

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Leave the pay of one bonus out."""
        settlements = play.settlements()
        where = pick(play, [at for at in settlements if at.wager in NEVER_PLACED])
        if where is None:
            return None
        del play.events[settlements[where]]
        return [found("WAGER_UNSETTLED", play, where, expected_cents=dues[where].due_cents)]


class PaysUnplaced(Fault):
    """The dealer pays a bet that nobody made."""

    name = "pays-unplaced"
    games = EVERY_GAME
    codes = ("SETTLED_WITHOUT_WAGER",)
    summary = "a wager without chips is paid"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Pay a side bet at a spot that has none, after the spot's other wagers."""
        wager = {"RT": "FIVE_CARD_BONUS", "DD": "BIG_8", "TS": "SHOOTOUT_BONUS"}[play.round_id[:2]]
        settlements = play.settlements()
        bet_there = {where.spot for where in play.bets() if where.wager == wager}
        split = {where.spot for where in settlements if where.hand == 2}
        free = {at.spot for at in settlements} - bet_there - split - play.folded()
        spot = pick(play, sorted(free))
        if spot is None:
            return None
        where, net_cents = Where(spot, 1, wager, PLAYER), play.rng.choice((5_00, 10_00, 15_00))
        after = max(row for at, row in settlements.items() if at.spot == spot) + 1
        play.events.insert(after, play.scribe.settled(play.round_id, where, net_cents))
        return [
            found("SETTLED_WITHOUT_WAGER", play, where, expected_cents=0, actual_cents=net_cents)
        ]


class SettlesTwice(Fault):
    """The dealer pays, looks away, and pays again."""

    name = "settles-twice"
    games = EVERY_GAME
    codes = ("SETTLED_WITHOUT_WAGER",)
    summary = "a wager is settled a second time"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Settle one wager again, the same way, at once."""
        where = pick(play, settled_as(play, "WIN", "LOSE", but=POSTED_WAGERS | NEVER_PLACED))
        if where is None:
            return None
        row = play.settlements()[where]
        net_cents = net_of(play.events[row], dues[where].stake_cents)
        play.events.insert(row + 1, play.scribe.settled(play.round_id, where, net_cents))
        return [
            found("SETTLED_WITHOUT_WAGER", play, where, expected_cents=0, actual_cents=net_cents)
        ]


class CorrectsMispay(Fault):
    """A wrong pay is noticed and put right, with a supervisor's name to it."""

    name = "corrects-mispay"
    games = EVERY_GAME
    codes = ("MISPAY_CORRECTED",)
    summary = "a winner is taken, then the pay is corrected (info only)"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Settle one winner as lost and correct it, before or after the round is closed."""
        where = pick(play, settled_as(play, "WIN", but=POSTED_WAGERS | NEVER_PLACED))
        if where is None:
            return None
        due = dues[where]
        assert due.due_cents is not None
        event = play.events[play.settlements()[where]]
        set_net(event, -1)
        correction = play.scribe.payout_corrected(play.round_id, event["event_id"], due.due_cents)
        play.events.insert(len(play.events) - play.rng.randrange(2), correction)
        return [
            found(
                "MISPAY_CORRECTED",
                play,
                where,
                expected_cents=due.due_cents,
                actual_cents=-due.stake_cents,
            )
        ]
