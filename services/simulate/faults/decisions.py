"""Wrong decisions: none, too early, after a fold, splits and keeps that cannot be."""

from services.simulate.faults.chips import chips
from services.simulate.faults.fault import (
    DAKOTA,
    RUN_EM_TWICE,
    SHOOTOUT,
    Fault,
    FindingRow,
    first_card,
    found,
    found_at,
    pick,
    undetermined,
)
from services.simulate.games.script import main_bet
from services.simulate.games.texas_shootout import TexasShootout, can_split
from services.simulate.round import Ask, Dues, Round, Wishes
from services.simulate.table import Table


class NoDecision(Fault):
    """Chips go down and no word is recorded."""

    name = "no-decision"
    games = (RUN_EM_TWICE, DAKOTA)
    codes = ("DECISION_MISSING",)
    summary = "a spot bets and never plays nor folds"

    def alter(self, play: Round) -> bool:
        """Lose one word, keep its bet."""
        row = pick(play, play.rows("DecisionMade", decision="PLAY"))
        if row is None:
            return False
        play.notes["spot"] = play.events.pop(row)["spot"]
        return True

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The spot."""
        return [found("DECISION_MISSING", play, spot=play.notes["spot"])]


class EarlyDecision(Fault):
    """A player who plays without looking."""

    name = "early-decision"
    games = (RUN_EM_TWICE, DAKOTA)
    codes = ("DECISION_OUT_OF_TURN",)
    summary = "a spot plays before it has cards"

    def alter(self, play: Round) -> bool:
        """Move a spot's first word before the deal."""
        words: dict[int, int] = {}
        for row in play.rows("DecisionMade"):
            words.setdefault(play.events[row]["spot"], row)
        playing = [row for row in words.values() if play.events[row]["decision"] == "PLAY"]
        row = pick(play, playing)
        if row is None:
            return False
        word = play.events.pop(row)
        play.events.insert(first_card(play), word)
        play.notes["word"] = word
        return True

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The event."""
        return [found_at("DECISION_OUT_OF_TURN", play.notes["word"])]


class ChangesLate(Fault):
    """A player who chooses again once the dealer's cards lie open."""

    name = "changes-late"
    games = (SHOOTOUT,)
    codes = ("DECISION_OUT_OF_TURN",)
    summary = "a spot keeps other cards after the dealer's hand is exposed; the first choice counts"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Record another keep of a spot before the flop."""
        keeps = [row for row in play.rows("DecisionMade", decision="KEEP") if _spot(play, row)]
        row = pick(play, keeps)
        flop = play.row("CardDealt", place="FLOP")
        if row is None or flop is None:
            return None
        spot = play.events[row]["spot"]
        cards = play.rng.sample(play.notes["hands"]["PLAYER", spot], 2)
        word = play.scribe.decided(play.round_id, spot, "KEEP", cards)
        play.events.insert(flop, word)
        return [found_at("DECISION_OUT_OF_TURN", word)]


class ActsAfterFold(Fault):
    """A folded player bets on."""

    name = "acts-after-fold"
    games = (RUN_EM_TWICE, DAKOTA)
    codes = ("ACTION_AFTER_FOLD",)
    summary = "a folded spot puts down the next bet, which goes back"

    def alter(self, play: Round) -> bool:
        """Let a spot that folded at its first decision bet before the next reveal."""
        ran = {where.spot for where in play.bets() if where.wager == "FIRST_RUN"}
        spot = pick(play, sorted(play.folded() - ran))
        reveals = list(play.rows("CardsRevealed"))
        if spot is None:
            return False
        is_dakota = play.opening["game"] == DAKOTA
        where = main_bet(spot, "HAND_1_PLAY" if is_dakota else "SECOND_RUN")
        unit_cents = next(seat.unit_cents for seat in play.seats if seat.spot == spot)
        play.events.insert(reveals[0 if is_dakota else 1], chips(play, where, unit_cents))
        play.notes["where"] = where
        return True

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The wager."""
        return [found("ACTION_AFTER_FOLD", play, play.notes["where"])]


class IllegalSplit(Fault):
    """Four cards that make no two pair are split all the same."""

    name = "illegal-split"
    games = (SHOOTOUT,)
    codes = ("ILLEGAL_SPLIT",)
    summary = "a split of cards that are neither two pair nor four of a kind"

    def alter(self, play: Round) -> bool:
        """Turn a keep into a split with its second primary."""
        keeps = [row for row in play.rows("DecisionMade", decision="KEEP") if _spot(play, row)]
        row = pick(play, keeps)
        if row is None:
            return False
        event = play.events[row]
        cards: list[str] = play.notes["hands"]["PLAYER", event["spot"]]
        if can_split(cards):
            return False
        rest = list(cards)
        for card in event["cards"]:
            rest.remove(card)
        event.update(decision="SPLIT", cards=event["cards"] + rest)
        primary_cents = play.bets()[main_bet(event["spot"], "PRIMARY")]
        match = chips(play, main_bet(event["spot"], "PRIMARY", 2), primary_cents)
        play.events.insert(row + 1, match)
        play.notes["spot"] = event["spot"]
        return True

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """The spot."""
        return [found("ILLEGAL_SPLIT", play, spot=play.notes["spot"])]


class KeepsUndealt(Fault):
    """A card comes into play that was not dealt there."""

    name = "keeps-undealt"
    games = (SHOOTOUT,)
    codes = ("KEPT_CARD_NOT_DEALT", "UNDETERMINED")
    summary = "a spot keeps a card that it was not dealt"

    def prepare(self, table: Table) -> Wishes:
        """A shoe of the round's own: what may be due depends on every card seen before."""
        return Wishes(new_shoe=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Name another card in a spot's keep; the hand cannot be known then."""
        keeps = [row for row in play.rows("DecisionMade", decision="KEEP") if _spot(play, row)]
        row = pick(play, keeps)
        if row is None:
            return None
        event = play.events[row]
        dealt: list[str] = play.notes["hands"]["PLAYER", event["spot"]]
        other = play.rng.choice([card for card in play.notes["shoe"].left() if card not in dealt])
        event["cards"] = [event["cards"][0], other]
        missing = found("KEPT_CARD_NOT_DEALT", play, spot=event["spot"])
        return [missing, *undetermined(play, ask([play])[0])]


class HouseWayMisset(Fault):
    """The dealer sets the hand to his liking."""

    name = "house-way-misset"
    games = (SHOOTOUT,)
    codes = ("HOUSE_WAY_MISSET",)
    summary = "the dealer keeps other cards than the house way; settled by the house way"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Name other cards in the dealer's keep."""
        row = max(play.rows("DecisionMade", spot=None))
        cards: list[str] = play.notes["hands"]["DEALER", None]
        kept = play.rng.sample(cards, 2)
        if TexasShootout().is_house_way(cards, kept):
            return None
        play.events[row]["cards"] = kept
        return [found("HOUSE_WAY_MISSET", play)]


def _spot(play: Round, row: int) -> int | None:
    """The spot of an event; None for the dealer."""
    spot: int | None = play.events[row]["spot"]
    return spot
