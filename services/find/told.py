"""What people are told of a round that was found: seats in play, and what of it they asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from replay.vocabulary import CARD_NAMES
from replay.words import money
from services.find.conditions import SLACK
from services.find.search import Hit
from services.find.times import MICROSECOND
from services.find.wanted import Wanted
from services.history.store import History
from services.report.words import WAGERS, cards, shown

BETS_TOLD_MAX: Final = 2
_OUTCOMES: Final = {"LOSE": "lost", "PUSH": "pushed", "VOID": "void"}

_EVENTS: Final = """
SELECT kind::VARCHAR, spot, hand, wager::VARCHAR, bettor::VARCHAR, e.amount_cents,
    coalesce(c.paid_cents, e.paid_cents), coalesce(c.outcome, e.outcome)::VARCHAR,
    coalesce(c.card_code, e.card_code), player_id
FROM events AS e
LEFT JOIN (
    SELECT target_no, arg_max(paid_cents, seq) AS paid_cents, arg_max(outcome, seq) AS outcome,
        arg_max(card_code, seq) AS card_code
    FROM corrections WHERE standing AND table_id = $1 AND round_id = $2 GROUP BY target_no
) AS c ON c.target_no = e.event_no
WHERE e.table_id = $1 AND e.round_id = $2 AND standing
    AND occurred_at BETWEEN make_timestamptz($3) AND make_timestamptz($4)
    AND kind IN ('WagerPlaced', 'WagerRemoved', 'CardDealt', 'WagerSettled')
ORDER BY e.seq
"""


@dataclass(slots=True)
class _Bet:
    """A bet of a seat, and how it came out."""

    name: str
    placed: list[int] = field(default_factory=list)
    stake: int = 0
    paid: int | None = None
    outcome: str | None = None
    player_id: str | None = None

    def words(self) -> str:
        """`5-card bonus $5.00 paid $15.00`."""
        stake = f" {money(self.stake)}" if self.placed else ""
        if self.outcome is None:
            return f"{self.name}{stake} not settled"
        won = f"paid {money(self.paid or 0)}"
        return f"{self.name}{stake} {won if self.paid else _OUTCOMES.get(self.outcome, won)}"


def told_of(history: History, hit: Hit, wanted: Wanted) -> tuple[int, str]:
    """How many seats are in play, and a line about what was asked for."""
    slack = SLACK // MICROSECOND
    rows = history.rows(
        _EVENTS,
        [
            hit.table_id,
            hit.round_id,
            hit.opened_micros - slack,
            (hit.ended_micros or hit.opened_micros) + slack,
        ],
    )
    bets: dict[int, dict[tuple[object, ...], _Bet]] = {}
    laid: dict[int, list[int]] = {}
    seats = set()
    for kind, spot, hand, wager, bettor, amount, paid, outcome, card, player in rows:
        if kind == "CardDealt":
            laid.setdefault(spot or 0, []).append(card if card is not None else len(CARD_NAMES))
            seats.add(spot)
            continue
        name = WAGERS.get(wager, wager)
        name += (" of hand 2" if hand == 2 else "") + (" tip" if bettor == "DEALER" else "")
        bet = bets.setdefault(spot, {}).setdefault((hand, wager, bettor), _Bet(name))
        bet.player_id = bet.player_id or player
        if kind == "WagerSettled":
            bet.paid, bet.outcome = paid, outcome
            continue
        seats.add(spot)
        placed = kind == "WagerPlaced"
        bet.stake += (amount if placed else -amount) if amount > 0 else 0
        bet.placed += [amount] if placed else []
    listed = {spot: list(of.values()) for spot, of in bets.items()}
    return len(seats - {None}), _line(wanted, listed, laid)


def _line(wanted: Wanted, bets: dict[int, list[_Bet]], laid: dict[int, list[int]]) -> str:
    parts = []
    if wanted.cards:
        parts.append(_cards_words(wanted, laid))
    fitting = {
        spot: [bet for bet in of if _fits(bet, wanted)]
        for spot, of in sorted(bets.items(), key=lambda item: item[0] != wanted.spot)
    }
    if wanted.amount_cents or wanted.outcome or wanted.player_id or wanted.spot:
        for spot, of in fitting.items():
            if of:
                parts.append(_seat_words(spot, of))
                break
    return "; ".join(parts)


def _seat_words(spot: int, bets: list[_Bet]) -> str:
    words = ", ".join(bet.words() for bet in bets[:BETS_TOLD_MAX])
    more = f" and {len(bets) - BETS_TOLD_MAX} more" if len(bets) > BETS_TOLD_MAX else ""
    player = f" ({shown(bets[0].player_id)})" if bets[0].player_id else ""
    return f"seat {spot}{player}: {words}{more}"


def _fits(bet: _Bet, wanted: Wanted) -> bool:
    cents = wanted.amount_cents
    return (
        (cents is None or cents in (*bet.placed, bet.stake, bet.paid))
        and wanted.outcome in (None, bet.outcome)
        and wanted.player_id in (None, bet.player_id)
    )


def _cards_words(wanted: Wanted, laid: dict[int, list[int]]) -> str:
    named = cards([CARD_NAMES[code] for code in wanted.cards])
    for spot, codes in sorted(laid.items()):
        if spot and all(codes.count(code) >= n for code, n in wanted.copies().items()):
            return f"seat {spot}: {cards(_names(codes))}"
    return f"{named} in the round"


def _names(codes: Sequence[int]) -> list[str]:
    return [CARD_NAMES[code] if code < len(CARD_NAMES) else "" for code in codes]
