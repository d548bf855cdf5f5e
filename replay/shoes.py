"""Decks and shoes: which one a round was dealt from, and how many copies of each card came out.

Source: Run'em Twice, opening clause (one standard deck); 20:18:16:15.23(1) (one deck);
20:18:16:15.08(1), (3), (19) (six decks, burned cards, cut card). Copies are counted by what was
loaded. In single-deck games every round is a deck of its own, with the cards burned since its shoe
was loaded; a Shootout shoe runs on from round to round, whatever became of the rounds.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from replay.arrays import last_by_group, running_last
from replay.corrections import Corrected
from replay.docket import Docket
from replay.events import NO_INDEX, Bools, Int64s
from replay.findings import FindingCode
from replay.rulebook.loader import Rulebook
from replay.state import ShoeState, TableState, TableStates
from replay.stream import Lifecycle
from replay.vocabulary import CARD_NAMES, EventKind, Game
from replay.words import card_word

Counts = npt.NDArray[np.int64]

SHOES_KEPT: Final = 4
"""Loads of a table that a round may still name: a casino has two shoes at a table, seldom more."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Seen:
    """Cards seen in the deck or shoe of each of R rounds, up to the end of the round."""

    counts: Counts
    """(R, 52) copies seen."""
    dealt: Counts
    """(R, 52) copies dealt in the round itself."""
    decks: Int64s
    """(R,) decks loaded, or the rule's number where nothing was."""
    past_cut: Bools
    """(R,) opened after its shoe's cut card was reached."""
    too_many: Bools
    """(R, 52) cards of which a round deals a copy too many."""

    def of_rounds(self, places: Int64s) -> Seen:
        """The same for some of the rounds."""
        return Seen(
            self.counts[places],
            self.dealt[places],
            self.decks[places],
            self.past_cut[places],
            self.too_many[places],
        )

    def left(self, place: int) -> Int64s:
        """Copies of each card that may still be in the deck or shoe: (52,)."""
        remaining: Int64s = np.maximum(self.decks[place] - self.counts[place], 0)
        return remaining


@dataclass(slots=True, eq=False, repr=False)
class _Instances:
    """Shoes of a stretch, one a load: shapes (I,)."""

    keys: list[tuple[int, str]]  # (table, name)
    decks: list[int]
    cut_seq: list[int]
    loaded: dict[int, int]  # row of a `ShoeLoaded` -> instance
    load_rows: dict[int, list[int]]  # table -> rows of its `ShoeLoaded`, ascending
    carried: dict[tuple[int, str], int]  # (table, name) -> instance carried or made up


def see_cards(
    lifecycle: Lifecycle,
    corrections: Corrected,
    states: TableStates,
    rulebook: Rulebook,
    docket: Docket,
) -> Seen:
    """Count what each round's deck or shoe has shown, and carry the shoes on in `states`."""
    events, rounds = lifecycle.events, lifecycle.rounds
    instances = _instances(lifecycle, states)
    _judge_loads(lifecycle, rulebook, docket)
    of_round = _instance_of(lifecycle, states, instances, rounds.open_row)
    burns = np.flatnonzero((events.kind == EventKind.CARD_BURNED) & lifecycle.in_place)
    of_burn = _instance_of(lifecycle, states, instances, burns)
    cuts = np.flatnonzero((events.kind == EventKind.CUT_CARD_REACHED) & lifecycle.in_place)
    for row, instance in zip(cuts, _instance_of(lifecycle, states, instances, cuts), strict=True):
        instances.cut_seq[instance] = instances.cut_seq[instance] or int(events.seq[row])
    dealt = _dealt(lifecycle, corrections)
    game = np.array([int(opening.game) for opening in lifecycle.openings] + [0])[rounds.opening]
    rule_decks = _rule_decks(lifecycle, rulebook)[game]
    loaded_decks = np.array([*instances.decks, 0], np.int64)[of_round]
    base = _base_counts(instances, lifecycle, states)
    shoe_game = game == Game.TEXAS_SHOOTOUT
    burns, of_burn = (each[corrections.card[burns] < 52] for each in (burns, of_burn))
    at = _round_of_burn(lifecycle, burns, of_burn, of_round)
    if len(burns) or shoe_game.any() or base.any():
        runs_on = dealt * shoe_game[:, None]
        burned = _burned(corrections, burns, at, len(of_round) + len(base))
        counts = _run_on(of_round, runs_on, burned, base) + dealt * ~shoe_game[:, None]
    else:
        counts = dealt  # single decks, nothing burned: each round starts from nothing
    cut_seq = np.array([*instances.cut_seq, 0], np.int64)[of_round]
    open_seq = events.seq[rounds.open_row]
    _carry(lifecycle, states, instances, base)
    decks = np.where(loaded_decks > 0, loaded_decks, rule_decks)
    when_dealt = counts - _belated(lifecycle, corrections, burns, at) * shoe_game[:, None]
    return Seen(
        counts=counts,
        dealt=dealt,
        decks=decks,
        past_cut=(cut_seq > 0) & (cut_seq < open_seq),
        too_many=(when_dealt > decks[:, None]) & (dealt > 0),
    )


def judge_copies(
    docket: Docket, lifecycle: Lifecycle, corrections: Corrected, seen: Seen, judged: Int64s
) -> Bools:
    """Enter every card of which a judged round deals a copy too many; which rounds do: (R,)."""
    too_many = seen.too_many
    guilty: Bools = np.any(too_many, axis=1)  # (R,)
    events, rounds = lifecycle.events, lifecycle.rounds
    for place in judged[guilty[judged]]:
        first, last = rounds.open_row[place], rounds.last_row[place] + 1
        opening = lifecycle.openings[rounds.opening[place]]
        number = opening.edition.citation if opening.edition else ""
        clause = f"{number}{'' if number[-1:].isdigit() else ' '}(1)"
        for card in np.flatnonzero(too_many[place]):
            rows = first + np.flatnonzero(
                (events.kind[first:last] == EventKind.CARD_DEALT)
                & (corrections.card[first:last] == card)
                & (lifecycle.round_of_row[first:last] == place)
            )
            copies, decks = int(seen.counts[place, card]), int(seen.decks[place])
            docket.add_event(
                FindingCode.DUPLICATE_CARD,
                events,
                int(rows[-1]),
                message=f"{card_word(int(card))} came {copies} times from {decks} "
                f"{'deck' if decks == 1 else 'decks'}: the round is not settled",
                clause=clause,
                more_rows=[int(row) for row in rows[:-1]],
            )
            draft = docket.drafts[-1]
            draft.spot = draft.hand = draft.wager = draft.bettor = 0
            draft.own = CARD_NAMES[card]
            draft.seq = int(events.seq[rows[0]])
    return guilty


def _instances(lifecycle: Lifecycle, states: TableStates) -> _Instances:
    events = lifecycle.events
    found = _Instances([], [], [], {}, {}, {})
    for table, table_id in enumerate(events.table_ids):
        state = states.get(table_id)
        for name, shoe in state.shoes.items() if state else ():
            found.carried[(table, name)] = len(found.keys)
            found.keys.append((table, name))
            found.decks.append(shoe.decks)
            found.cut_seq.append(shoe.cut_seq)
    rows = _load_rows(lifecycle)
    first = len(found.keys)
    names = [events.shoe_ids[shoe] for shoe in events.shoe[rows].tolist()]
    found.loaded.update(zip(rows.tolist(), range(first, first + len(rows)), strict=True))
    for table, row in zip(events.table[rows].tolist(), rows.tolist(), strict=True):
        found.load_rows.setdefault(table, []).append(row)
    found.keys.extend(zip(events.table[rows].tolist(), names, strict=True))
    found.decks.extend(events.decks[rows].tolist())
    found.cut_seq.extend([0] * len(rows))
    return found


def _load_rows(lifecycle: Lifecycle) -> Int64s:
    events = lifecycle.events
    rows: Int64s = np.flatnonzero((events.kind == EventKind.SHOE_LOADED) & lifecycle.in_place)
    return rows


def _instance_of(
    lifecycle: Lifecycle, states: TableStates, instances: _Instances, rows: Int64s
) -> Int64s:
    """The shoe that each row speaks of: the one it names, as last loaded, else the last loaded."""
    events = lifecycle.events
    loads = np.zeros(len(events), np.bool_)
    loads[_load_rows(lifecycle)] = True
    numbers = np.full(len(events) + 1, NO_INDEX, np.int64)
    numbers[list(instances.loaded)] = list(instances.loaded.values())
    latest = running_last(loads)[rows] if len(rows) else np.zeros(0, np.int64)
    fits = latest >= 0
    fits[fits] = events.table[latest[fits]] == events.table[rows[fits]]
    named = events.shoe[rows]
    plain = fits & ((named == NO_INDEX) | (named == events.shoe[latest]))
    result = np.where(plain, numbers[latest], NO_INDEX)
    for place in np.flatnonzero(~plain):
        row = int(rows[place])
        name = events.shoe_ids[named[place]] if named[place] != NO_INDEX else None
        result[place] = _looked_up(lifecycle, states, instances, row, name)
    return result


def _looked_up(
    lifecycle: Lifecycle, states: TableStates, instances: _Instances, row: int, name: str | None
) -> int:
    """Rarely needed: a shoe loaded earlier than the last one, in an earlier stretch, or never."""
    events, table = lifecycle.events, int(lifecycle.events.table[row])
    if name is None:
        state = states.get(events.table_ids[table])
        name = state.current_shoe if state else ""
    loads = instances.load_rows.get(table, [])
    before = bisect_right(loads, row)
    recent = [instances.loaded[load] for load in loads[max(0, before - SHOES_KEPT) : before]]
    found = [number for number in recent if instances.keys[number][1] == name]
    if found:
        return found[-1]
    if (table, name) not in instances.carried:
        instances.carried[(table, name)] = len(instances.keys)
        instances.keys.append((table, name))
        instances.decks.append(0)
        instances.cut_seq.append(0)
    return instances.carried[(table, name)]


def _dealt(lifecycle: Lifecycle, corrections: Corrected) -> Counts:
    events = lifecycle.events
    rows = np.flatnonzero(
        (events.kind == EventKind.CARD_DEALT) & lifecycle.in_place & (corrections.card < 52)
    )
    count = len(lifecycle.rounds.index)
    cell = lifecycle.round_of_row[rows].astype(np.int64) * 52 + corrections.card[rows]
    return np.bincount(cell, minlength=count * 52).reshape(count, 52).astype(np.int64)


def _base_counts(instances: _Instances, lifecycle: Lifecycle, states: TableStates) -> Counts:
    base = np.zeros((len(instances.keys), 52), np.int64)
    for (table, name), number in instances.carried.items():
        state = states.get(lifecycle.events.table_ids[table])
        shoe = state.shoes.get(name) if state else None
        if shoe is not None and shoe.copies is not None:
            base[number] = shoe.copies
    return base


def _round_of_burn(
    lifecycle: Lifecycle, burns: Int64s, of_burn: Int64s, of_round: Int64s
) -> Int64s:
    """The round that each burned card counts with: the first of its shoe to end after it (B,).

    A card burned after the last round of its shoe so far gets R and the number of its shoe.
    """
    rounds, span = lifecycle.rounds, len(lifecycle.events) + 1
    ends = of_round * span + rounds.last_row
    order = np.argsort(ends, kind="stable")
    later = np.searchsorted(ends[order], of_burn * span + burns)
    found = np.append(order, -1)[later]
    same = (found >= 0) & (np.append(of_round, NO_INDEX)[found] == of_burn)
    at: Int64s = np.where(same, found, len(of_round) + of_burn)
    return at


def _burned(corrections: Corrected, burns: Int64s, at: Int64s, size: int) -> Counts:
    """Cards burned, by round and behind the rounds by shoe: (R + I, 52)."""
    cells = at * 52 + corrections.card[burns]
    return np.bincount(cells, minlength=size * 52).reshape(size, 52).astype(np.int64)


def _belated(
    lifecycle: Lifecycle, corrections: Corrected, burns: Int64s, at: Int64s
) -> Counts | np.int64:
    """Copies burned during a round after it dealt its last copy of that card: (R, 52).

    It is such a burned card that may be one too many, not one that the round dealt.
    """
    events, rounds = lifecycle.events, lifecycle.rounds
    during = at < len(rounds.index)
    during[during] = burns[during] > rounds.open_row[at[during]]
    if not during.any():
        return np.int64(0)
    dealt = np.flatnonzero((events.kind == EventKind.CARD_DEALT) & lifecycle.in_place)
    dealt = dealt[corrections.card[dealt] < 52]
    size = len(rounds.index)
    cells = lifecycle.round_of_row[dealt].astype(np.int64) * 52 + corrections.card[dealt]
    last = last_by_group(cells, size * 52)
    last_row = np.where(last >= 0, dealt[last], -1) if len(dealt) else last
    burns, at = burns[during], at[during]
    after = burns > last_row[at * 52 + corrections.card[burns]]
    return _burned(corrections, burns[after], at[after], size)


def _run_on(of_round: Int64s, runs_on: Counts, burned: Counts, base: Counts) -> Counts:
    """Copies seen of each shoe up to the end of each round: (R, 52); `base` is carried on."""
    count = len(of_round)
    order = np.argsort(of_round, kind="stable")
    ordered = of_round[order]
    steps = (runs_on + burned[:count])[order]
    total = np.cumsum(steps, axis=0)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    before = np.zeros_like(total)
    if count:
        sizes = np.diff(np.concatenate([starts, [count]]))
        offsets = total[starts] - steps[starts]
        before = np.repeat(offsets, sizes, axis=0)
    seen = np.empty_like(total)
    seen[order] = total - before + base[ordered]
    if count:
        ends = np.concatenate([starts[1:], [count]]) - 1
        base[ordered[ends]] = seen[order[ends]]
    base += burned[count:]
    return seen


def _carry(lifecycle: Lifecycle, states: TableStates, instances: _Instances, base: Counts) -> None:
    """Leave each table's shoes, as they stand now, in the states."""
    events = lifecycle.events
    latest: dict[int, dict[str, int]] = {}  # table -> shoe -> its last instance, last ones last
    for number, (table, name) in enumerate(instances.keys):
        of_table = latest.setdefault(table, {})
        of_table.pop(name, None)
        of_table[name] = number
    for table, shoes in latest.items():
        state = states.setdefault(events.table_ids[table], TableState())
        state.shoes = {}
        for name, number in list(shoes.items())[-SHOES_KEPT:]:
            copies = base[number] if base[number].any() else None
            decks, cut_seq = instances.decks[number], instances.cut_seq[number]
            state.shoes[name] = ShoeState(decks, copies, cut_seq)
    for number in instances.loaded.values():
        table, name = instances.keys[number]
        states[events.table_ids[table]].current_shoe = name


def _rule_decks(lifecycle: Lifecycle, rulebook: Rulebook) -> Counts:
    """By game, how many decks its rule says are in play; 0 for games that no table here deals."""
    dealt = {opening.game for opening in lifecycle.openings}
    return np.array([rulebook.decks(game) if game in dealt else 0 for game in Game], np.int64)


def _judge_loads(lifecycle: Lifecycle, rulebook: Rulebook, docket: Docket) -> None:
    events = lifecycle.events
    rows = _load_rows(lifecycle)
    games = np.array([int(each.game) for each in lifecycle.openings] + [0])
    held = np.array([each.held for each in lifecycle.openings] + [False])
    opening = lifecycle.opening_of_row[rows]
    rule_decks = _rule_decks(lifecycle, rulebook)
    wrong = held[opening] & (events.decks[rows] != rule_decks[games[opening]])
    for row in rows[wrong]:
        game = lifecycle.openings[lifecycle.opening_of_row[row]].game
        decks, rule = int(events.decks[row]), rulebook.decks(game)
        docket.add_event(
            FindingCode.DECKS_WRONG,
            events,
            int(row),
            message=f"{decks} {'deck' if decks == 1 else 'decks'} loaded, the rule says {rule}: "
            "copies are counted by what was loaded",
            clause=rulebook.cite(game, "(1)"),
        )
