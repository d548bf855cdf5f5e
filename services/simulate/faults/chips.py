"""Chips that have no business there: late, taken back, not offered, tips alone, no amount."""

from services.simulate.faults.bets import BetFault, wishes_split
from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    RUN_EM_TWICE,
    SHOOTOUT,
    first_card,
    pick,
    sole_bet,
)
from services.simulate.games.script import main_bet
from services.simulate.round import TIP, Round, Where, Wishes
from services.simulate.scribe import Event
from services.simulate.table import Table


def chips(play: Round, where: Where, cents: int, kind: str = "WagerPlaced") -> Event:
    """Chips of the player at that spot, not so fast that they look like a bet told twice."""
    event = play.scribe.chips(kind, play.round_id, where, cents, play.player_at(where.spot))
    play.pauses_micros[event["event_id"]] = play.rng.randint(1_200_000, 3_000_000)
    return event


def before_the_deal(play: Round, event: Event) -> None:
    """Put an event somewhere after the last bet of the opening and before the first card."""
    play.events.insert(first_card(play), event)


def after_the_first_card(play: Round, event: Event) -> None:
    """Put an event somewhere among the cards being dealt."""
    rows = list(play.rows("CardDealt"))
    play.events.insert(play.rng.choice(rows[: len(play.spots_dealt()) * 2]) + 1, event)


class LateBet(BetFault):
    """Past posting: chips once the cards are out."""

    name = "late-bet"
    games = EVERY_GAME
    codes = ("WAGER_LATE",)
    summary = "a bet, or more of one, after the first card"

    def alter(self, play: Round) -> bool:
        """Add chips to an ante, a side bet, a big 8 or a primary."""
        wagers = {
            RUN_EM_TWICE: ("FIRST_ANTE", "FIVE_CARD_BONUS", "ULTIMATE_PAIRS"),
            DAKOTA: ("BIG_8",),
            SHOOTOUT: ("PRIMARY", "SHOOTOUT_BONUS"),
        }[play.opening["game"]]
        seat = play.rng.choice(play.seats)
        where = main_bet(seat.spot, play.rng.choice(wagers))
        after_the_first_card(play, chips(play, where, seat.unit_cents))
        play.notes["bets"] = [where]
        return play.bets()[where] <= play.limits.maximum_cents


class ChipsTakenBack(BetFault):
    """Pinching: chips leave the layout once the cards are out."""

    name = "chips-taken-back"
    games = EVERY_GAME
    codes = ("WAGER_CHANGED",)
    summary = "a bet is taken back, wholly or in part, after the first card"

    def alter(self, play: Round) -> bool:
        """Take a side bet, a big 8 or a bonus back."""
        wagers = {"FIVE_CARD_BONUS", "ULTIMATE_PAIRS", "BIG_8", "SHOOTOUT_BONUS"}
        bets = [
            (where, cents)
            for where, cents in play.bets().items()
            if where.wager in wagers and where.bettor != TIP and where.hand == 1
        ]
        chosen = pick(play, bets)
        if chosen is None:
            return False
        where, cents = chosen
        part_cents = play.rng.choice((cents, (cents + 1) // 2))
        after_the_first_card(play, chips(play, where, part_cents, "WagerRemoved"))
        play.notes["bets"] = [where]
        return True


class NotOffered(BetFault):
    """A bet that this table does not take."""

    name = "not-offered"
    games = EVERY_GAME
    codes = ("WAGER_NOT_OFFERED",)
    summary = "a wager of another game, or of a hand 2 that there is none of"

    def alter(self, play: Round) -> bool:
        """Put chips on another game's wager; in Shootout also on a second hand without a split."""
        seat = play.rng.choice(play.seats)
        game = play.opening["game"]
        if game == SHOOTOUT and play.rng.random() < 0.5:
            last = play.row("DecisionMade", spot=seat.spot, decision="KEEP")
            if last is None:
                return False
            where = main_bet(seat.spot, "PRIMARY", 2)
            play.events.insert(last + 1, chips(play, where, seat.unit_cents))
        else:
            where = main_bet(seat.spot, "PRIMARY" if game == DAKOTA else "BIG_8")
            before_the_deal(play, chips(play, where, seat.unit_cents))
        play.notes["bets"] = [where]
        return True


class TipNotTaken(BetFault):
    """A tip laid down as a bet, where the rule knows none."""

    name = "tip-not-taken"
    games = (RUN_EM_TWICE, SHOOTOUT)
    codes = ("WAGER_NOT_OFFERED",)
    summary = "a dealer's tip as a wager, in a game without them"

    def alter(self, play: Round) -> bool:
        """Lay a tip beside an ante or a primary."""
        seat = play.rng.choice(play.seats)
        wager = "FIRST_ANTE" if play.opening["game"] == RUN_EM_TWICE else "PRIMARY"
        where = Where(seat.spot, 1, wager, TIP)
        before_the_deal(play, chips(play, where, play.rng.choice((1_00, 5_00))))
        play.notes["bets"] = [where]
        return True


class LoneTip(BetFault):
    """A tip where the player has no bet."""

    name = "lone-tip"
    games = (DAKOTA,)
    codes = ("TIP_WITHOUT_WAGER",)
    summary = "a dealer's tip on a big 8 that the player has not bet"

    def alter(self, play: Round) -> bool:
        """Lay a tip on an empty big 8."""
        stakes = play.bets()
        lacking = [seat for seat in play.seats if main_bet(seat.spot, "BIG_8") not in stakes]
        seat = pick(play, lacking)
        if seat is None:
            return False
        where = Where(seat.spot, 1, "BIG_8", TIP)
        before_the_deal(play, chips(play, where, play.rng.choice((1_00, 2_00, 5_00))))
        play.notes["bets"] = [where]
        return True


class NegativeAmount(BetFault):
    """A device that counts backwards."""

    name = "negative-amount"
    games = EVERY_GAME
    codes = ("INVALID_AMOUNT",)
    summary = "a bet of a negative amount, or of nothing"

    def alter(self, play: Round) -> bool:
        """Record one more placement, of no amount, on a bet that stands."""
        row = first_card(play)
        before = [where for where in play.bets() if where.hand == 1 and where.bettor != TIP]
        early = [where for where in before if where.wager not in {"HAND_1_PLAY", *LATER}]
        where = pick(play, early)
        if where is None:
            return False
        event = chips(play, where, play.rng.choice((-5_00, -1_00, 0)))
        play.events.insert(row, event)
        play.notes["bets"] = [where]
        return True


LATER = frozenset({"FIRST_RUN", "SECOND_RUN", "CENTER"})


class TwinBet(BetFault):
    """One bet recorded by two devices, or two halves put down at once: nobody can tell."""

    name = "twin-bet"
    games = EVERY_GAME
    codes = ("SUSPECTED_DUPLICATE",)
    summary = "the same bet of the same amount twice within a second, both counting"

    def prepare(self, table: Table) -> Wishes:
        """Any round."""
        return wishes_split(table)

    def alter(self, play: Round) -> bool:
        """Let one bet come down in two equal halves, fast."""
        where = pick(play, play.bets())
        event = sole_bet(play, where)
        if event is None or event["amount_cents"] % 2:
            return False
        event["amount_cents"] //= 2
        twin = chips(play, where, event["amount_cents"])
        twin["player_id"] = event["player_id"]
        play.events.insert(play.events.index(event) + 1, twin)
        play.pauses_micros[twin["event_id"]] = play.rng.randint(150_000, 850_000)
        play.notes["bets"] = [where]
        return True
