"""Texas Shootout rounds for tests, put together by hand, and what is due and found in them."""

from __future__ import annotations

from typing import Any

from replay.findings import Finding
from replay.rulebook.loader import load_rulebook
from replay.vocabulary import Wager
from tests.replay.streams import judge
from tests.replay.tape import Tape

Dues = dict[tuple[int, int, str], int | tuple[int, int] | None]

DEALER = "Qc 8d 5h 3s"
"""By `published-2011` the dealer keeps the queen and the eight."""
FLOP = "Kh 7c 4d Ts Jh"
"""With it the dealer holds king high."""


def tape_of(paytable: str | None = "A", house_way: str | None = "published-2011") -> Tape:
    paytables = {} if paytable is None else {"shootout_bonus": paytable}
    tape = Tape("TS-01", "TEXAS_SHOOTOUT", paytables=paytables, house_way=house_way)
    tape.open_round(decks=6)
    return tape


def deal(tape: Tape, seats: dict[int, str], dealer: str = DEALER) -> None:
    for spot, cards in seats.items():
        tape.deal("PLAYER", cards, spot)
    tape.deal("DEALER", dealer)


def finish(tape: Tape, kept: str = "Qc 8d", flop: str = FLOP) -> None:
    tape.decide(None, "KEEP", kept)
    tape.deal("FLOP", flop)


def one_spot(cards: str, keep: str, flop: str = FLOP, **bets: int) -> Tape:
    """A round of one spot that keeps two of its cards; the dealer keeps queen and eight."""
    tape = tape_of()
    for wager, cents in (bets or {"PRIMARY": 1000}).items():
        tape.bet(1, wager, cents)
    deal(tape, {1: cards})
    tape.decide(1, "KEEP", keep)
    finish(tape, flop=flop)
    return tape


def split_spot(cards: str = "As Ah 3d 3c", **more: Any) -> Tape:
    """A round of one spot that splits; `second` is the second primary, `bonuses` both bonuses."""
    tape = tape_of(more.get("paytable", "A"))
    first, second = more.get("bonuses", (None, None))
    tape.bet(1, "PRIMARY", 1000)
    if first:
        tape.bet(1, "SHOOTOUT_BONUS", first)
    deal(tape, {1: cards})
    tape.decide(1, "SPLIT", cards)
    if more.get("second", 1000):
        tape.bet(1, "PRIMARY", more.get("second", 1000), hand=2)
    if second:
        tape.bet(1, "SHOOTOUT_BONUS", second, hand=2)
    finish(tape, flop=more.get("flop", FLOP))
    return tape


def dues_of(tape: Tape, **readings: str) -> Dues:
    """What is due on every bet: exactly, or its bounds, or None; the round need not be settled."""
    close(tape)
    verdict, _ = judge(tape.events, rulebook_with(readings))
    w = verdict.wagers
    assert w is not None
    found: Dues = {}
    for row in range(len(w.spot)):
        place = (int(w.spot[row]), int(w.hand[row]), Wager(int(w.wager[row])).name)
        if w.due_known[row]:
            found[place] = int(w.due_cents[row])
        else:
            bounds = (int(w.low_cents[row]), int(w.high_cents[row]))
            found[place] = bounds if w.bounded[row] else None
    return found


def rulebook_with(readings: dict[str, str]) -> Any:
    named = {name.replace("_", "-"): value for name, value in readings.items()}
    return load_rulebook().with_readings(named)


def close(tape: Tape) -> None:
    if tape.round_id is not None:
        tape.close_round()


def findings_of(tape: Tape) -> list[Finding]:
    close(tape)
    return judge(tape.events)[1]


def codes(tape: Tape) -> list[tuple[str, int | None, int | None, str | None]]:
    """Findings but for those that only say that nothing was settled."""
    return [
        (f.code.value, f.spot, f.hand, f.wager)
        for f in findings_of(tape)
        if f.code != "WAGER_UNSETTLED"
    ]


def primary(tape: Tape, spot: int = 1, hand: int = 1) -> int | tuple[int, int] | None:
    return dues_of(tape)[(spot, hand, "PRIMARY")]
