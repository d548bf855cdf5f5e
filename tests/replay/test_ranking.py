"""Best five of n cards: clause (14), plain and public evaluators, and what must not matter."""

import re
from itertools import combinations, pairwise
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator.evaluator import evaluate_cards
from treys import Card, Evaluator

from replay import ranking
from replay.cards import Cards, codes_of, full_decks, names_of
from replay.ranking import (
    CATEGORY_STEP,
    Category,
    Ranks,
    best_five,
    best_five_cards,
    category_of,
    describe,
    pair_rank_of,
)
from replay.vocabulary import CARD_BAD, CARD_NAMES, CARD_UNREAD
from tests.replay.plain_poker import column, deal, plain_rank

# Six decks. From the lowest up: each hand beats the one above it, or ties it where it says so.
LADDER: Final = """
    7h 5s 4d 3c 2h | seven high
    Kh Qh Jh Th 8s | king high
    Ah 6h 5h 4h 2s | ace high
    2h 2s 5d 4c 3h | pair of deuces
    6h 6s 4d 3c 2h | pair of sixes
    6h 6s 7d 3c 2h | pair of sixes              | the kicker decides
    6d 6d 7d 3c 2h | pair of sixes              | tie: neither suits nor copies rank
    3h 3s 2d 2c 4h | two pair, threes and deuces
    3h 3s 2d 2c Ah | two pair, threes and deuces
    Ah As 2d 2c 3h | two pair, aces and deuces
    Ah As 3d 3c 2h | two pair, aces and threes
    2h 2s 2d 4c 3h | three of a kind, deuces
    Ah 5s 4d 3c 2h | straight, five high        | the ace is low
    6h 5s 4d 3c 2h | straight, six high
    Ah Ks Qd Jc Th | straight, ace high
    7h 5h 4h 3h 2h | flush, seven high
    8h 5h 4h 3h 2h | flush, eight high
    8h 8h 4h 3h 2h | flush, eight high          | repeated ranks included
    8h 8h 4h 4h 2h | flush, eight high
    8h 8h 5h 3h 2h | flush, eight high          | not by pairs: the 5 is over the 4
    8h 8h 8h 4h 2h | flush, eight high
    Ah Kh Qh Jh 9h | flush, ace high            | not by pairs: the ace is over the eight
    Ah Ah 9h 9h 2h | flush, ace high            | A A before A K
    2h 2h 2h 3h 3h | full house, deuces over threes
    Kh Ks Kd 9c 9h | full house, kings over nines
    Kh Ks Kd Ac Ah | full house, kings over aces
    2h 2h 2h 2h 3h | four of a kind, deuces     | suited or not
    Ah As Ad Ac Kh | four of a kind, aces
    2h 2h 2h 2h 2s | five of a kind, deuces
    Ah As Ad Ac Ah | five of a kind, aces
    Ah 2h 3h 4h 5h | straight flush, five high  | above five of a kind
    Kh Qh Jh Th 9h | straight flush, king high
    Ah Kh Qh Jh Th | royal flush                | the highest straight flush
    2h 2h 2h 2h 2h | five of a kind, suited, deuces
    Ac Ac Ac Ac Ac | five of a kind, suited, aces
"""

# Cards dealt, the five that play, what is easily missed.
CHOICES: Final = """
    2c 9d Kh 9s Kd 9h 3c    | 9d 9s 9h Kh Kd | the lower rank comes more often
    Kh Kd Qh Qd Jh Jd 9s    | Kh Kd Qh Qd Jh | the third pair gives the kicker
    Kh Kd Kc Qh Qd Qc 9s    | Kh Kd Kc Qh Qd | three of two ranks
    Qh Qd Qc Ks Kd 3c 3s Jh | Qh Qd Qc Ks Kd | the higher of two pairs fills the house
    Kh Kd Kc Ks Qd Qc Qs Qh | Kh Kd Kc Ks Qd | four of two ranks
    Kh Kd Kc Ks Kd Qc Qs Qh | Kh Kd Kc Ks Kd | five and three
    Ah Kd 2c 3s 4d 5h 9c    | 5h 4d 3s 2c Ah | the ace is low
    Ah 6d 2c 3s 4d 5h 9c    | 6d 5h 4d 3s 2c | a higher straight than with the ace
    Qd Kc As 2h 3d 7c 7s    | 7c 7s As Kc Qd | no straight goes round the ace
    9h 8h 7h 6h 5h 4h 3h 2h | 9h 8h 7h 6h 5h | eight in sequence
    Ts 9h 8h 7h 6h 5h 2c    | 9h 8h 7h 6h 5h | a straight flush below a straight
    Ah Kh 9h 7h 2h As Ac    | Ah Kh 9h 7h 2h | flush before three of a kind
    Ah Ah 9h 9h 2h As Kd    | Ah Ah As 9h 9h | full house before flush
    Ah Ah 9h 2h 2h 5h 9s    | Ah Ah 9h 5h 2h | flush before two pair
    Qh Kh Kh Jh Jh Th 9h 9h | Kh Qh Jh Th 9h | a straight flush among copies
    Qh Qh Qh Qh Qs Jh Th 9h | Qh Qh Qh Qh Qs | five of a kind before four in sequence
    Qh Qh Qh Qs Kh Jh Th 9h | Kh Qh Jh Th 9h | straight flush before four of a kind
    4s 4s 4s 4s 4s Ks Qs Js | 4s 4s 4s 4s 4s | suited five of a kind before flush
    4h 4s 4s 4s 4s Ks Qs 4s | 4s 4s 4s 4s 4s | five suited among six alike
    Qs Ks Js Ts As 9s 8s As | As Ks Qs Js Ts | a royal flush among seven in sequence
"""

# Few faces, six copies each: the sets in which categories meet.
CROWDED: Final = {
    "one suit": full_decks(6)[full_decks(6) % 4 == 2],
    "one suit, ends of the ranks": np.repeat(codes_of("Ah Kh 2h 3h 4h 5h 6h".split()), 6),
    "one face": np.repeat(codes_of(["9c"]), 8),
    "two faces": np.repeat(codes_of(["9c", "9d"]), 6),
    "two suited faces": np.repeat(codes_of(["As", "2s"]), 6),
    "two ranks": np.repeat(codes_of("Kc Kd Kh Ks 3c 3d 3h 3s".split()), 6),
    "a straight flush and a stranger": np.repeat(codes_of("Ts 9s 8s 7s 6s 6d".split()), 6),
    "a royal flush and aces": np.repeat(codes_of("As Ks Qs Js Ts Ad Ac".split()), 6),
    "nine to ace": full_decks(6)[full_decks(6) >= 28],
    "deuce to eight": full_decks(6)[full_decks(6) < 28],
}


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def rank(names: str) -> int:
    return int(best_five(column(names))[0])


def plain_ranks(hands: Cards) -> list[int]:
    return [plain_rank(hand) for hand in hands.T.tolist()]


def by_phevaluator(hands: Cards) -> npt.NDArray[np.int64]:
    return np.array([evaluate_cards(*hand) for hand in hands.T.tolist()], dtype=np.int64)


def by_treys(hands: Cards) -> npt.NDArray[np.int64]:
    cards = [Card.new(name) for name in CARD_NAMES]
    evaluate = Evaluator().evaluate
    answers = [evaluate([cards[code] for code in hand], []) for hand in hands.T.tolist()]
    return np.array(answers, dtype=np.int64)


def assert_same_order(ours: Ranks, lower_is_better: npt.NDArray[np.int64]) -> None:
    order = np.argsort(ours)
    up, down = np.diff(ours[order]), np.diff(lower_is_better[order])
    assert np.array_equal(np.sign(up), -np.sign(down))


@st.composite
def hands_of_few_faces(draw: st.DrawFn) -> Cards:
    """A hand of five to eight cards among few faces, so that copies and flushes are common."""
    suits = draw(st.sampled_from([(0,), (3,), (0, 1), (0, 1, 2, 3)]))
    code = st.builds(lambda rank, suit: 4 * rank + suit, st.integers(0, 12), st.sampled_from(suits))
    faces = draw(st.lists(code, min_size=1, max_size=8, unique=True))
    hand = draw(st.lists(st.sampled_from(faces), min_size=5, max_size=8))
    return np.array(hand, dtype=np.uint8)[:, np.newaxis]


def test_c14_each_hand_beats_the_one_before() -> None:
    for lower, upper in pairwise(rows(LADDER)):
        if upper[-1].startswith("tie"):
            assert rank(upper[0]) == rank(lower[0]), upper
        else:
            assert rank(upper[0]) > rank(lower[0]), upper


@pytest.mark.parametrize("row", rows(LADDER), ids=lambda row: row[0])
def test_c14_a_hand_is_named_in_the_words_of_the_card_room(row: list[str]) -> None:
    assert describe(rank(row[0])) == row[1]


@pytest.mark.parametrize("row", rows(CHOICES), ids=lambda row: row[-1])
def test_c13_the_best_possible_five_are_picked(row: list[str]) -> None:
    hand = column(row[0])
    picked = best_five_cards(hand)
    assert " ".join(names_of(picked[:, 0])) == row[1]
    assert best_five(picked) == best_five(hand) == plain_rank(hand[:, 0].tolist())


def test_a_royal_flush_is_a_category_and_the_highest_straight_flush() -> None:
    royal, king_high, five_suited = rank("Ah Kh Qh Jh Th"), rank("Kh Qh Jh Th 9h"), rank("2c " * 5)
    assert king_high < royal < five_suited
    assert royal // CATEGORY_STEP == Category.ROYAL_FLUSH


def test_the_rank_of_the_pair_or_main_group() -> None:
    hands = [
        "6h 6s Ad 3c 2h",
        "6h 6s 6d 3c 3h",
        "Kh Ks Ad Ac 2h",
        "Ah 5s 4d 3c 2h",
        "9h 7h 5h 3h 2h",
    ]
    ranks = np.array([rank(hand) for hand in hands], dtype=np.int32)
    assert pair_rank_of(ranks).tolist() == [4, 4, 12, 3, 7]
    assert category_of(ranks).tolist() == [1, 6, 2, 4, 5]


@pytest.mark.parametrize("card_count", [5, 6, 7])
def test_public_evaluators_put_hands_of_one_deck_in_the_same_order(card_count: int) -> None:
    hands = deal(card_count, card_count, 3_000)
    ranks = best_five(hands)
    assert_same_order(ranks, by_phevaluator(hands))
    assert_same_order(ranks, by_treys(hands))


@pytest.mark.slow
def test_public_evaluators_put_a_million_hands_in_the_same_order() -> None:
    hands = deal(77, 7, 1_000_000)
    ranks = best_five(hands)
    assert_same_order(ranks, by_phevaluator(hands))
    assert_same_order(ranks, by_treys(hands))


def test_public_evaluators_misjudge_hands_of_six_decks() -> None:
    """Hands that clause (14) ranks, from the lowest up: what one-deck tables make of them."""
    rising = ["Ah Kh Qh Jh 9h", "Ah Ah 9h 9h 2h", "Ah Ah As Ad Ac", "Ah Kh Qh Jh Th", "Ah " * 5]
    hands = np.concatenate([column(hand) for hand in rising], axis=1)
    ours = best_five(hands)
    assert (np.diff(ours) > 0).all()
    theirs = by_phevaluator(hands)  # lower is better there
    assert theirs[1] < theirs[3]  # a flush with two pairs in it above the royal flush
    assert theirs[2] == evaluate_cards(*codes_of("Ah As Ad Ac Kh".split()).tolist())  # only four
    for two_alike in (1, 4):
        with pytest.raises(KeyError):
            by_treys(hands[:, [two_alike]])


@pytest.mark.parametrize("card_count", [6, 7, 8])
@pytest.mark.parametrize("deck_count", [1, 6])
def test_the_best_of_all_fives_is_the_rank(card_count: int, deck_count: int) -> None:
    hands = deal(10 * card_count + deck_count, card_count, 20_000, deck_count)
    fives = [best_five(hands[list(five)]) for five in combinations(range(card_count), 5)]
    assert np.array_equal(best_five(hands), np.max(fives, axis=0))


@pytest.mark.parametrize("card_count", [5, 6, 7, 8])
@pytest.mark.parametrize("deck_count", [1, 6])
def test_a_plain_evaluator_agrees(card_count: int, deck_count: int) -> None:
    hands = deal(100 * card_count + deck_count, card_count, 1_000, deck_count)
    assert best_five(hands).tolist() == plain_ranks(hands)


@pytest.mark.parametrize("card_count", [5, 7, 8])
@pytest.mark.parametrize("faces", CROWDED)
def test_a_plain_evaluator_agrees_where_categories_meet(faces: str, card_count: int) -> None:
    rng = np.random.default_rng(card_count)
    shoe = CROWDED[faces]
    hands = np.stack([rng.permutation(shoe)[:card_count] for _ in range(200)], axis=1)
    assert best_five(hands).tolist() == plain_ranks(hands)
    assert np.array_equal(best_five(best_five_cards(hands)), best_five(hands))


@given(hands_of_few_faces(), st.randoms(use_true_random=False))
def test_the_order_of_the_cards_changes_nothing(hand: Cards, random: Random) -> None:
    places = list(range(len(hand)))
    random.shuffle(places)
    assert best_five(hand[places]) == best_five(hand) == plain_rank(hand[:, 0].tolist())


@given(hands_of_few_faces())
def test_the_five_that_are_picked_are_cards_of_the_hand_and_rank_the_same(hand: Cards) -> None:
    picked = best_five_cards(hand)
    assert best_five(picked) == best_five(hand)
    left = hand[:, 0].tolist()
    for card in picked[:, 0].tolist():
        left.remove(card)


@given(st.lists(st.integers(0, 2_000), max_size=5))
def test_splitting_a_batch_changes_nothing(cuts: list[int]) -> None:
    hands = deal(5, 7, 2_000, 6)
    parts = np.split(hands, sorted(cuts), axis=1)
    assert np.array_equal(np.concatenate([best_five(part) for part in parts]), best_five(hands))


def test_working_in_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = deal(6, 8, ranking.CHUNK_HAND_COUNT + 1, 6)
    whole = best_five(hands)
    monkeypatch.setattr(ranking, "CHUNK_HAND_COUNT", 1_000)
    assert np.array_equal(best_five(hands), whole)


def test_hands_may_lie_in_memory_as_they_like() -> None:
    hands = deal(7, 7, 500)
    ranks = best_five(hands)
    assert np.array_equal(best_five(np.asfortranarray(hands)), ranks)
    assert np.array_equal(best_five(hands[:, ::-1])[::-1], ranks)
    hands.flags.writeable = False
    assert np.array_equal(best_five(hands), ranks)


@pytest.mark.parametrize("card_count", [5, 6, 7, 8])
def test_no_hand_gives_no_rank(card_count: int) -> None:
    none = np.empty((card_count, 0), dtype=np.uint8)
    assert best_five(none).shape == (0,)
    assert best_five(none).dtype == np.int32
    assert best_five_cards(none).shape == (5, 0)


@pytest.mark.parametrize("code", [52, CARD_BAD, CARD_UNREAD])
def test_a_code_that_is_no_card_is_refused(code: int) -> None:
    hands = deal(8, 7, 3)
    hands[4, 2] = code
    with pytest.raises(ValueError, match=re.escape(f"code {code} at (4, 2) is no card")):
        best_five(hands)


@pytest.mark.parametrize("shape", [(4, 3), (9, 3), (7,), (0, 3), (5, 1, 1)])
def test_hands_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=re.escape(f"cards have shape {shape}")):
        best_five(np.zeros(shape, dtype=np.uint8))


@pytest.mark.parametrize("number", [-1, 12 * CATEGORY_STEP, 0xD0000])
def test_what_is_no_rank_is_not_described(number: int) -> None:
    with pytest.raises(ValueError, match="is no rank"):
        describe(number)
