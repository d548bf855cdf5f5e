"""Rounds that should have been voided and were not, and the other way round."""

from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    Fault,
    FindingRow,
    found,
)
from services.simulate.round import Ask, Dues, Round, Wishes, net_of
from services.simulate.table import Table


class MisdealPlayed(Fault):
    """A card too many, and nobody counts."""

    name = "misdeal-played"
    games = EVERY_GAME
    codes = ("MISDEAL_NOT_CALLED",)
    summary = "a spot gets a card too many and the round is settled"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Deal one spot a card more, once its hand is complete."""
        spot = play.rng.choice(play.spots_dealt())
        row = max(play.rows("CardDealt", place="PLAYER", spot=spot))
        extra = play.scribe.dealt(play.round_id, "PLAYER", spot, play.draw_another())
        play.events.insert(row + 1, extra)
        is_dakota = play.opening["game"] == DAKOTA
        nets_cents = [
            net_of(play.events[at], dues[where].stake_cents)
            for where, at in play.settlements().items()
        ]
        return [
            found(
                "MISDEAL_NOT_CALLED",
                play,
                expected_cents=0 if is_dakota else None,
                actual_cents=sum(nets_cents),
            )
        ]


class VoidsExposed(Fault):
    """A card was turned over, and a losing house calls it a misdeal."""

    name = "voids-exposed"
    games = (DAKOTA,)
    codes = ("WRONGLY_VOIDED",)
    summary = "a full and right deal is voided for an exposed card"

    def prepare(self, table: Table) -> Wishes:
        """A card is exposed."""
        return Wishes(expose=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Void the round where it would have been settled."""
        spots = play.spots_dealt()
        play.events[:] = [
            event
            for event in play.events
            if event["type"] not in {"WagerSettled", "RoundClosed", "RulingMade"}
        ]
        play.void("MISDEAL", "card exposed")
        return [
            found(
                "WRONGLY_VOIDED",
                play,
                spot=spot,
                expected_cents=sum(
                    due.due_cents or 0 for where, due in dues.items() if where.spot == spot
                ),
                actual_cents=0,
            )
            for spot in spots
        ]


class CutsDealShort(Fault):
    """A card was turned over, and the dealer stops dealing."""

    name = "cuts-deal-short"
    games = (DAKOTA,)
    codes = ("WRONGLY_VOIDED",)
    summary = "the deal is broken off and voided for an exposed card"

    def prepare(self, table: Table) -> Wishes:
        """A card is exposed."""
        return Wishes(expose=True)

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Void the round a few cards after the exposed one."""
        exposed = play.row("CardExposed")
        last = max(play.rows("CardDealt"))
        if exposed is None or exposed >= last:
            return None
        spots = sorted({where.spot for where in play.bets()})
        del play.events[play.rng.randint(exposed + 1, last) :]
        play.void("MISDEAL", "card exposed")
        return [found("WRONGLY_VOIDED", play, spot=spot, actual_cents=0) for spot in spots]
