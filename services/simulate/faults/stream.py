"""What goes wrong between table and auditor: gaps, conflicts, clocks, ends that do not come."""

from services.simulate.chance import event_id
from services.simulate.faults.fault import (
    EVERY_GAME,
    Fault,
    FindingRow,
    finding,
    found,
    found_at,
)
from services.simulate.round import Ask, Dues, Round
from services.simulate.scribe import Event
from services.simulate.table import SECOND, micros_of, timestamp

Arrivals = tuple[list[Event], list[FindingRow]]


def within(play: Round, events: list[Event]) -> range:
    """Positions of the round's events without its opening and its end."""
    return range(len(play.lead) + 1, len(events) - 1)


class Gap(Fault):
    """Events that never arrive."""

    name = "gap"
    games = EVERY_GAME
    codes = ("SEQUENCE_GAP",)
    summary = "one to three events of a round are lost, so that it is held"

    def disturb(self, play: Round, events: list[Event]) -> Arrivals:
        """Lose some events in the middle of the round."""
        rows = within(play, events)
        count = play.rng.randint(1, 3)
        at = play.rng.choice(rows[: len(rows) - count])
        lost = events[at : at + count]
        numbers = {
            "first_missing_seq": lost[0]["seq"],
            "last_missing_seq": lost[-1]["seq"],
        }
        left = events[:at] + events[at + count :]
        return left, [finding("SEQUENCE_GAP", play.scribe.table_id, None, **numbers)]


class Conflict(Fault):
    """One fact told in two ways."""

    name = "conflict"
    games = EVERY_GAME
    codes = ("EVENT_CONFLICT",)
    summary = "one event id, or one number of a table, with two contents; the first counts"

    def disturb(self, play: Round, events: list[Event]) -> Arrivals:
        """Let a bet or a settlement arrive again with another amount."""
        rows = [
            row
            for row in within(play, events)
            if events[row]["type"] in {"WagerPlaced", "WagerSettled"}
        ]
        row = play.rng.choice(rows)
        other = dict(events[row])
        name = "amount_cents" if "amount_cents" in other else "paid_cents"
        other[name] += 5_00
        if play.rng.random() < 0.5:
            other["event_id"] = event_id(play.rng)
        arrivals = [*events[: row + 1], other, *events[row + 1 :]]
        return arrivals, [found_at("EVENT_CONFLICT", other)]


class Redelivery(Fault):
    """The same events again: at least once is what a stream promises."""

    name = "redelivery"
    games = EVERY_GAME
    codes = ()
    summary = "some events arrive twice, which must raise nothing"

    def disturb(self, play: Round, events: list[Event]) -> Arrivals:
        """Send a run of events again, right away."""
        at = play.rng.choice(within(play, events))
        again = [dict(event) for event in events[max(0, at - 8) : at]]
        return [*events[:at], *again, *events[at:]], []


class ClockSkew(Fault):
    """A table clock that steps back."""

    name = "clock-skew"
    games = EVERY_GAME
    codes = ("CLOCK_SKEW",)
    summary = "an event's time lies far before that of the event before it"

    def disturb(self, play: Round, events: list[Event]) -> Arrivals:
        """Set one event back by half a minute to half an hour."""
        event = events[play.rng.choice(within(play, events))]
        back_micros = play.rng.randint(30, 1800) * SECOND
        event["occurred_at"] = timestamp(micros_of(event["occurred_at"]) - back_micros)
        return events, [found_at("CLOCK_SKEW", event)]


class AfterTheEnd(Fault):
    """Something more is recorded of a round that is over."""

    name = "after-the-end"
    games = EVERY_GAME
    codes = ("EVENT_OUT_OF_PLACE",)
    summary = "a settlement arrives after its round was closed"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Settle one wager once more after the end."""
        settlements = play.settlements()
        if not settlements:
            return None
        where = play.rng.choice(sorted(settlements))
        event = play.scribe.settled(play.round_id, where, 5_00)
        play.events.append(event)
        return [found_at("EVENT_OUT_OF_PLACE", event)]


class NotClosed(Fault):
    """Nobody says that the round is over."""

    name = "not-closed"
    games = EVERY_GAME
    codes = ("ROUND_NOT_CLOSED",)
    summary = "the next round opens, or the table closes, before this one was closed"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Lose the end."""
        assert play.events.pop()["type"] == "RoundClosed"
        return [found("ROUND_NOT_CLOSED", play)] if play.settlements() else None


class OrphanCorrection(Fault):
    """A correction of nothing."""

    name = "orphan-correction"
    games = EVERY_GAME
    codes = ("ORPHAN_CORRECTION",)
    summary = "a payout is corrected that was never recorded"

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Correct a settlement that is not there."""
        correction = play.scribe.payout_corrected(play.round_id, event_id(play.rng), 5_00)
        play.events.insert(len(play.events) - 1, correction)
        return [found_at("ORPHAN_CORRECTION", correction)]
