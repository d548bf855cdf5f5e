"""What other rules would change is what an audit by those rules from the start comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from services.audit import audit
from services.errors import BadArgumentError
from services.history.store import History
from services.replaying import service
from services.replaying.asked import OtherRules
from services.report.gather import Scope
from services.report.one_round import round_json
from services.rounds import round_in_history
from tests.oracle.audit import audit_events
from tests.property import weird_texas_shootout
from tests.property.test_carriers_agree import weird
from tests.replay.streams import Event
from tests.services.replaying.build import floor, kept, priced

OTHER_PAYTABLES = OtherRules(
    paytables=(
        ("DD-01", "BIG_8", "2"),
        ("DD-01", "POCKET_PAIR", "5"),
        ("RT-01", "ULTIMATE_PAIRS", "1"),
        ("TS-01", "SHOOTOUT_BONUS", "B"),
    )
)

KEYS = ("table_id", "round_id", "spot", "hand", "wager", "bettor")
Bet = tuple[Any, ...]


def reposted(events: list[Event], other: OtherRules) -> list[Event]:
    """The same events of tables that posted other paytables."""
    keys = {name: name.lower() for name in ("BIG_8", "POCKET_PAIR", "ULTIMATE_PAIRS")}
    keys["SHOOTOUT_BONUS"] = "shootout_bonus"
    changed = []
    for event in events:
        if event["type"] == "TableOpened":
            own = [each for each in other.paytables if each[0] == event["table_id"]]
            posted = {keys[wager]: paytable for _, wager, paytable in own}
            event = event | {"paytables": event["paytables"] | posted}
        changed.append(event)
    return changed


def dues(path: Path) -> Mapping[Bet, int | None]:
    """What is due on every wager of every settled round, as `pitproof round` explains it."""
    found: dict[Bet, int | None] = {}
    with History.open(path) as history:
        rounds = history.rows("SELECT table_id, round_id FROM rounds WHERE status = 'SETTLED'")
        for table_id, round_id in rounds:
            told = json.loads(round_json(round_in_history(history, round_id, table_id)))
            for wager in told["wagers"]:
                place = {**wager, "table_id": table_id, "round_id": round_id}
                found[tuple(place[key] for key in KEYS)] = wager["expected_cents"]
    return found


def test_nets_are_those_of_an_oracle_that_has_the_other_paytables(tmp_path: Path) -> None:
    events = floor(11, rounds=25, faults=False)
    path = kept(tmp_path / "h.db", events)
    answer = priced(path, OTHER_PAYTABLES)
    summaries = [audit_events(e)["summary"] for e in (events, reposted(events, OTHER_PAYTABLES))]
    assert [answer.expected, answer.what_if] == [
        each["player_net_expected_cents"] for each in summaries
    ]
    assert answer.rounds == summaries[0]["rounds"]
    assert {row["table_id"] for row in answer.changed} == {"DD-01", "RT-01", "TS-01"}


def test_every_wager_that_changes_is_named_and_no_other(tmp_path: Path) -> None:
    seen = set()
    for seed in range(4):
        events = weird(seed)
        games = {e["table_id"]: e["game"] for e in events if e["type"] == "TableOpened"}
        other = OtherRules(paytables=tuple(_others(games)))
        path = kept(tmp_path / f"{seed}.db", events)
        answer = priced(path, other, rows=100)
        as_was = dues(path)
        what_if = dues(kept(tmp_path / f"{seed}-other.db", reposted(events, other)))
        expected = {}
        for bet in {*as_was, *what_if}:
            sides = as_was.get(bet, 0), what_if.get(bet, 0)
            if None in sides or sides[0] != sides[1]:
                expected[bet] = sides
        assert {
            tuple(row[key] for key in KEYS): (row["expected_cents"], row["what_if_cents"])
            for row in answer.changed
        } == expected
        known = [
            b for b in {*as_was, *what_if} if None not in (as_was.get(b, 0), what_if.get(b, 0))
        ]
        assert answer.expected == sum(as_was.get(bet) or 0 for bet in known)
        assert answer.what_if == sum(what_if.get(bet) or 0 for bet in known)
        seen |= {tuple(cents is None for cents in sides) for sides in expected.values()}
    assert (False, False) in seen
    assert (True, True) in seen  # an unread card decides: neither is known


def _others(games: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for table_id, game in games.items():
        match game:
            case "DAKOTA_DUEL_DRAW":
                yield table_id, "BIG_8", "1"
                yield table_id, "POCKET_PAIR", "4"
            case "RUN_EM_TWICE":
                yield table_id, "ULTIMATE_PAIRS", "1"
            case "TEXAS_SHOOTOUT":
                yield table_id, "SHOOTOUT_BONUS", "B"


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("evening") / "h.db", floor(21, rounds=30, faults=False))


def test_another_reading_is_what_an_audit_by_it_comes_to(tmp_path: Path) -> None:
    events = weird_texas_shootout.stream(6, 25)  # a player has two spots, and one of them envies
    path = kept(tmp_path / "h.db", events)
    other = OtherRules(readings={"TS-ENVY-OWN": "exclude-same-player"})
    answer = priced(path, other)
    file = path.with_suffix(".0.jsonl")
    whole, otherwise = (
        audit([str(file)], readings=readings).summary for readings in ({}, other.readings)
    )
    assert answer.expected == whole.player_net_expected_cents
    assert answer.what_if == otherwise.player_net_expected_cents
    known = [row for row in answer.changed if row["expected_cents"] is not None]
    assert {row["wager"] for row in known} == {"ENVY_BONUS"}


def test_what_an_edition_that_is_not_held_would_pay_is_not_known(evening: Path) -> None:
    answer = priced(evening, OtherRules(edition=date(2021, 4, 26)))
    with History.open(evening) as history:
        ((net,),) = history.rows("SELECT sum(net_expected_cents) FROM rounds")
        ((dakota,),) = history.rows(
            "SELECT sum(net_expected_cents) FROM rounds WHERE game = 'DAKOTA_DUEL_DRAW'"
        )
    assert answer.expected == answer.what_if == net - dakota
    assert {(row["table_id"], row["what_if_cents"]) for row in answer.changed} == {("DD-01", None)}
    assert sum(row["expected_cents"] for row in answer.changed) == dakota


def test_the_edition_in_force_changes_nothing(evening: Path) -> None:
    answer = priced(evening, OtherRules(edition=date(2022, 8, 9)))
    assert answer.changed == []
    assert answer.expected == answer.what_if != 0


def test_sums_of_each_way_are_the_sums_of_all(evening: Path) -> None:
    answer = priced(evening, OTHER_PAYTABLES)
    total = answer.result.money.total()
    assert total.changed == len(answer.changed) > 0
    for way, sums in answer.result.money.by.items():
        parts = [
            (each.wagers, each.expected_cents, each.what_if_cents, each.changed, each.unknown)
            for each in sums.values()
        ]
        assert tuple(map(sum, zip(*parts, strict=True))) == (
            *(total.wagers, total.expected_cents, total.what_if_cents),
            *(total.changed, total.unknown),
        ), way
    differences = sum(row["what_if_cents"] - row["expected_cents"] for row in answer.changed)
    assert differences == answer.what_if - answer.expected


def test_filters_and_processes(evening: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = priced(evening, OTHER_PAYTABLES)
    monkeypatch.setattr(service, "EVENTS_A_PROCESS_MIN", 1)
    apart = priced(evening, OTHER_PAYTABLES, cores=2, rows=500)
    assert (apart.changed, apart.expected, apart.what_if, apart.rounds) == (
        *(whole.changed, whole.expected, whole.what_if, whole.rounds),
    )
    one = priced(evening, OTHER_PAYTABLES, Scope(table_id="TS-01"), cores=1)
    assert one.changed == [row for row in whole.changed if row["table_id"] == "TS-01"]
    none = priced(evening, OTHER_PAYTABLES, Scope(last_day=date(2000, 1, 1)), cores=1)
    assert (none.rounds, none.expected, none.what_if, none.changed) == (0, 0, 0, [])


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (OtherRules(edition=date(2020, 1, 1)), "2022-08-09"),
        (OtherRules(paytables=(("DD-99", "BIG_8", "1"),)), "DD-01"),
        (OtherRules(paytables=(("DD-01", "ULTIMATE_PAIRS", "1"),)), "POCKET_PAIR, BIG_8"),
        (OtherRules(paytables=(("DD-01", "BIG_8", "8"),)), "1, 2, 3, 4, 5, 6, 7"),
        (OtherRules(readings={"RT-RANGE": "any"}), "whole-multiples"),
        (OtherRules(readings={"RT-NONE": "any"}), "RT-RANGE"),
        (OtherRules(house_ways={"TS-01": "none"}), "published-2011"),
        (OtherRules(house_ways={"DD-01": "published-2011"}), "no Texas Shootout"),
    ],
)
def test_what_there_is_not_is_answered_by_what_there_is(
    other: OtherRules, says: str, evening: Path
) -> None:
    with pytest.raises(BadArgumentError) as refused:
        priced(evening, other)
    assert says in str(refused.value)
