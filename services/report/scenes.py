"""What people want to see around a finding: when it was, how much was bet, which cards lay.

Asked of the history for the findings that are written out only; programs get none of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from replay.findings import Finding, FindingCode
from replay.vocabulary import Place
from services.report.model import Scene

if TYPE_CHECKING:
    from services.history.store import History

RoundKey = tuple[str, str]  # table_id, round_id
CardRow = tuple[Place, int, str]  # where, spot or 0, card or ""

COMMON: Final = (
    ("dealer", (Place.DEALER,)),
    ("board", (Place.LEFT, Place.RIGHT, Place.TOP, Place.BOTTOM, Place.CENTER)),
    ("hand 1", (Place.HAND_1,)),
    ("hand 2", (Place.HAND_2,)),
    ("flop", (Place.FLOP,)),
)
"""Cards that lie for everyone, in the order of the deal."""

NO_CARDS: Final = frozenset(
    code
    for code in FindingCode
    if code.startswith(("WAGER", "DECISION", "SETTLEMENT_ORDER", "TIP", "ACTION", "SHOE", "DECK"))
) - {FindingCode.WAGER_UNSETTLED}
"""Findings that no card decides."""

OF_CHIPS: Final = (
    FindingCode.WAGER_LATE,
    FindingCode.WAGER_CHANGED,
    FindingCode.INVALID_AMOUNT,
    FindingCode.ACTION_AFTER_FOLD,
)
"""Findings about some of the chips of a bet: these, and not what stands, are their amount."""


def _of_rounds(columns: str, condition: str, rest: str) -> str:
    """SQL over the standing events of the rounds asked for, given as two lists."""
    return (
        f"SELECT e.table_id, e.round_id, {columns} FROM events AS e "  # noqa: S608 - our own words
        "SEMI JOIN (SELECT unnest(?) AS table_id, unnest(?) AS round_id) AS asked "
        "ON e.table_id = asked.table_id AND e.round_id = asked.round_id "
        f"WHERE e.standing AND e.kind {condition} {rest}"
    )


_OPENED: Final = _of_rounds("epoch_us(min(e.occurred_at))", "= 'RoundOpened'", "GROUP BY ALL")
_STAKES: Final = _of_rounds(
    "e.spot, e.hand, e.wager::VARCHAR, e.bettor::VARCHAR, "
    "sum(if(e.kind = 'WagerPlaced', e.amount_cents, -e.amount_cents))::BIGINT",
    "IN ('WagerPlaced', 'WagerRemoved') AND e.event_no NOT IN (SELECT event_no FROM finding_events "
    "JOIN findings USING (finding_id) WHERE code IN (SELECT unnest(?::VARCHAR[])))",
    "GROUP BY ALL",
)
"""What stands: without chips that go back, and as if none had been taken back too late."""
_CARDS: Final = _of_rounds(
    "e.place::VARCHAR, coalesce(e.spot, 0), e.card, e.event_id::VARCHAR",
    "= 'CardDealt'",
    "ORDER BY e.table_id, e.seq",
)
_CORRECTED: Final = _of_rounds(
    "e.corrects::VARCHAR, e.card", "= 'CardCorrected'", "ORDER BY e.table_id, e.seq"
)

_OWN_CHIPS: Final = """
    SELECT replace(f.finding_id::VARCHAR, '-', ''), sum(e.amount_cents)::BIGINT
    FROM finding_events AS f JOIN events AS e USING (event_no)
    WHERE f.finding_id IN (SELECT unnest(?)::UUID) AND e.kind IN ('WagerPlaced', 'WagerRemoved')
    GROUP BY ALL
"""

_FIRST_EVENTS: Final = """
    SELECT replace(f.finding_id::VARCHAR, '-', ''), epoch_us(e.occurred_at)
    FROM finding_events AS f JOIN events AS e USING (event_no)
    WHERE f.ordinal = 1 AND f.finding_id IN (SELECT unnest(?)::UUID)
"""


def scenes_of(history: History, findings: Sequence[Finding]) -> dict[str, Scene]:
    """The scene of each finding, by its id."""
    keys = sorted({(f.table_id, f.round_id) for f in findings if f.round_id is not None})
    of_rounds = [[table_id for table_id, _ in keys], [round_id for _, round_id in keys]]
    opened: dict[Any, Any] = {(t, r): at for t, r, at in history.rows(_OPENED, of_rounds)}
    standing = history.rows(_STAKES, [*of_rounds, [code.value for code in OF_CHIPS]])
    stakes: dict[Any, Any] = {tuple(row[:-1]): row[-1] for row in standing}
    of_chips = [[f.finding_id for f in findings if f.code in OF_CHIPS]]
    chips: dict[Any, Any] = dict(history.rows(_OWN_CHIPS, of_chips))
    dealt: dict[RoundKey, list[CardRow]] = defaultdict(list)
    corrected: dict[Any, Any] = {
        dealing: card for *_, dealing, card in history.rows(_CORRECTED, of_rounds)
    }
    for table_id, round_id, place, spot, card, event_id in history.rows(_CARDS, of_rounds):
        read = str(corrected.get(event_id, card) or "")
        dealt[str(table_id), str(round_id)].append((Place[str(place)], int(str(spot)), read))
    ids = [[f.finding_id for f in findings if f.round_id is None]]
    first: dict[Any, Any] = dict(history.rows(_FIRST_EVENTS, ids))
    scenes = {}
    for f in findings:
        key_of_round: Any = (f.table_id, f.round_id)
        scenes[f.finding_id] = Scene(
            at_micros=opened.get(key_of_round, first.get(f.finding_id)),
            stake_cents=chips.get(
                f.finding_id, stakes.get((*key_of_round, f.spot, f.hand, f.wager, f.bettor))
            ),
            cards=() if f.code in NO_CARDS else cards_around(f, dealt.get(key_of_round, ())),
        )
    return scenes


def cards_around(
    finding: Finding, dealt: Sequence[CardRow]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The spot's cards, or all spots' of a finding about the round; then the common ones."""
    seats: Mapping[int, list[str]] = defaultdict(list)
    common: Mapping[Place, list[str]] = defaultdict(list)
    for place, seat, card in dealt:
        if place is Place.PLAYER:
            seats[seat].append(card)
        else:
            common[place].append(card)
    shown = [
        (f"seat {seat}", seats[seat]) for seat in sorted(seats) if finding.spot in (None, seat)
    ]
    if finding.code is FindingCode.HOUSE_WAY_MISSET:  # the dealer's hand alone is in question
        shown = []
    shown += [(name, [c for place in places for c in common[place]]) for name, places in COMMON]
    return tuple((name, tuple(cards)) for name, cards in shown if cards)
