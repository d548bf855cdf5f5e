"""What is due for every wager of a planned round: asked of the one engine, many rounds at once.

Each round is put before it as a table of its own, so that no round knows of another.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import numpy as np

from replay.events import NO_INDEX, EventColumns, Stretch, TableOpening
from replay.resettle import Resettler
from replay.rulebook.loader import Rulebook, load_rulebook
from replay.verdict import WagerColumns
from replay.vocabulary import (
    CARD_BAD,
    CARD_CODES,
    CARD_UNREAD,
    Bettor,
    Decision,
    EventKind,
    Game,
    Outcome,
    Place,
    VoidReason,
    Wager,
)
from services.simulate.round import Due, Where
from services.simulate.scribe import Event

KINDS: Final = {
    "".join(word.capitalize() for word in kind.name.split("_")): int(kind)
    for kind in EventKind
    if kind
}
WAGERS: Final = {each.name: int(each) for each in Wager}
BETTORS: Final = {each.name: int(each) for each in Bettor}
PLACES: Final = {each.name: int(each) for each in Place}
DECISIONS: Final = {each.name: int(each) for each in Decision}
OUTCOMES: Final = {each.name: int(each) for each in Outcome}
REASONS: Final = {each.name: int(each) for each in VoidReason}
WAGER_NAMES: Final = [each.name for each in Wager]
BETTOR_NAMES: Final = [each.name for each in Bettor]

NOTHING_KEPT: Final = 0xFFFF_FFFF

COLUMNS: Final[tuple[tuple[str, type[np.generic]], ...]] = (
    ("kind", np.uint8),
    ("table", np.int32),
    ("seq", np.int64),
    ("round", np.int32),
    ("spot", np.int32),
    ("hand", np.uint8),
    ("wager", np.uint8),
    ("bettor", np.uint8),
    ("amount_cents", np.int64),
    ("player", np.int32),
    ("place", np.uint8),
    ("card", np.uint8),
    ("places", np.uint16),
    ("decision", np.uint8),
    ("kept", np.uint32),
    ("kept_count", np.int32),
    ("kept_bad", np.bool_),
    ("outcome", np.uint8),
    ("reason", np.uint8),
    ("shoe", np.int32),
    ("decks", np.int32),
    ("corrects", np.int64),
    ("dealer", np.int32),
)

Row = tuple[int, ...]


def dues_of(rounds: Sequence[Sequence[Event]]) -> list[dict[Where, Due]]:
    """Every standing wager and every bonus that is or may be due, of rounds not settled yet.

    Each round begins with the `TableOpened` that it falls under; its last event ends it.
    """
    if not rounds:
        return []
    dues: list[dict[Where, Due]] = [{} for _ in rounds]
    wagers = _judge(rounds)
    for table, spot, hand, wager, bettor, stake, known, due, bounded, low, high in zip(
        *(column.tolist() for column in _columns_read(wagers)), strict=True
    ):
        where = Where(spot, hand, WAGER_NAMES[wager], BETTOR_NAMES[bettor])
        dues[table][where] = Due(
            stake, due if known else None, low if bounded else None, high if bounded else None
        )
    return dues


def _columns_read(wagers: WagerColumns) -> Iterable[np.ndarray[tuple[int], np.dtype[np.generic]]]:
    return (
        wagers.table,
        wagers.spot,
        wagers.hand,
        wagers.wager,
        wagers.bettor,
        wagers.stake_cents,
        wagers.due_known,
        wagers.due_cents,
        wagers.bounded,
        wagers.low_cents,
        wagers.high_cents,
    )


def _judge(rounds: Sequence[Sequence[Event]]) -> WagerColumns:
    events = columns_of(rounds)
    stretch = Stretch(
        events=events,
        later_corrections=events.take(np.zeros(len(events), dtype=np.bool_)),
        next_seq=np.zeros(len(rounds), dtype=np.int64),
    )
    wagers = Resettler(rulebook(), with_wagers=True).judge(stretch).wagers
    assert wagers is not None
    return wagers


def rulebook() -> Rulebook:
    """The rulebook that the floor plays by."""
    return load_rulebook()


@dataclass(slots=True)
class _Names:
    """Texts numbered in the order they come."""

    index_of: dict[tuple[int, str], int] = field(default_factory=dict)

    def number(self, table: int, name: str | None) -> int:
        if name is None:
            return NO_INDEX
        return self.index_of.setdefault((table, name), len(self.index_of))

    def all(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.index_of)


def columns_of(rounds: Sequence[Sequence[Event]]) -> EventColumns:
    """The rounds as the columns that the engine reads, one table a round, named by its number."""
    round_names, players, shoes, dealers = _Names(), _Names(), _Names(), _Names()
    openings: dict[int, TableOpening] = {}
    opened_seqs: list[int] = []
    rows: list[Row] = []
    for table, events in enumerate(rounds):
        number_of = {event["event_id"]: len(rows) + at for at, event in enumerate(events)}
        for seq, event in enumerate(events, 1):
            if event["type"] == "RoundOpened":
                opened_seqs.append(seq)
            if event["type"] == "TableOpened":
                openings[len(rows)] = _opening(event)
            row = _row(event, number_of)
            names = (
                round_names.number(table, event.get("round_id")),
                players.number(0, event.get("player_id")),
                shoes.number(table, event.get("shoe_id")),
                dealers.number(0, event.get("dealer_id")),
            )
            rows.append((table, seq, *names, *row))
    order = ("table", "seq", "round", "player", "shoe", "dealer", *_ROW)
    lists = dict(zip(order, zip(*rows, strict=True), strict=True))
    numbers = np.arange(len(rows), dtype=np.int64)
    return EventColumns(
        event_no=numbers,
        standing=np.ones(len(rows), dtype=np.bool_),
        at_micros=numbers * 2_000_000,
        table_ids=tuple(f"{table:08d}" for table in range(len(rounds))),
        round_ids=round_names.all(),
        round_opened_seq=np.array(opened_seqs, dtype=np.int64),
        shoe_ids=shoes.all(),
        player_ids=players.all(),
        dealer_ids=dealers.all(),
        openings=openings,
        bad_cards={},
        **{name: np.array(lists[name], dtype=dtype) for name, dtype in COLUMNS},
    )


_ROW: Final = (
    "kind",
    "spot",
    "hand",
    "wager",
    "bettor",
    "amount_cents",
    "place",
    "card",
    "places",
    "decision",
    "kept",
    "kept_count",
    "kept_bad",
    "outcome",
    "reason",
    "decks",
    "corrects",
)


def _row(event: Event, number_of: dict[str, int]) -> Row:
    read = event.get
    kind = event["type"]
    cards = read("cards") or ()
    kept = NOTHING_KEPT
    for at, card in enumerate(cards[:4]):
        code = CARD_CODES.get(card, CARD_BAD)
        kept ^= (code ^ 0xFF) << (8 * at)
    card = read("card")
    return (
        KINDS[kind],
        read("spot") or 0,
        read("hand") or 0,
        WAGERS.get(read("wager", ""), 0),
        BETTORS.get(read("bettor", ""), 0),
        read("amount_cents") or read("paid_cents") or 0,
        PLACES.get(read("place", ""), 0),
        CARD_UNREAD if card is None else CARD_CODES.get(card, CARD_BAD),
        sum(1 << PLACES[place] for place in read("places", ())),
        DECISIONS.get(read("decision", ""), 0),
        kept,
        len(cards),
        any(name not in CARD_CODES for name in cards),
        OUTCOMES.get(read("outcome", ""), 0),
        REASONS.get(read("reason") or "", 0),
        read("decks") or 0,
        number_of.get(read("corrects", ""), NO_INDEX),
    )


def _opening(event: Event) -> TableOpening:
    return TableOpening(
        game=int(Game[event["game"]]),
        gaming_day=date.fromisoformat(event["gaming_day"]),
        spots=event["spots"],
        paytables=dict(event["paytables"]),
        minimum_cents=event["minimum_cents"],
        maximum_cents=event["maximum_cents"],
        house_way=event["house_way"],
    )
