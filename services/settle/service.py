"""A typed round settled: its events judged by the engine, in memory, as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from replay.findings import FindingCode
from replay.rulebook.loader import Rulebook
from replay.vocabulary import Game, Place
from services.audit import rulebook_for
from services.errors import BadArgumentError
from services.rounds import RoundReport, round_of_rows
from services.settle.events import Scribe, write_round
from services.settle.games import FORMS, HOUSE_WAY
from services.settle.typed import TypedRound

NOT_SETTLED: Final = (FindingCode.WAGER_UNSETTLED, FindingCode.UNDETERMINED)
"""What is true of every wager of a round of which nobody typed how it was settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whereabouts:
    """Where the events of a typed round belong, should they join a history."""

    table_id: str = "TYPED"
    round_id: str = "TYPED-000001"
    first_seq: int = 1
    at: datetime | None = None
    """None: noon of the gaming day."""
    recorded_by: str | None = None


@dataclass(frozen=True, slots=True)
class SettledRound:
    """What is due on a typed round, and the events that say so."""

    report: RoundReport
    rows: list[dict[str, Any]]


class Settling:
    """One round of a game from its first typed line to what is due."""

    def __init__(
        self,
        game: Game,
        gaming_day: date,
        *,
        readings: Mapping[str, str] | None = None,
        house_ways: Path | None = None,
    ) -> None:
        """Start a round of a game on a gaming day, by these readings and house ways."""
        self.rulebook: Rulebook = rulebook_for(readings or {}, house_ways)
        self.typed = TypedRound(form=FORMS[game], gaming_day=gaming_day)
        self.assumed: list[str] = []
        """What was taken for granted, in sentences."""

    def take(self, lines: Sequence[tuple[str, str]]) -> None:
        """Lines as (word, value), in order.

        Raises:
            BadArgumentError: one does not do.
        """
        for word, value in lines:
            if word == "paytable":
                self._post(value)
            elif word == "house-way":
                self._set_house_way(value)
            elif word == "gaming-day":
                self.typed.gaming_day = _day(value)
            else:
                self.typed.add(word, value)

    def settle(self, place: Whereabouts, zone: ZoneInfo) -> SettledRound:
        """Judge the round.

        Raises:
            BadArgumentError: something of it is lacking.
        """
        typed = self.typed
        typed.check_whole()
        self._check_posted()
        dealer_kept = any(choice.spot is None for choice in typed.choices)
        if Place.DEALER in dict(typed.form.common) and not typed.house_way and not dealer_kept:
            typed.house_way = HOUSE_WAY
            self.assumed.append(
                f"the dealer's hand is set by the house way {HOUSE_WAY}: name another with "
                "--house-way, or the cards kept with --decision 'dealer KEEP Ah Kd'"
            )
        at = place.at or datetime.combine(typed.gaming_day, time(12), zone)
        scribe = Scribe(
            table_id=place.table_id,
            round_id=place.round_id,
            first_seq=place.first_seq,
            at=at,
            recorded_by=place.recorded_by,
        )
        rows = write_round(typed, scribe, self.rulebook)
        report = round_of_rows(rows, place.table_id, place.round_id, self.rulebook)
        if report.explained is None:
            raise BadArgumentError(
                report.why, next_step="name a day whose text is held with --gaming-day"
            )
        if not typed.paid:
            kept = [row for row in report.findings if row.finding.code not in NOT_SETTLED]
            report = replace(report, findings=tuple(kept))
        return SettledRound(report, rows)

    def _post(self, text: str) -> None:
        name, _, id = (part.strip() for part in text.partition("="))
        game, posted = self.typed.form.game, self.typed.form.posted
        wager = next((one for one in posted if one.name == name.upper().replace("-", "_")), None)
        if wager is None:
            raise BadArgumentError(
                f"--paytable {text}: a table of this game posts none for {name or 'that'}",
                next_step=f"it posts {', '.join(f'{one.name}=ID' for one in posted)}",
            )
        if self.rulebook.paytable(game, wager, id) is None:
            known = ", ".join(table.id for table in self.rulebook.paytables(game, wager))
            raise BadArgumentError(
                f"--paytable {text}: the rule has no such paytable", next_step=f"there is {known}"
            )
        self.typed.paytables[wager] = id

    def _set_house_way(self, name: str) -> None:
        if self.rulebook.house_way(name) is None:
            known = ", ".join(way.name for way in self.rulebook.house_ways())
            raise BadArgumentError(
                f"--house-way {name}: there is no such house way", next_step=f"there is {known}"
            )
        self.typed.house_way = name

    def _check_posted(self) -> None:
        """A bet that only a posted paytable pays needs one."""
        for bet in self.typed.bets:
            wager = bet.wager
            if wager in self.typed.form.posted and wager not in self.typed.paytables:
                tables = self.rulebook.paytables(self.typed.form.game, wager)
                known = ", ".join(table.id for table in tables)
                raise BadArgumentError(
                    f"seat {bet.spot}: {wager.name} is paid by a posted paytable, none is named",
                    next_step=f"name it with --paytable {wager.name}=ID; there is {known}",
                )


def default_day(rulebook: Rulebook, game: Game, today: date) -> date:
    """Today, or the first day of the rule where that is yet to come."""
    held = max(edition.in_force_from for edition in rulebook.editions(game) if edition.held)
    return max(held, today)


def day_of_edition(rulebook: Rulebook, game: Game, text: str) -> date:
    """The first day of an edition, which is its name.

    Raises:
        BadArgumentError: the game has no such edition; the message names those there are.
    """
    days = [edition.in_force_from.isoformat() for edition in rulebook.editions(game)]
    if text not in days:
        raise BadArgumentError(
            f"--edition {text}: {game.name} has no such edition",
            next_step=f"there is {', '.join(days)}",
        )
    return date.fromisoformat(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadArgumentError(
            f"gaming-day {text}: is not a day", next_step="write it as 2026-04-18"
        ) from None
