"""Whole files gone wrong: tables of all games, with events lost, late, twice and contradicting."""

from __future__ import annotations

import copy
import uuid
from random import Random
from typing import Any, Final

from tests.property import weird_dakota_duel_draw, weird_run_em_twice, weird_texas_shootout
from tests.replay.streams import Event

GAMES = (weird_run_em_twice, weird_dakota_duel_draw, weird_texas_shootout)


def stream(seed: int, rounds: int) -> list[Event]:
    """Events of up to three tables in order of arrival, always the same for a seed."""
    random = Random(seed)
    tables = [
        game.stream(random.randrange(10**6), rounds)
        for game in random.sample(GAMES, random.randint(1, 3))
    ]
    for events in tables:
        for _ in range(random.randint(0, 4)):
            _damage(random, events)
    mixed = _interleaved(random, tables)
    if random.random() < 0.3:
        _shuffle_some(random, mixed)
    return mixed


def _damage(random: Random, events: list[Event]) -> None:
    at = random.randrange(1, len(events))
    random.choice(_DAMAGES)(random, events, at)


def _lose(random: Random, events: list[Event], at: int) -> None:
    del events[at : at + random.choice((1, 1, 2, 8))]


def _lose_a_bound(random: Random, events: list[Event], _: int) -> None:
    """Lose the opening or the end of a round."""
    bounds = [i for i, e in enumerate(events) if e["type"] in ("RoundOpened", "RoundClosed")]
    if bounds:
        del events[random.choice(bounds)]


def _deliver_twice(random: Random, events: list[Event], at: int) -> None:
    events.insert(random.randrange(at, len(events) + 1), copy.deepcopy(events[at]))


def _contradict(random: Random, events: list[Event], at: int) -> None:
    """Another content under the same id."""
    other = copy.deepcopy(events[at]) | {"recorded_by": "someone else"}
    events.insert(random.randrange(at, len(events) + 1), other)


def _share_a_number(random: Random, events: list[Event], at: int) -> None:
    other = copy.deepcopy(random.choice(events))
    other |= {"event_id": _id(random), "seq": events[at]["seq"]}
    events.insert(random.randrange(at, len(events) + 1), other)


def _share_an_id(_: Random, events: list[Event], at: int) -> None:
    events.append(copy.deepcopy(events[at]) | {"seq": events[-1]["seq"] + 1})


def _put_a_clock_wrong(random: Random, events: list[Event], at: int) -> None:
    events[at]["occurred_at"] = random.choice(events)["occurred_at"]


def _name_another_round(random: Random, events: list[Event], at: int) -> None:
    rounds = [e["round_id"] for e in events if "round_id" in e]
    if "round_id" in events[at]:
        known = rounds[:: len(rounds) // 5 + 1]
        events[at]["round_id"] = random.choice((*known, "no-such-round"))


def _twin(random: Random, events: list[Event], at: int) -> None:
    if events[at]["type"] == "WagerPlaced":
        new: dict[str, Any] = {"event_id": _id(random), "seq": events[-1]["seq"] + 1}
        events.append(events[at] | new)


_DAMAGES: Final = (
    _lose,
    _lose_a_bound,
    _deliver_twice,
    _contradict,
    _share_a_number,
    _share_an_id,
    _put_a_clock_wrong,
    _name_another_round,
    _twin,
)


def _id(random: Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def _interleaved(random: Random, tables: list[list[Event]]) -> list[Event]:
    turns = [number for number, events in enumerate(tables) for _ in events]
    random.shuffle(turns)
    nexts = [iter(events) for events in tables]
    return [next(nexts[number]) for number in turns]


def _shuffle_some(random: Random, events: list[Event]) -> None:
    """Let some events arrive later than their numbers say."""
    for _ in range(random.randint(1, 12)):
        event = events.pop(random.randrange(len(events)))
        events.insert(random.randrange(len(events) + 1), event)
