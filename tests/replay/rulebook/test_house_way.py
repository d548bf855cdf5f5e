"""House ways: the example's choices one by one, a slow plain reading beside it, and bad lists."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from replay.rulebook.house_way import PLACE_NONE, Cards, HouseWay
from replay.rulebook.loader import RulebookError, load_rulebook
from replay.vocabulary import CARD_BAD, CARD_CODES, CARD_NAMES, CARD_UNREAD


@pytest.fixture(scope="module")
def way() -> HouseWay:
    found = load_rulebook().house_way("published-2011")
    assert found is not None
    return found


def column(names: str) -> Cards:
    """`2c 3d` -> (2, 1)."""
    return np.array([[CARD_CODES[name]] for name in names.split()], dtype=np.uint8)


# as dealt            kept       the line that decides
EXAMPLES = """
  8c Kd 8h As         8c 8h      pair of 8s or higher
  9c 9d Ah Ad         Ah Ad      pair of 8s or higher
  Kc Kd Ah Qh         Kc Kd      pair of 8s or higher
  7c 7d As Jh         As Jh      ace with J or higher
  As Jh Qd 2c         As Qd      ace with J or higher
  Ah Kd As Ks         Ah As      pair of 8s or higher
  Ah Kd Ks 2c         Kd Ks      pair of 8s or higher
  Ah 3d Kh Kc         Kh Kc      pair of 8s or higher
  Ah Qd 3c Qc         Qd Qc      pair of 8s or higher
  Ah Qd 3c 2h         Ah Qd      ace with J or higher
  2c 3d 2c As         2c 2c      suited pair 2-7
  7c 7d 2h 2h         2h 2h      suited pair 2-7
  7c 7d As Th         7c 7d      unsuited pair 2-7
  2c 2d As Ts         2c 2d      unsuited pair 2-7
  As 2s Ks Qd         As Ks      ace with J or higher
  As Ts Kh Qh         As Kh      ace with J or higher
  As Th 3s 4d         As 3s      ace-high suited
  As 9s 3s 4d         As 9s      ace-high suited
  As Th 9d 8c         As Th      both ten or higher unsuited
  As 9h 8d 6c         As 9h      ace-high unsuited
  Ks Th 9d 9s         9d 9s      pair of 8s or higher
  Ks Qs Jd 2c         Ks Qs      both ten or higher suited
  Js Ts Kd Qc         Js Ts      both ten or higher suited
  Ks Qd Jh 2c         Ks Qd      both ten or higher unsuited
  Ks Td 9s 2s         Ks Td      both ten or higher unsuited
  Ks 9d 8s 2s         Ks 8s      face-card high suited
  Ks 9d 8c 2h         Ks 9d      face-card high unsuited
  Js 9s Th 8h         Js Th      both ten or higher unsuited
  Ts 9s 8h 7h         Ts 9s      connected suited
  Ts 9d 7h 6h         7h 6h      connected suited
  Ts 9d 7h 5h         Ts 9d      connected unsuited
  Ts 8s 6d 4d         Ts 8s      any suited
  Ts 8h 6h 2d         8h 6h      any suited
  Ts 8h 6d 2c         Ts 8h      any unsuited
"""


@pytest.mark.parametrize("example", EXAMPLES.strip().splitlines())
def test_published_2011(way: HouseWay, example: str) -> None:
    dealt, kept, words = (part for part in example.strip().split("  ") if part)
    cards, right = column(dealt), column(kept)
    assert way.choose(cards).tolist() == right.tolist()
    assert way.is_right(cards, right).tolist() == [True]
    assert way.is_right(cards, right[::-1]).tolist() == [True]
    assert way.row_of(int(right[0, 0]), int(right[1, 0])).words == words.strip()


def test_of_equals_any_is_right_and_the_first_dealt_is_chosen(way: HouseWay) -> None:
    cards = column("5c 5d 5d 5c")  # two suited pairs of one rank, from several decks
    assert way.choose(cards).tolist() == column("5c 5c").tolist()
    assert way.choose_places(cards).tolist() == [[0], [3]]
    assert way.is_right(cards, column("5d 5d")).tolist() == [True]
    assert way.is_right(cards, column("5c 5d")).tolist() == [False]
    cards = column("Kd As Kc 3h")
    assert way.choose(cards).tolist() == column("Kd Kc").tolist()
    cards = column("As Jd Jc 9h")
    assert way.choose(cards).tolist() == column("Jd Jc").tolist()
    cards = column("As Qd 3h 4c")
    assert way.is_right(cards, column("Qd As")).tolist() == [True]


def test_suits_decide_only_between_suited_and_unsuited(way: HouseWay) -> None:
    cards = column("Ah Ks Kd Kh")
    assert way.choose(cards).tolist() == column("Ks Kd").tolist()
    cards = column("Ah 9s Qs Qh")
    assert way.choose(cards).tolist() == column("Qs Qh").tolist()
    cards = column("8h 8s 8h 2c")
    assert way.choose(cards).tolist() == column("8h 8h").tolist()


def test_kept_cards_that_were_not_dealt_are_not_right(way: HouseWay) -> None:
    cards = column("Ks Kd 3h 2c")
    assert way.is_right(cards, column("Ks Kc")).tolist() == [False]
    assert way.is_right(cards, column("Ks Ks")).tolist() == [False]


def test_cards_not_read_choose_nothing(way: HouseWay) -> None:
    cards = np.repeat(column("Ks Kd 3h 2c"), 3, axis=1)
    cards[3, 0] = CARD_UNREAD
    cards[2, 1] = CARD_BAD
    kept = np.repeat(column("Ks Kd"), 3, axis=1)
    assert way.is_right(cards, kept).tolist() == [False, False, True]
    places = way.choose_places(cards).tolist()
    assert places == [[PLACE_NONE, PLACE_NONE, 0], [PLACE_NONE, PLACE_NONE, 1]]
    assert way.choose(cards)[:, :2].tolist() == [[CARD_UNREAD] * 2] * 2
    assert way.choose(cards)[:, 2].tolist() == [CARD_CODES["Ks"], CARD_CODES["Kd"]]


def test_no_hands_at_all(way: HouseWay) -> None:
    assert way.choose(np.empty((4, 0), dtype=np.uint8)).shape == (2, 0)
    none = way.is_right(np.empty((4, 0), dtype=np.uint8), np.empty((2, 0), dtype=np.uint8))
    assert none.shape == (0,)


def plain_standing(card: int, other: int) -> tuple[int, int, int, bool]:
    """TS-HOUSE-WAY once more, word for word, as an ordinary list of questions."""
    order = "23456789TJQKA"
    names = CARD_NAMES[card], CARD_NAMES[other]
    low, high = sorted(order.index(name[0]) + 2 for name in names)
    suited = names[0][1] == names[1][1]
    lines = [
        low == high and high >= 8,
        high == 14 and low >= 11,
        low == high and suited,
        low == high,
        high == 14 and suited,
        low >= 10 and suited,
        low >= 10,
        high == 14,
        high >= 11 and suited,
        high >= 11,
        high == low + 1 and suited,
        high == low + 1,
        suited,
        True,
    ]
    return -lines.index(True), high, low, suited


def test_the_table_agrees_with_a_plain_reading(way: HouseWay) -> None:
    rng = np.random.default_rng(20110131)
    shoe = np.tile(np.arange(52, dtype=np.uint8), 6)
    cards = np.stack([rng.choice(shoe, 4, replace=False) for _ in range(4000)], axis=1)
    cards[:, :500] //= 13  # few faces, so that equals abound
    places = list(combinations(range(4), 2))
    chosen = way.choose_places(cards)
    for index, dealt in enumerate(cards.T.tolist()):
        standings = [plain_standing(dealt[a], dealt[b]) for a, b in places]
        best = max(standings)
        assert tuple(chosen[:, index].tolist()) == places[standings.index(best)], dealt
    for place in places:
        kept = cards[list(place)]
        right = way.is_right(cards, kept).tolist()
        for index, dealt in enumerate(cards.T.tolist()):
            best = max(plain_standing(dealt[a], dealt[b]) for a, b in places)
            assert right[index] == (plain_standing(*kept[:, index].tolist()) == best), dealt


def test_splitting_a_batch_changes_nothing(way: HouseWay) -> None:
    cards = np.random.default_rng(7).integers(0, 52, (4, 100), dtype=np.uint8)
    whole = way.choose(cards)
    parts = [way.choose(cards[:, start : start + 7]) for start in range(0, 100, 7)]
    assert np.concatenate(parts, axis=1).tolist() == whole.tolist()


# --- a licensee's own ---

OWN = """
name = "own-1"
source = "table games manual, page 4"
approved_by = "games manager"
lines = [
  { words = "pairs", kind = "pair" },
  { words = "ace and deuce", kind = "high-card", from = "A", to = "A" },
  { words = "the rest", kind = "any" },
]
"""


def test_a_licensees_folder_adds_to_the_packaged_ones(tmp_path: Path) -> None:
    (tmp_path / "own-1.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("not a house way", encoding="utf-8")
    rulebook = load_rulebook(tmp_path)
    assert [way.name for way in rulebook.house_ways()] == ["own-1", "published-2011"]
    own = rulebook.house_way("own-1")
    assert own is not None
    assert own.choose(column("As 2c Kd Kh")).tolist() == column("Kd Kh").tolist()
    assert own.choose(column("As 2c Kd Qh")).tolist() == column("As Kd").tolist()
    assert own.approved_by == "games manager"
    assert load_rulebook().house_way("own-1") is None
    assert rulebook.house_way("pit-sheet-9") is None


def test_the_folder_is_read_at_every_call(tmp_path: Path) -> None:
    assert len(load_rulebook(tmp_path).house_ways()) == 1
    (tmp_path / "own-1.toml").write_text(OWN, encoding="utf-8")
    first, second = load_rulebook(tmp_path), load_rulebook(tmp_path)
    assert first.house_way("own-1") == second.house_way("own-1") is not None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('  { words = "the rest", kind = "any" },\n', "", ["lines", "3-2 unsuited", '"any"']),
        ('"any" }', '"any", suit = "suited" }', ["lines", "3-2 unsuited"]),
        ('"pair" }', '"any" }', ["lines[1]", "nothing is left for 'ace and deuce'", "move it up"]),
        ('"pair" }', '"pairs" }', ["lines[0].kind", "high-card, both-from, connected"]),
        ('"pair" }', '"pair", suit = "red" }', ["lines[0].suit", "suited, unsuited, either"]),
        ('"pair" }', '"pair", lower_from = "9" }', ["lines[0].lower_from", "no such key", "from"]),
        ('"pair" }', '"pair", from = "10" }', ["lines[0].from", "'10' is not known", "T, J"]),
        ('"pair" }', '"pair", from = "9", to = "8" }', ["lines[0]", "nothing is left"]),
        ('"own-1"', '"own-2"', ["name", "'own-2' in a file called own-1.toml", "both alike"]),
        ('source = "table', 'sauce = "table', ["source", "missing"]),
        ("lines = [", "lines = 3 [", ["whole file", "no TOML", "line 5"]),
    ],
)
def test_bad_lists(tmp_path: Path, old: str, new: str, told: list[str]) -> None:
    assert old in OWN
    (tmp_path / "own-1.toml").write_text(OWN.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RulebookError) as error:
        load_rulebook(tmp_path)
    assert error.value.file == f"{tmp_path}/own-1.toml"
    assert all(word in str(error.value) for word in told), str(error.value)


def test_a_name_once_used_is_not_used_again(tmp_path: Path) -> None:
    text = OWN.replace("own-1", "published-2011")
    (tmp_path / "published-2011.toml").write_text(text, encoding="utf-8")
    with pytest.raises(RulebookError, match="there is a house way 'published-2011' already"):
        load_rulebook(tmp_path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RulebookError, match="no such folder"):
        load_rulebook(tmp_path / "none")


def test_both_from_takes_pairs_and_connected_does_not(tmp_path: Path) -> None:
    lines = OWN.replace('"pair" }', '"both-from", from = "K" }').replace(
        'kind = "high-card", from = "A", to = "A"', 'kind = "connected"'
    )
    (tmp_path / "own-1.toml").write_text(lines, encoding="utf-8")
    own = load_rulebook(tmp_path).house_way("own-1")
    assert own is not None
    pairs = ["Kc Kd", "3c 2d", "Ac 2d", "9c 9d"]
    codes = [[CARD_CODES[name] for name in pair.split()] for pair in pairs]
    rows = [own.row_of(card, other).words for card, other in codes]
    assert rows == ["pairs", "ace and deuce", "the rest", "the rest"]
