"""Wrong bets: missing, unequal, out of range, above or below the limits."""

from typing import Final

from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    RUN_EM_TWICE,
    SHOOTOUT,
    Fault,
    FindingRow,
    found,
    pick,
    sole_bet,
)
from services.simulate.games.script import main_bet
from services.simulate.round import TIP, Ask, Dues, Round, Where, Wishes, where_of
from services.simulate.scribe import Event
from services.simulate.table import Table

TWO_PAIR: Final = (["Kc", "Kd", "4h", "4s"], ["9h", "9s", "7c", "7d"], ["Ac", "Ah", "Js", "Jd"])
STEPS: Final = ("FIRST_RUN", "SECOND_RUN", "CENTER")


def wishes_split(table: Table) -> Wishes:
    """Somebody is dealt two pair, in the game where that may be split."""
    if table.script.game != SHOOTOUT:
        return Wishes()
    spot = table.rng.choice(table.spots_taken())
    return Wishes({("PLAYER", spot): table.rng.choice(TWO_PAIR)})


def take_off(play: Round, where: Where) -> bool:
    """Take every chip of a wager out of the story; whether there were any."""
    kept = [
        event
        for event in play.events
        if event["type"] not in {"WagerPlaced", "WagerRemoved"} or where_of(event) != where
    ]
    had = len(kept) < len(play.events)
    play.events[:] = kept
    return had


def sole_bets(play: Round, *wagers: str, hand: int = 1) -> list[tuple[Where, Event]]:
    """Players' wagers of these kinds that came down at once."""
    bets = [
        (where, sole_bet(play, where))
        for where in play.bets()
        if where.wager in wagers and where.hand == hand and where.bettor != TIP
    ]
    return [(where, event) for where, event in bets if event is not None]


def is_allowed(play: Round, event: Event) -> bool:
    """Whether a bet is within the maximum."""
    cents: int = event["amount_cents"]
    return cents <= play.limits.maximum_cents


class BetFault(Fault):
    """A fault that is in the bets alone: found whatever the cards."""

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """What `alter` made of it."""
        return [found(self.codes[0], play, where) for where in play.notes["bets"]]


class MissingAnte(BetFault):
    """A required bet was not made."""

    name = "missing-ante"
    games = EVERY_GAME
    codes = ("WAGER_MISSING",)
    summary = "one ante, the hand 2 ante of a play bet, or the primary of a bonus is missing"

    def alter(self, play: Round) -> bool:
        """Take the bet off where nothing else hangs on it."""
        if play.opening["game"] == DAKOTA:
            return self._play_without_ante(play)
        stakes = play.bets()
        if play.opening["game"] == RUN_EM_TWICE:
            ran = {where.spot for where in stakes if where.wager == "FIRST_RUN"}
            wager, spots = "SECOND_ANTE", sorted(set(play.spots_dealt()) - ran)
        else:
            split = {where.spot for where in stakes if where.hand == 2}
            bonus = {where.spot for where in stakes if where.wager == "SHOOTOUT_BONUS"}
            wager, spots = "PRIMARY", sorted(bonus - split)
        spot = pick(play, spots)
        if spot is None:
            return False
        play.notes["bets"] = [main_bet(spot, wager)]
        return take_off(play, main_bet(spot, wager))

    def _play_without_ante(self, play: Round) -> bool:
        """Dakota (2), (7): no hand 1 play without a hand 2 ante."""
        stakes = play.bets()
        lacking = [seat for seat in play.seats if main_bet(seat.spot, "HAND_2_ANTE") not in stakes]
        seat = pick(play, lacking)
        reveal = play.row("CardsRevealed")
        if seat is None or reveal is None:
            return False
        where = main_bet(seat.spot, "HAND_1_PLAY")
        chips = play.scribe.chips(
            "WagerPlaced", play.round_id, where, seat.unit_cents, seat.player_id
        )
        play.events.insert(reveal, chips)
        play.notes["bets"] = [main_bet(seat.spot, "HAND_2_ANTE")]
        return True


class UnbackedPlay(BetFault):
    """A player says "play" or splits, and no chips follow."""

    name = "unbacked-play"
    games = EVERY_GAME
    codes = ("WAGER_MISSING",)
    summary = "a play or a split is announced without its bet"

    def prepare(self, table: Table) -> Wishes:
        """Two pair in Shootout."""
        return wishes_split(table)

    def alter(self, play: Round) -> bool:
        """Take off the bet that was announced."""
        stakes = play.bets()
        if play.opening["game"] == SHOOTOUT:
            fitting = [
                where
                for where in stakes
                if where.hand == 2 and main_bet(where.spot, "SHOOTOUT_BONUS", 2) not in stakes
            ]
        else:
            fitting = [
                where
                for where in stakes
                if where.wager in {*STEPS, "HAND_1_PLAY"}
                and where.bettor != TIP
                and where._replace(bettor=TIP) not in stakes
            ]
        where = pick(play, fitting)
        play.notes["bets"] = [where]
        return where is not None and take_off(play, where)


class UnequalBets(BetFault):
    """Two bets that must be alike are not."""

    name = "unequal-bets"
    games = EVERY_GAME
    codes = ("WAGERS_UNEQUAL",)
    summary = "second ante, hand 1 play or the primary of a split differs from its pair"

    def prepare(self, table: Table) -> Wishes:
        """Two pair in Shootout."""
        return wishes_split(table)

    def alter(self, play: Round) -> bool:
        """Make the later bet another amount, its runs still within range."""
        if play.opening["game"] == SHOOTOUT:
            bets = sole_bets(play, "PRIMARY", hand=2)
        else:
            bets = sole_bets(play, "SECOND_ANTE", "HAND_1_PLAY")
        chosen = pick(play, bets)
        if chosen is None:
            return False
        where, event = chosen
        cents = event["amount_cents"] + play.rng.choice((-1_00, 1_00, 2_50, 5_00))
        run_cents = play.bets().get(main_bet(where.spot, "SECOND_RUN"), cents)
        if cents < play.limits.minimum_cents or not cents <= run_cents <= 3 * cents:
            return False
        event["amount_cents"] = cents
        play.notes["bets"] = [where]
        return is_allowed(play, event)


class RunOutOfRange(BetFault):
    """A run or center bet of more than three or less than one ante."""

    name = "run-over-3x"
    games = (RUN_EM_TWICE,)
    codes = ("WAGER_OUT_OF_RANGE",)
    summary = "a run or center bet above 3x its ante, or below it"

    def alter(self, play: Round) -> bool:
        """Make one such bet four antes, five, or half of one."""
        chosen = pick(play, sole_bets(play, *STEPS))
        if chosen is None:
            return False
        where, event = chosen
        ante_cents = next(seat.unit_cents for seat in play.seats if seat.spot == where.spot)
        event["amount_cents"] = play.rng.choice((ante_cents * 4, ante_cents * 5, ante_cents // 2))
        play.notes["bets"] = [where]
        return is_allowed(play, event)


class BonusOverFirst(BetFault):
    """The second bonus of a split above the first."""

    name = "bonus-over-first"
    games = (SHOOTOUT,)
    codes = ("WAGER_OUT_OF_RANGE",)
    summary = "a split's second bonus is larger than the first"

    def prepare(self, table: Table) -> Wishes:
        """Two pair."""
        return wishes_split(table)

    def alter(self, play: Round) -> bool:
        """Raise the second bonus."""
        chosen = pick(play, sole_bets(play, "SHOOTOUT_BONUS", hand=2))
        if chosen is None:
            return False
        where, event = chosen
        first_cents = play.bets()[where._replace(hand=1)]
        event["amount_cents"] = first_cents + play.rng.choice((1_00, 5_00))
        play.notes["bets"] = [where]
        return is_allowed(play, event)


class OverLimit(BetFault):
    """A bet above what the table posts, or above the law."""

    name = "over-limit"
    games = EVERY_GAME
    codes = ("WAGER_OVER_LIMIT",)
    summary = "a bet above the posted or legal maximum"

    def alter(self, play: Round) -> bool:
        """Raise a bet that no other bet is measured by."""
        split = {where.spot for where in play.bets() if where.hand == 2}
        bets = [
            bet
            for bet in sole_bets(play, "FIVE_CARD_BONUS", "ULTIMATE_PAIRS", "BIG_8", "PRIMARY")
            if bet[0].spot not in split
        ]
        chosen = pick(play, bets)
        if chosen is None:
            return False
        where, event = chosen
        event["amount_cents"] = play.limits.maximum_cents + play.rng.choice((1_00, 100_00))
        play.notes["bets"] = [where]
        return True


class UnderMinimum(BetFault):
    """A bet below what the table posts."""

    name = "under-minimum"
    games = EVERY_GAME
    codes = ("WAGER_UNDER_MINIMUM",)
    summary = "antes, a big 8 or a primary below the posted minimum"

    def alter(self, play: Round) -> bool:
        """Lower a bet that no other bet is measured by; in Run'em Twice both antes."""
        stakes = play.bets()
        bound = {at.spot for at in stakes if at.hand == 2 or at.wager == "FIRST_RUN"}
        bets = [
            bet
            for bet in sole_bets(play, "FIRST_ANTE", "SECOND_ANTE", "BIG_8", "PRIMARY")
            if bet[0].spot not in bound
        ]
        chosen = pick(play, bets)
        if chosen is None:
            return False
        spot = chosen[0].spot
        low = [bet for bet in bets if bet[0].spot == spot]
        if len(low) == 1 and chosen[0].wager.endswith("ANTE"):
            return False
        for _, event in low:
            event["amount_cents"] = play.limits.minimum_cents - 50
        play.notes["bets"] = [where for where, _ in low]
        return True
