"""Tables that are opened wrongly: each has a table of its own."""

from datetime import date, timedelta
from typing import ClassVar, Final

from services.simulate.chance import Chance
from services.simulate.faults.fault import (
    DAKOTA,
    EVERY_GAME,
    RUN_EM_TWICE,
    SHOOTOUT,
    FindingRow,
    TableFault,
    finding,
    mispaid,
    set_net,
)
from services.simulate.games.script import Script
from services.simulate.round import Ask, Dues, Round, Where, Wishes, where_of
from services.simulate.table import Posted, Table

POSTED_KEYS: Final = {
    RUN_EM_TWICE: ("ultimate_pairs", "ULTIMATE_PAIRS"),
    DAKOTA: ("big_8", "BIG_8"),
    SHOOTOUT: ("shootout_bonus", "SHOOTOUT_BONUS"),
}
"""The key that posts a paytable, and its wager."""

OTHER_PAYTABLES: Final = {
    RUN_EM_TWICE: {"1": "2", "2": "3", "3": "4", "4": "1", "5": "3"},
    DAKOTA: {"1": "4", "2": "1", "3": "5", "4": "6", "5": "3", "6": "1", "7": "2"},
    SHOOTOUT: {"A": "B", "B": "A"},
}
"""The paytable that a dealer of another table may have in mind."""


class WrongDay(TableFault):
    """A gaming day under which no round may be settled."""

    last_days: ClassVar[dict[str, date]]

    def posted(self, script: Script, rng: Chance, day: date) -> Posted:
        """A day too early."""
        return Posted(
            gaming_day=self.last_days[script.game] - timedelta(days=rng.randrange(30)),
            asked={"gaming_day": day.isoformat()},
        )

    def opened(self, table: Table) -> list[FindingRow]:
        """The opening."""
        return [finding(self.codes[0], table.table_id, None)]


class NoEdition(WrongDay):
    """A gaming day before the rule was made."""

    name = "no-edition"
    games = EVERY_GAME
    codes = ("NO_EDITION_IN_FORCE",)
    summary = "the table's gaming day lies before the first edition of its rule"
    last_days: ClassVar[dict[str, date]] = {
        RUN_EM_TWICE: date(2025, 5, 5),
        DAKOTA: date(2021, 4, 25),
        SHOOTOUT: date(2003, 5, 5),
    }


class EditionNotHeld(WrongDay):
    """A gaming day under a text that is not held."""

    name = "edition-not-held"
    games = (DAKOTA, SHOOTOUT)
    codes = ("EDITION_NOT_HELD",)
    summary = "the table's gaming day lies under an edition whose text is not held"
    last_days: ClassVar[dict[str, date]] = {DAKOTA: date(2022, 8, 8), SHOOTOUT: date(2006, 1, 29)}


class UnknownPaytable(TableFault):
    """A sign that names no paytable of the rule."""

    name = "unknown-paytable"
    games = EVERY_GAME
    codes = ("PAYTABLE_UNKNOWN",)
    summary = "the posted paytable is not in the rule"

    def posted(self, script: Script, rng: Chance, day: date) -> Posted:
        """An id that is none; settled as by one that there is."""
        key, _ = POSTED_KEYS[script.game]
        known = script.post(rng).paytables[key]
        return Posted(paytables={key: "9"}, asked={"paytables": {key: known}})

    def opened(self, table: Table) -> list[FindingRow]:
        """The opening, and the wager."""
        _, wager = POSTED_KEYS[table.script.game]
        return [finding(self.codes[0], table.table_id, None, wager=wager)]


class NoHouseWay(TableFault):
    """Nobody says how the dealer sets the hand."""

    name = "no-house-way"
    games = (SHOOTOUT,)
    codes = ("HOUSE_WAY_UNVERIFIABLE",)
    summary = "no house way is posted, or one that is not known (info only)"

    def posted(self, script: Script, rng: Chance, day: date) -> Posted:
        """None, or a name that means nothing; the dealer keeps by the published one."""
        asked = {"house_way": script.post(rng).house_way}
        if rng.random() < 0.5:
            return Posted(no_house_way=True, asked=asked)
        return Posted(house_way="back-office-7", asked=asked)

    def opened(self, table: Table) -> list[FindingRow]:
        """The opening."""
        return [finding(self.codes[0], table.table_id, None)]


class PaysOtherPaytable(TableFault):
    """A dealer who has another table's pays in mind, all evening."""

    name = "pays-other-paytable"
    games = EVERY_GAME
    codes = ("PAYTABLE_MISMATCH", "OVERPAID", "UNDERPAID")
    summary = "every pay of a wager follows another paytable than the posted one"

    def __init__(self) -> None:
        self._mispaid = 0

    def wishes(self, table: Table) -> Wishes:
        """Now and then cards on which the paytables differ: a pair, or a flop of one rank."""
        rng = table.rng
        if rng.random() < 0.6:
            return Wishes()
        rank = rng.choice("23456789T")
        if table.script.game == SHOOTOUT:
            return Wishes({("FLOP", 0): [f"{rank}{suit}" for suit in "cdhs"]})
        return Wishes({("PLAYER", rng.choice(table.spots_taken())): [f"{rank}c", f"{rank}s"]})

    def settle(self, play: Round, dues: Dues, ask: Ask) -> list[FindingRow] | None:
        """Pay one wager throughout as the other paytable has it."""
        game = play.opening["game"]
        key, wager = POSTED_KEYS[game]
        posted = play.opening["paytables"]
        play.opening = {
            **play.opening,
            "paytables": {**posted, key: OTHER_PAYTABLES[game][posted[key]]},
        }
        others = ask([play])[0]
        rows: list[FindingRow] = []
        for event in play.events:
            if event["type"] != "WagerSettled" or event["wager"] != wager:
                continue
            where: Where = where_of(event)
            due_cents, other_cents = dues[where].due_cents, others[where].due_cents
            assert due_cents is not None
            assert other_cents is not None
            if other_cents != due_cents:
                set_net(event, other_cents)
                rows.append(mispaid(play, where, due_cents, other_cents))
        self._mispaid += len(rows)
        return rows

    def ended(self, table: Table) -> list[FindingRow]:
        """The wager, once for the day."""
        _, wager = POSTED_KEYS[table.script.game]
        return [finding("PAYTABLE_MISMATCH", table.table_id, None, wager=wager)]

    def is_done(self) -> bool:
        """Two such pays make a pattern."""
        return self._mispaid >= 2
