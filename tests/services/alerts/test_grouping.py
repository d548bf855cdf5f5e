"""Alerts follow from findings, releases and clearings alone, in whatever portions events come."""

import os
from collections.abc import Sequence
from random import Random

import pytest

from replay.rulebook.loader import Rulebook, load_rulebook
from services.alerts.clearing import clear_alert
from services.alerts.told import Teller
from services.gaps import open_gaps, release_gap
from services.history import alert_groups
from services.history.alert_groups import regroup
from services.history.alerts import alerts_of, is_critical_sql
from services.history.records import enter, records_of
from services.history.store import History
from services.history.verify import problems_of
from services.judging import judge
from services.settings import Settings
from tests.replay.streams import Event
from tests.services.alerts.plain import held, open_alerts
from tests.services.arrivals import append, arriving, evening, portions, troubled
from tests.services.history.build import as_kept

SEEDS = int(os.environ.get("PITPROOF_SEEDS", "1"))
GAMES = ("RT", "DD", "TS")


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that findings of one transaction come in several."""
    monkeypatch.setattr(alert_groups, "FINDINGS_AT_ONCE", 7)


@pytest.fixture(scope="module")
def rulebook() -> Rulebook:
    return load_rulebook()


def grown(
    cut: Sequence[Sequence[Event]], rulebook: Rulebook, random: Random | None = None
) -> History:
    """A history that grew so; with `random`, people clear alerts and release gaps in between."""
    history = as_kept()
    for events in cut:
        with history.transaction():
            judge(history, rulebook, append(history, events).changed())
        if random is not None and random.random() < 0.5:
            intervene(history, rulebook, random)
    return history


def intervene(history: History, rulebook: Rulebook, random: Random) -> None:
    """Clear an alert, or release a gap."""
    alerts, gaps = sorted(held(history)), open_gaps(history)
    if gaps and random.random() < 0.3:
        gap = random.choice(gaps)
        release_gap(
            history, rulebook, gap.table_id, gap.first_missing_seq, by="Ann", why="lost for good"
        )
    elif alerts:
        clear_alert(history, Teller(Settings()), random.choice(alerts), by="Bo", why="seen to")


def severities_agree(history: History) -> None:
    """What SQL takes for critical is what an alert says of itself."""
    for cents in (0, 10_00, 100_00):
        sql = f"SELECT alert_id FROM alerts WHERE {is_critical_sql(cents)}"  # noqa: S608
        critical = {alert_id for (alert_id,) in history.rows(sql)}
        assert critical == {
            one.alert_id for one in alerts_of(history) if one.severity(cents) == "critical"
        }


def arrived(game: str, seed: int, rounds: int = 3) -> tuple[list[Event], Random]:
    random = Random(f"{game}{seed}")
    events = troubled(evening(game, seed, rounds), random)
    return arriving(events, random, random.choice((0.02, 0.1, 0.5))), random


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("game", GAMES)
def test_any_portions_give_the_same_alerts(game: str, seed: int, rulebook: Rulebook) -> None:
    events, random = arrived(game, seed)
    with grown([events], rulebook) as whole:
        alerts = held(whole)
        assert alerts == open_alerts(whole)
        assert len(alerts) > 3
        severities_agree(whole)
    with grown(portions(events, random, random.choice((20, 60))), rulebook) as lived:
        assert held(lived) == alerts


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("game", GAMES)
def test_clearings_and_releases_are_kept(game: str, seed: int, rulebook: Rulebook) -> None:
    """What was cleared when is the same however the events come the next time."""
    events, random = arrived(game, seed + 100)
    with grown(portions(events, random, 60), rulebook, random) as lived:
        alerts = held(lived)
        assert alerts == open_alerts(lived)
        records = [*records_of(lived, "gap_released"), *records_of(lived, "alert_cleared")]
        assert len(records) > 1
        assert not list(problems_of(lived))
        with lived.transaction():
            regroup(lived)
        assert held(lived) == alerts
    with grown([], rulebook) as again:
        with again.transaction():
            journal = append(again, events)
            for one in sorted(records, key=lambda one: one.record_no):
                enter(
                    again, one.kind, by=one.by, fields=one.fields, table_id=one.table_id, at=one.at
                )
            judge(again, rulebook, journal.changed())
        assert held(again) == alerts
