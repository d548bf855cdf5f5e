"""What a fault is: a named mistake, how it gets into a round, and what must be found of it."""

from collections.abc import Iterable
from datetime import date
from typing import Any, ClassVar, Final, TypeAlias

from services.simulate.chance import Chance
from services.simulate.games.script import Script
from services.simulate.round import Ask, Dues, Round, Where, Wishes, net_of, where_of
from services.simulate.scribe import Event
from services.simulate.table import Posted, Table

RUN_EM_TWICE: Final = "RUN_EM_TWICE"
DAKOTA: Final = "DAKOTA_DUEL_DRAW"
SHOOTOUT: Final = "TEXAS_SHOOTOUT"
EVERY_GAME: Final = (RUN_EM_TWICE, DAKOTA, SHOOTOUT)

POSTED_WAGERS: Final = frozenset({"ULTIMATE_PAIRS", "BIG_8", "POCKET_PAIR", "SHOOTOUT_BONUS"})
"""Wagers with several paytables: a wrong pay of theirs may fit another one by chance."""

FindingRow: TypeAlias = dict[str, Any]
"""What must be found; null where any value will do."""


class Fault:
    """A mistake in one round. One object is planted once.

    Its steps come in this order, and each may refuse the round, which is then played anew.
    """

    name: ClassVar[str]
    games: ClassVar[tuple[str, ...]]
    codes: ClassVar[tuple[str, ...]]
    """Finding codes that it raises, all or some of them."""
    summary: ClassVar[str]

    def prepare(self, table: Table) -> Wishes | None:
        """What the round must be like; None: this is no round for it, try the next."""
        return Wishes()

    def alter(self, play: Round) -> bool:
        """Change what was bet, dealt or decided, before anyone asks what is due."""
        return True

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Change the round, rightly settled by now; what must be found. None: it does not fit."""
        return []

    def disturb(self, play: Round, events: list[Event]) -> tuple[list[Event], list[FindingRow]]:
        """Change the stream, `seq` and time given by now; what arrives, and what must be found."""
        return events, []


class TableFault(Fault):
    """A mistake of a whole table, which gets a table of its own."""

    rounds: ClassVar[int] = 12

    def posted(self, script: Script, rng: Chance, day: date) -> Posted:
        """What its table posts."""
        return Posted()

    def wishes(self, table: Table) -> Wishes:
        """What its next round must be like."""
        return Wishes(plain=False)

    def opened(self, table: Table) -> list[FindingRow]:
        """What must be found of the opening."""
        return []

    def ended(self, table: Table) -> list[FindingRow]:
        """What must be found of the whole day."""
        return []

    def is_done(self) -> bool:
        """Whether enough has gone wrong at the table."""
        return True


def finding(
    code: str,
    table_id: str,
    round_id: str | None,
    where: Where | None = None,
    **more: str | int | None,
) -> FindingRow:
    """One row, as it stands in an expected list."""
    row: FindingRow = {
        "code": code,
        "table_id": table_id,
        "round_id": round_id,
        "spot": where.spot if where else None,
        "hand": where.hand if where else None,
        "wager": where.wager if where else None,
        "bettor": where.bettor if where else None,
        "expected_cents": None,
        "actual_cents": None,
    }
    row.update(more)
    return row


def found(
    code: str, play: Round, where: Where | None = None, **more: str | int | None
) -> FindingRow:
    """A row about a round."""
    return finding(code, play.scribe.table_id, play.round_id, where, **more)


def found_at(code: str, event: Event) -> FindingRow:
    """A row about one event, with its place."""
    place = {name: event.get(name) for name in ("spot", "hand", "wager", "bettor")}
    return finding(code, event["table_id"], event.get("round_id"), None, **place)


def mispaid(play: Round, where: Where, due_cents: int, net_cents: int) -> FindingRow:
    """`OVERPAID` or `UNDERPAID`."""
    code = "OVERPAID" if net_cents > due_cents else "UNDERPAID"
    return found(code, play, where, expected_cents=due_cents, actual_cents=net_cents)


def set_net(event: Event, net_cents: int) -> None:
    """Make a settlement one of that net (a loss is of the whole stake)."""
    event["outcome"] = "WIN" if net_cents > 0 else "LOSE" if net_cents < 0 else "PUSH"
    event["paid_cents"] = max(net_cents, 0)


def pick(play: Round, choices: Iterable[Any]) -> Any:
    """One of the choices; None where there are none."""
    listed = list(choices)
    return play.rng.choice(listed) if listed else None


def settled_as(play: Round, *outcomes: str, but: frozenset[str] = frozenset()) -> list[Where]:
    """Wagers settled with such an outcome, some wagers left out."""
    return [
        where
        for where, row in play.settlements().items()
        if play.events[row]["outcome"] in outcomes and where.wager not in but
    ]


def undetermined(play: Round, dues: Dues) -> list[FindingRow]:
    """A row for every wager and bonus that cannot be known, with its bounds."""
    settlements = play.settlements()
    return [
        found(
            "UNDETERMINED",
            play,
            where,
            actual_cents=(
                net_of(play.events[settlements[where]], due.stake_cents)
                if where in settlements
                else None
            ),
            expected_low_cents=due.low_cents,
            expected_high_cents=due.high_cents,
        )
        for where, due in dues.items()
        if due.due_cents is None
    ]


def sole_bet(play: Round, where: Where) -> Event | None:
    """The one placement of a wager that came down at once and was left alone."""
    chips = [
        event
        for event in play.events
        if event["type"] in {"WagerPlaced", "WagerRemoved"} and where_of(event) == where
    ]
    return chips[0] if len(chips) == 1 else None


def first_card(play: Round) -> int:
    """Position of the first card dealt."""
    row = play.row("CardDealt")
    assert row is not None
    return row
