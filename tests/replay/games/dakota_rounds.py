"""Dakota Duel Draw rounds for tests: dealt in rotation, and what the engine makes of them."""

from __future__ import annotations

from typing import Any

from replay.findings import Finding
from replay.vocabulary import Bettor, Wager
from tests.replay.streams import judge
from tests.replay.tape import Tape

Dues = dict[tuple[int, str], int]

TIP: dict[str, Any] = {"bettor": "DEALER"}


def tape_of(pocket_pair: str | None = "1", big_8: str | None = "1", **opening: Any) -> Tape:
    posted = {"pocket_pair": pocket_pair, "big_8": big_8}
    paytables = {name: table for name, table in posted.items() if table is not None}
    tape = Tape("DD-01", "DAKOTA_DUEL_DRAW", paytables=paytables, **opening)
    tape.open_round()
    return tape


def deals(seats: dict[int, str], hand_1: str, hand_2: str) -> list[tuple[str, int | None, str]]:
    """Places and cards in the rotation of (4)."""
    order: list[tuple[str, int | None, str]] = []
    for turn, (one, two) in enumerate(zip(hand_1.split(), hand_2.split(), strict=True)):
        order += [("HAND_2", None, two), ("HAND_1", None, one)]
        if turn < 2:
            order += [("PLAYER", spot, seats[spot].split()[turn]) for spot in sorted(seats)]
    return order


def deal(tape: Tape, seats: dict[int, str], hand_1: str, hand_2: str) -> None:
    for place, spot, card in deals(seats, hand_1, hand_2):
        tape.deal(place, card, spot)


def play(tape: Tape, spot: int = 1, cents: int = 1000) -> None:
    tape.decide(spot, "PLAY")
    tape.bet(spot, "HAND_1_PLAY", cents)


def show(tape: Tape) -> None:
    tape.reveal("HAND_1", "HAND_2")


def finish(tape: Tape) -> None:
    show(tape)
    tape.close_round()


def whole_round(
    cards: str, hand_1: str, hand_2: str, *, choice: str = "PLAY", **posted: str | None
) -> Tape:
    """All three bets of $10 at spot 1, closed without any settlement."""
    tape = tape_of(**posted)
    tape.bet(1, "HAND_2_ANTE", 1000)
    tape.bet(1, "BIG_8", 1000)
    deal(tape, {1: cards}, hand_1, hand_2)
    if choice == "PLAY":
        play(tape)
    elif choice == "FOLD":
        tape.decide(1, "FOLD")
    finish(tape)
    return tape


def dues_of(tape: Tape) -> Dues:
    """What is due on every standing bet and bonus; the round need not have been settled."""
    wagers = judge(tape.events)[0].wagers
    assert wagers is not None
    rows = zip(
        wagers.spot, wagers.wager, wagers.bettor, wagers.due_cents, wagers.due_known, strict=True
    )
    return {
        (int(spot), Wager(int(wager)).name + (" tip" if bettor == Bettor.DEALER else "")): int(due)
        for spot, wager, bettor, due, known in rows
        if known
    }


def findings_of(tape: Tape) -> list[Finding]:
    return judge(tape.events)[1]


def codes(tape: Tape) -> list[tuple[str, int | None, str | None]]:
    """Findings but for those that only say that nothing was settled."""
    return [
        (f.code.value, f.spot, f.wager) for f in findings_of(tape) if f.code != "WAGER_UNSETTLED"
    ]
