"""A table opening held against the rulebook: edition, limits, paytables and house way in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from replay.docket import Docket
from replay.events import EventColumns, TableOpening
from replay.findings import FindingCode
from replay.rulebook.house_way import HouseWay
from replay.rulebook.loader import Rulebook
from replay.rulebook.model import Edition, Paytable
from replay.vocabulary import Game, Wager
from replay.words import GAME_WORDS, bet_words

LIMIT_SOURCE: Final = "ARSD 20:18:12.01:08.01"

POSTED_WAGERS: Final = {
    Game.RUN_EM_TWICE: (Wager.ULTIMATE_PAIRS,),
    Game.DAKOTA_DUEL_DRAW: (Wager.POCKET_PAIR, Wager.BIG_8),
    Game.TEXAS_SHOOTOUT: (Wager.SHOOTOUT_BONUS,),
}
"""Wagers whose paytable a table must post."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One `TableOpened` and what the rulebook makes of it. Money in cents."""

    said: TableOpening
    game: Game
    edition: Edition | None
    """None: no edition in force on that gaming day."""
    maximum_cents: int | None
    """The lower of posted and legal maximum of each bet."""
    paytables: dict[Wager, Paytable | None]
    """Posted paytables; None: posted, but not in the rule. Not posted: absent."""
    house_way: HouseWay | None

    @property
    def held(self) -> bool:
        """Whether the text of the edition in force is held, so that rounds may be settled."""
        return self.edition is not None and self.edition.held


def resolve(said: TableOpening, rulebook: Rulebook) -> Opening:
    """Choose edition and limits by the gaming day, paytables and house way by what was posted."""
    game = Game(said.game)
    legal = rulebook.legal_maximum_cents(said.gaming_day)
    limits = [limit for limit in (said.maximum_cents, legal) if limit is not None]
    paytables: dict[Wager, Paytable | None] = {}
    for wager in POSTED_WAGERS[game]:
        posted = said.paytables.get(str(rulebook.posted_key(wager)))
        if posted is not None:
            paytables[wager] = rulebook.paytable(game, wager, posted)
    return Opening(
        said=said,
        game=game,
        edition=rulebook.edition_on(game, said.gaming_day),
        maximum_cents=min(limits) if limits else None,
        paytables=paytables,
        house_way=rulebook.house_way(said.house_way) if said.house_way else None,
    )


def judge_opening(
    docket: Docket, events: EventColumns, row: int, opening: Opening, rulebook: Rulebook
) -> None:
    """Findings of one table opening: edition, unknown paytables, unverifiable house way."""
    day, game = opening.said.gaming_day, GAME_WORDS[opening.game]
    if opening.edition is None:
        docket.add_event(
            FindingCode.NO_EDITION_IN_FORCE,
            events,
            row,
            message=f"no edition of the rule of {game} was in force on {day}: "
            "its rounds are not settled",
            clause=rulebook.cite(opening.game, "").strip(),
        )
        return
    number = opening.edition.citation
    if not opening.edition.held:
        docket.add_event(
            FindingCode.EDITION_NOT_HELD,
            events,
            row,
            message=f"the text in force on {day} ({opening.edition.register}, from "
            f"{opening.edition.in_force_from}) is not held: its rounds are not settled",
            clause=number,
        )
        return
    for wager, paytable in opening.paytables.items():
        if paytable is None:
            _unknown_paytable(docket, events, row, opening, wager, rulebook)
    if opening.game == Game.TEXAS_SHOOTOUT and opening.house_way is None:
        named = opening.said.house_way
        why = "no house way is posted" if named is None else f"house way {named!r} is not known"
        docket.add_event(
            FindingCode.HOUSE_WAY_UNVERIFIABLE,
            events,
            row,
            message=f"{why}: rounds are settled on the cards that the dealer kept",
            clause=f"{number}(11)",
            readings=("TS-HOUSE-WAY",),
        )


def _unknown_paytable(
    docket: Docket,
    events: EventColumns,
    row: int,
    opening: Opening,
    wager: Wager,
    rulebook: Rulebook,
) -> None:
    posted = opening.said.paytables[str(rulebook.posted_key(wager))]
    tables = rulebook.paytables(opening.game, wager)
    known = ", ".join(table.id for table in tables)
    docket.add_event(
        FindingCode.PAYTABLE_UNKNOWN,
        events,
        row,
        message=f"posted paytable {posted!r} of {bet_words(wager)} is not in the rule "
        f"(it has {known}): this wager is not settled",
        clause=rulebook.cite(opening.game, tables[0].clause),
    )
    draft = docket.drafts[-1]
    draft.wager = int(wager)
