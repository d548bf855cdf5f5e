"""Card codes, decks and copies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.cards import (
    codes_of,
    copies_of,
    full_decks,
    has_extra_copies,
    names_of,
    rank_of,
    require_cards,
    suit_of,
)
from replay.vocabulary import CARD_BAD, CARD_NAMES, CARD_UNREAD, RANKS, SUITS


def test_names_and_codes_there_and_back() -> None:
    codes = codes_of(CARD_NAMES)
    assert codes.dtype == np.uint8
    assert codes.tolist() == list(range(52))
    assert tuple(names_of(codes)) == CARD_NAMES


def test_a_ten_may_be_written_with_its_number() -> None:
    assert codes_of(["10c", "10s"]).tolist() == codes_of(["Tc", "Ts"]).tolist()


def test_names_keep_the_shape() -> None:
    assert names_of(np.zeros((5, 0), dtype=np.uint8)).shape == (5, 0)
    assert names_of(codes_of(["As", "2c"]).reshape(1, 2)).tolist() == [["As", "2c"]]


def test_no_names_give_no_codes() -> None:
    assert codes_of([]).shape == (0,)
    assert codes_of([]).dtype == np.uint8


@pytest.mark.parametrize("name", ["ah", "AH", "1h", "A", "", "Ah ", "11h", "??"])
def test_what_is_no_card_is_refused_with_its_place(name: str) -> None:
    with pytest.raises(ValueError, match=f"card 1 is {name!r}".replace("?", r"\?")):
        codes_of(["As", name])


def test_ranks_and_suits_are_those_of_the_name() -> None:
    codes = codes_of(CARD_NAMES)
    ranks = [RANKS[rank] for rank in rank_of(codes)]
    suits = [SUITS[suit] for suit in suit_of(codes)]
    assert tuple(map("".join, zip(ranks, suits, strict=True))) == CARD_NAMES


@pytest.mark.parametrize("deck_count", [1, 2, 6, 8])
def test_decks_hold_each_card_once_each(deck_count: int) -> None:
    shoe = full_decks(deck_count)
    assert shoe.shape == (52 * deck_count,)
    assert copies_of(shoe).tolist() == [deck_count] * 52


def test_there_is_no_game_without_a_deck() -> None:
    with pytest.raises(ValueError, match="at least one deck"):
        full_decks(0)
    with pytest.raises(ValueError, match="at least one deck"):
        has_extra_copies(np.zeros((7, 1), dtype=np.uint8), 0)


def test_cards_that_were_not_read_are_no_copies() -> None:
    cards = np.array([0, 0, 51, CARD_BAD, CARD_UNREAD, CARD_UNREAD], dtype=np.uint8)
    assert copies_of(cards).tolist() == [2, *[0] * 50, 1]
    assert has_extra_copies(cards[3:, np.newaxis], 1).tolist() == [False]


@pytest.mark.parametrize(("copies", "extra"), [(5, False), (6, False), (7, True)])
def test_c1_six_decks_hold_six_of_a_card(copies: int, extra: bool) -> None:
    shoe = np.array([17] * copies + [CARD_UNREAD] * (9 - copies), dtype=np.uint8)
    assert has_extra_copies(shoe[:, np.newaxis], 6).tolist() == [extra]


@given(st.lists(st.sampled_from([0, 1, 51, 254, 255]), max_size=9), st.integers(1, 3))
def test_extra_copies_are_those_over_the_number_of_decks(codes: list[int], deck_count: int) -> None:
    cards = np.array(codes, dtype=np.uint8)
    expected = any(codes.count(code) > deck_count for code in codes if code < 52)
    assert has_extra_copies(cards[:, np.newaxis], deck_count).tolist() == [expected]
    assert bool((copies_of(cards) > deck_count).any()) == expected


def test_each_column_is_judged_by_itself() -> None:
    cards = np.array([[3, 3, 4], [9, 8, 7], [9, 3, 1]], dtype=np.uint8)
    assert has_extra_copies(cards, 1).tolist() == [True, True, False]
    assert has_extra_copies(cards[:, :0], 1).shape == (0,)


def test_only_small_codes_are_cards() -> None:
    require_cards(full_decks())
    require_cards(np.empty((7, 0), dtype=np.uint8))
    with pytest.raises(ValueError, match=r"code 52 at \(1,\) is no card"):
        require_cards(np.array([51, 52], dtype=np.uint8))
    with pytest.raises(ValueError, match="cards are int64"):
        require_cards(np.array([1]))
    with pytest.raises(ValueError, match="is no card"):
        names_of(np.array([CARD_UNREAD], dtype=np.uint8))
