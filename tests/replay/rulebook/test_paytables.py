"""Every printed figure, by counting: hands of each kind times their pay equal the known nets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from replay.rulebook.loader import ONLY_PAYTABLE, Paytable, load_rulebook
from replay.vocabulary import Game, Wager

ACCEPTANCE: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "acceptance" / "acceptance.json").read_text(encoding="utf-8")
)
RULEBOOK: Final = load_rulebook()


def paytable(game: Game, wager: Wager, paytable_id: str = ONLY_PAYTABLE) -> Paytable:
    found = RULEBOOK.paytable(game, wager, paytable_id)
    assert found is not None
    return found


def net(table: Paytable, counts: Mapping[str, int], total: int) -> int:
    """The net of a unit staked on each of `total` hands, `counts` of which are on a line."""
    assert set(counts) == {line.id for line in table.lines}
    pays = {line.id: line.net_to_one for line in table.lines}
    won = sum(count * (pays[line_id] or 0) for line_id, count in counts.items())
    return won - (total - sum(counts.values()))


def five_card_counts(*line_ids: str) -> dict[str, int]:
    return {line_id: ACCEPTANCE["five_card_52"][line_id] for line_id in line_ids}


STRAIGHT_UP: Final = "straight flush full_house four_of_a_kind royal_flush straight_flush".split()


def test_c9_five_card_bonus() -> None:
    known = ACCEPTANCE["five_card_52"]
    counts = five_card_counts(*STRAIGHT_UP, "three_of_a_kind", "two_pair")
    counts["sixes_or_better"] = known["pair_J_A"] + known["pair_6_10"]
    table = paytable(Game.RUN_EM_TWICE, Wager.FIVE_CARD_BONUS)
    expected = ACCEPTANCE["five_card_bonus"]
    assert net(table, counts, known["total"]) == expected["net_per_2598960"]
    assert sum(counts.values()) == expected["hits"]


def ultimate_pairs_counts(paytable_id: str) -> dict[str, int]:
    known = ACCEPTANCE["ultimate_pairs"]["counts"]
    red, black = known["AA_hearts_diamonds"], known["AA_other"]
    if paytable_id == "1":
        return {
            "aces": red + black,
            "ace_king_suited": known["AK_suited"],
            "ace_queen_jack_suited": known["AQ_suited"] + known["AJ_suited"],
            "ace_king_unsuited": known["AK_off"],
            "pair_j_to_k": known["KK_QQ_JJ"],
            "ace_queen_jack_unsuited": known["AQ_off"] + known["AJ_off"],
            "pair_2_to_t": known["22_to_TT"],
        }
    red_has_line = paytable_id in {"3", "4"}
    return {
        "aces_red": red if red_has_line else 0,  # N/A: paid as A-A (RT-RED-ACES)
        "aces": black if red_has_line else red + black,
        "ace_face_suited": known["AK_suited"] + known["AQ_suited"] + known["AJ_suited"],
        "ace_face_unsuited": known["AK_off"] + known["AQ_off"] + known["AJ_off"],
        "pair_2_to_k": known["KK_QQ_JJ"] + known["22_to_TT"],
    }


@pytest.mark.parametrize("paytable_id", ["1", "2", "3", "4", "5"])
def test_c10_ultimate_pairs(paytable_id: str) -> None:
    known = ACCEPTANCE["ultimate_pairs"]
    table = paytable(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS, paytable_id)
    total = sum(known["counts"].values())
    assert total == 1326
    counts = ultimate_pairs_counts(paytable_id)
    assert net(table, counts, total) == known["net_per_1326"][paytable_id]


def test_c7_antes_and_runs_as_printed() -> None:
    runs = [500, 100, 40, 12, 8, 5, 3, 2, 1, 0, -1]
    for wager in (Wager.FIRST_RUN, Wager.SECOND_RUN):
        lines = paytable(Game.RUN_EM_TWICE, wager).lines
        assert [line.net_to_one for line in lines] == runs
        assert [line.clause for line in lines] == [f"(7)({letter})" for letter in "abcdefghijk"]
    for wager in (Wager.FIRST_ANTE, Wager.SECOND_ANTE):
        lines = paytable(Game.RUN_EM_TWICE, wager).lines
        assert [line.net_to_one for line in lines] == [1] * 9 + [0, -1]
    assert RULEBOOK.paytables(Game.RUN_EM_TWICE, Wager.CENTER) == ()


@pytest.mark.parametrize("wager", [Wager.HAND_1_PLAY, Wager.HAND_2_ANTE])
def test_c10_dakota_hand(wager: Wager) -> None:
    known = ACCEPTANCE["five_card_52"]
    counts = five_card_counts(*STRAIGHT_UP, "three_of_a_kind", "two_pair")
    counts["nines_or_higher"] = known["pair_9_A"]
    expected = ACCEPTANCE["dakota_hand"]
    table = paytable(Game.DAKOTA_DUEL_DRAW, wager)
    assert net(table, counts, known["total"]) == expected["net_per_2598960"]
    assert sum(counts.values()) == expected["hits"]


@pytest.mark.parametrize("paytable_id", ["1", "2", "3", "4", "5", "6"])
def test_c11_pocket_pair(paytable_id: str) -> None:
    known = ACCEPTANCE["pocket_pair_bonus"]
    lines = paytable(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR, paytable_id).lines
    assert [line.id for line in lines] == [f"pair_{rank}" for rank in "akqjt98765432"]
    units = sum(known["ways_each_pair"] * (line.to_one or 0) for line in lines)
    assert units == known["units_per_1326"][paytable_id]
    assert all((line.result == "na") == (line.to_one is None) for line in lines)


def test_c11_the_cell_printed_4s_rests_on_its_reading() -> None:
    tables = RULEBOOK.paytables(Game.DAKOTA_DUEL_DRAW, Wager.POCKET_PAIR)
    resting = [
        (table.id, line.id, line.to_one)
        for table in tables
        for line in table.lines
        if "DD-QUEENS" in line.readings
    ]
    assert resting == [("1", "pair_q", 4)]


@pytest.mark.parametrize("paytable_id", ["1", "2", "3", "4", "5", "6", "7"])
def test_c12_big_8(paytable_id: str) -> None:
    known = ACCEPTANCE["big8"]
    counts = {line_id: known[line_id] for line_id in STRAIGHT_UP}
    table = paytable(Game.DAKOTA_DUEL_DRAW, Wager.BIG_8, paytable_id)
    assert net(table, counts, known["total"]) == known["net"][paytable_id]
    assert (table.line("straight").result == "push") == (paytable_id == "7")


@pytest.mark.parametrize("paytable_id", ["A", "B"])
def test_c16_shootout_bonus(paytable_id: str) -> None:
    known = ACCEPTANCE["texas_shootout_7of312"]
    counts = {line_id: known[line_id] for line_id in [*STRAIGHT_UP, "five_of_a_kind"]}
    counts["five_of_a_kind_suited"] = known["five_suited"]
    table = paytable(Game.TEXAS_SHOOTOUT, Wager.SHOOTOUT_BONUS, paytable_id)
    assert net(table, counts, known["total"]) == known["net_random_two"][paytable_id]


def test_c17_envy_is_a_fixed_amount() -> None:
    lines = paytable(Game.TEXAS_SHOOTOUT, Wager.ENVY_BONUS).lines
    assert [(line.words, line.cents) for line in lines] == [
        ("5 of a Kind, Suited", 1_000_00),
        ("Royal Flush", 250_00),
        ("Straight Flush", 50_00),
        ("5 of a Kind", 10_00),
    ]
    assert {line.to_one for line in lines} == {None}


def test_rt_tables_2_and_5_are_the_same() -> None:
    two, five = (paytable(Game.RUN_EM_TWICE, Wager.ULTIMATE_PAIRS, each) for each in "25")
    assert two.lines == five.lines
    assert [line.result for line in two.lines] == ["na", "pays", "pays", "pays", "pays"]
