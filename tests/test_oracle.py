"""The oracle itself: its ranking, its money in rounds worked out by hand, and its independence."""

import ast
import json
import random
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.oracle import cards as c
from tests.oracle import dakota_duel_draw, run_em_twice, texas_shootout
from tests.oracle.audit import audit_events
from tests.oracle.bounds import multisets, ways_to_fill
from tests.oracle.decode import DeadLetterError, decode_line
from tests.oracle.house_way import right_pairs
from tests.oracle.run_em_twice_steps import STEPS

HERE = Path(__file__).parent
Row = dict[str, Any]


def cards(text: str) -> list[c.Card]:
    read = [c.parse_card(one) for one in text.split()]
    return [card for card in read if card is not None]


class Story:
    """Builds the events of one table, numbered and two seconds apart."""

    def __init__(self, game: str, decks: int, **paytables: str) -> None:
        self.events: list[Row] = []
        self.table(game, decks, paytables)

    def add(self, kind: str, **fields: Any) -> str:
        seq = len(self.events) + 1
        event_id = f"00000000-0000-4000-8000-{seq:012x}"
        minutes, seconds = divmod(seq * 2, 60)
        self.events.append(
            {
                "type": kind,
                "event_id": event_id,
                "table_id": "T-1",
                "seq": seq,
                "occurred_at": f"2026-03-01T20:{minutes:02}:{seconds:02}Z",
                **fields,
            }
        )
        return event_id

    def table(self, game: str, decks: int, paytables: dict[str, str]) -> None:
        self.add(
            "TableOpened",
            game=game,
            gaming_day="2026-03-01",
            spots=6,
            paytables=paytables,
            minimum_cents=100,
            maximum_cents=100_000,
            house_way="published-2011",
        )
        self.add("ShoeLoaded", shoe_id="S", decks=decks)
        self.add("RoundOpened", round_id="R", dealer_id=None, shoe_id="S")

    def act(self, kind: str, **fields: Any) -> str:
        return self.add(kind, round_id="R", **fields)

    def bet(self, spot: int, wager: str, cents: int, hand: int = 1) -> None:
        chips = {"spot": spot, "hand": hand, "wager": wager, "amount_cents": cents}
        self.act("WagerPlaced", **chips, player_id=None)

    def deal(self, *deals: tuple[str, str]) -> None:
        for place, text in deals:
            spot = int(place) if place.isdigit() else None
            shown = {"place": "PLAYER" if spot else place, "spot": spot}
            self.act("CardDealt", **shown, card=None if text == "?" else text)

    def decide(self, spot: int | None, decision: str, kept: str = "") -> None:
        self.act("DecisionMade", spot=spot, decision=decision, cards=kept.split())

    def settle(self, spot: int, wager: str, outcome: str, paid: int = 0, hand: int = 1) -> str:
        shown = {"spot": spot, "hand": hand, "wager": wager}
        return self.act("WagerSettled", **shown, outcome=outcome, paid_cents=paid)

    def close(self) -> Row:
        self.act("RoundClosed")
        return audit_events(self.events)


def run_em_twice_round(spot_cards: str, community: str) -> Story:
    """One spot with a dollar on everything; community is left, right, top, bottom, center."""
    story = Story("RUN_EM_TWICE", 1, ultimate_pairs="2")
    for wager in ("FIRST_ANTE", "SECOND_ANTE", "FIVE_CARD_BONUS", "ULTIMATE_PAIRS"):
        story.bet(1, wager, 100)
    story.deal(*(("1", one) for one in spot_cards.split()))
    places = ("LEFT", "RIGHT", "TOP", "BOTTOM", "CENTER")
    story.deal(*zip(places, community.split(), strict=True))
    for wager, reveal in zip(STEPS, (places[:2], places[2:4], places[4:]), strict=True):
        story.decide(1, "PLAY")
        story.bet(1, wager, 200)
        story.act("CardsRevealed", places=list(reveal))
    return story


def found(report: Row) -> list[tuple[Any, ...]]:
    return [
        (row["code"], row["wager"], row["expected_cents"], row["actual_cents"])
        for row in report["findings"]
    ]


@pytest.mark.parametrize("five_of_a_kind", [False, True])
def test_counting_ranks_as_all_subsets_do(five_of_a_kind: bool) -> None:
    chance = random.Random(15)
    for size in (5, 6, 7, 8):
        for _ in range(300):
            hand = chance.sample(c.ALL_FACES * (6 if five_of_a_kind else 1), size)
            few = chance.choices(c.ALL_FACES[-16:], k=size)
            for one in (hand, few):
                wanted = c.best_by_subsets(one, five_of_a_kind)
                assert c.best_rank(one, five_of_a_kind) == wanted, one


def test_sample_of_all_hands_has_the_shares_of_each_category() -> None:
    chance = random.Random(5)
    size = 20_000
    seen = Counter(c.rank_five(chance.sample(c.ALL_FACES, 5))[0] for _ in range(size))
    for category, ways in ((c.PAIR, 1_098_240), (c.TWO_PAIR, 123_552), (c.HIGH_CARD, 1_302_540)):
        assert abs(seen[category] / size - ways / 2_598_960) < 0.015


def test_c14_a_straight_flush_beats_five_of_a_kind_and_the_wheel_is_the_lowest() -> None:
    ordered = [
        "Kh Kh Kh Kh Kh",
        "Ah Kh Qh Jh Th",
        "Ah 2h 3h 4h 5h",
        "Ah Ad As Ac Ah",
        "2h 2d 2s 2c 3h",
        "3h 3d 3s 2c 2h",
        "Ah Ah Kh 3h 2h",
        "Ah Kh Qh 9h 2h",
        "Ac Kh Qh Jh Td",
        "Ac 2h 3h 4h 5d",
    ]
    ranks = [c.rank_five(cards(hand), five_of_a_kind=True) for hand in ordered]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == len(ranks)


@pytest.mark.parametrize(
    ("table", "net"), [("1", -118), ("2", -90), ("3", -62), ("4", -65), ("5", -90)]
)
def test_c10_ultimate_pairs_return_over_all_pairs(table: str, net: int) -> None:
    pairs = combinations(c.ALL_FACES, 2)
    assert sum(run_em_twice.ultimate_pairs_to_one(pair, table) for pair in pairs) == net


@pytest.mark.parametrize(("column", "units"), list(enumerate((294, 276, 258, 282, 276, 288))))
def test_c11_pocket_pair_units_over_all_pairs(column: int, units: int) -> None:
    pays = [line[column] or 0 for line in dakota_duel_draw.POCKET_PAIR.values()]
    assert 6 * sum(pays) == units


def test_multisets_are_as_many_as_counted() -> None:
    left = Counter({8: 1, 9: 2, 10: 6, 11: 3})
    for size in range(6):
        listed = list(multisets(size, sorted(left), Counter(left)))
        assert len(listed) == len(set(listed)) == ways_to_fill(size, left)


def test_run_em_twice_is_paid_by_each_hand() -> None:
    story = run_em_twice_round("Ah 2c", "3d 4s Kd 9c 5h")
    story.settle(1, "FIRST_ANTE", "WIN", 100)
    story.settle(1, "FIRST_RUN", "WIN", 800)
    story.settle(1, "SECOND_ANTE", "LOSE")
    story.settle(1, "SECOND_RUN", "PUSH")
    story.settle(1, "CENTER", "WIN", 1_000)
    story.settle(1, "FIVE_CARD_BONUS", "LOSE")
    story.settle(1, "ULTIMATE_PAIRS", "LOSE")
    report = story.close()
    assert found(report) == [
        ("UNDERPAID", "FIRST_RUN", 1_000, 800),
        ("OVERPAID", "SECOND_RUN", -200, 0),
    ]
    assert report["summary"]["player_net_expected_cents"] == 100 + 1_000 - 100 - 200 + 1_000 - 200
    assert report["summary"]["wagers"] == 7


def test_an_unread_center_is_bounded_over_the_cards_not_seen() -> None:
    story = run_em_twice_round("Kh Ks", "Kd Kc Qd 9c ?")
    for wager in ("FIRST_ANTE", "SECOND_ANTE"):
        story.settle(1, wager, "WIN", 100)
    story.settle(1, "FIRST_RUN", "WIN", 8_000)
    story.settle(1, "SECOND_RUN", "WIN", 900)
    story.settle(1, "CENTER", "WIN", 8_000)
    story.settle(1, "FIVE_CARD_BONUS", "WIN", 100)
    story.settle(1, "ULTIMATE_PAIRS", "WIN", 500)
    report = story.close()
    # Four kings stand whatever the center is; the other hand is kings, with a nine or queen two
    # pair. The board holds K K and one more card: a pair, or two pair, or three of a kind not.
    assert found(report) == [
        ("OVERPAID", "SECOND_RUN", 400, 900),
        ("UNDETERMINED", "FIVE_CARD_BONUS", None, 100),
    ]
    bonus = report["findings"][1]
    assert (bonus["expected_low_cents"], bonus["expected_high_cents"]) == (100, 300)


def test_dakota_pays_the_pocket_pair_and_takes_a_fold() -> None:
    story = Story("DAKOTA_DUEL_DRAW", 1, pocket_pair="1", big_8="7")
    for spot in (1, 2):
        story.bet(spot, "HAND_2_ANTE", 500)
        story.bet(spot, "BIG_8", 500)
    rotation = "HAND_2 2c HAND_1 9h 1 8d 2 Ts HAND_2 3d HAND_1 Jh 1 8c 2 Js HAND_2 Kc HAND_1 Qd"
    words = rotation.split()
    story.deal(*zip(words[::2], words[1::2], strict=True))
    story.decide(1, "PLAY")
    story.bet(1, "HAND_1_PLAY", 500)
    story.decide(2, "FOLD")
    story.act("CardsRevealed", places=["HAND_1", "HAND_2"])
    story.settle(1, "POCKET_PAIR", "WIN", 2_000)
    story.settle(1, "HAND_1_PLAY", "LOSE")
    story.settle(1, "HAND_2_ANTE", "LOSE")
    story.settle(1, "BIG_8", "LOSE")
    story.settle(2, "HAND_2_ANTE", "LOSE")
    story.settle(2, "BIG_8", "WIN", 500)  # table 7 pushes K-Q-J-T-9
    assert found(story.close()) == [("OVERPAID", "BIG_8", 0, 500)]


def test_shootout_pays_envy_for_the_other_hand_of_the_split() -> None:
    story = Story("TEXAS_SHOOTOUT", 6, shootout_bonus="A")
    story.bet(1, "PRIMARY", 1_000)
    story.bet(1, "SHOOTOUT_BONUS", 500)
    mine, theirs = "Ah Ah Kh Kd".split(), "2c 3d 7s 9c".split()
    for one, other in zip(mine, theirs, strict=True):
        story.deal(("1", one), ("DEALER", other))
    story.decide(1, "SPLIT", "Ah Kh Ah Kd")
    story.bet(1, "PRIMARY", 1_000, hand=2)
    story.bet(1, "SHOOTOUT_BONUS", 500, hand=2)
    story.decide(None, "KEEP", "2c 3d")
    story.deal(*(("FLOP", one) for one in "Qh Jh Th 2s 4c".split()))
    story.settle(1, "PRIMARY", "WIN", 1_000)
    story.settle(1, "SHOOTOUT_BONUS", "WIN", 250_000)
    story.settle(1, "PRIMARY", "WIN", 1_000, hand=2)
    story.settle(1, "SHOOTOUT_BONUS", "WIN", 500, hand=2)
    report = story.close()
    # Hand 1 is a royal flush at 500 to 1, which earns hand 2 its envy; hand 2 is a straight.
    assert found(report) == [("WAGER_UNSETTLED", "ENVY_BONUS", 25_000, None)]
    assert report["findings"][0]["hand"] == 2
    assert report["summary"]["player_net_expected_cents"] == 252_500 + 25_000


@pytest.mark.parametrize(
    ("four", "kept"),
    [
        ("Ah Tc 9d 9c", "9d 9c"),
        ("Ah Jc 7d 7c", "Ah Jc"),
        ("Ah Tc Kd Qc", "Ah Kd"),
        ("Ah Tc 4d 3h", "Ah 3h"),
        ("Ah Tc 4d 3d", "Ah Tc"),
        ("Kh Ks Kd 2c", "Kh Ks"),
        ("9c 8d 5h 2h", "9c 8d"),
    ],
)
def test_c11_house_way_keeps_what_stands_highest(four: str, kept: str) -> None:
    assert list(right_pairs(cards(four))[0]) == cards(kept)


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 0},
        {"seq": True},
        {"seq": 2**63},
        {"occurred_at": "2026-03-01T20:00:00"},
        {"event_id": "7"},
        {"wheel": 1},
        {"amount_cents": 1_000.0},
        {"amount_cents": "5"},
        {"wager": "UNKNOWN"},
        {"hand": 3},
        {"spot": None},
    ],
)
def test_what_does_not_fit_is_a_dead_letter(change: Row) -> None:
    story = Story("RUN_EM_TWICE", 1)
    story.bet(1, "FIRST_ANTE", 500)
    event = story.events[-1]
    decode_line(json.dumps(event).encode())
    with pytest.raises(DeadLetterError):
        decode_line(json.dumps({**event, **change}).encode())


def test_a_redelivered_event_changes_nothing_and_a_gap_holds_the_round() -> None:
    story = run_em_twice_round("Ah 2c", "3d 4s Kd 9c 5h")
    story.settle(1, "FIRST_ANTE", "WIN", 100)
    report = story.close()
    assert audit_events(story.events + story.events[::-1]) == report
    kept = [event for event in story.events if event["seq"] != 10]
    held = audit_events(kept)
    assert found(held) == [("SEQUENCE_GAP", None, None, None)]
    assert (held["summary"]["held"], held["summary"]["settled"]) == (1, 0)


def test_the_command_prints_the_report_and_exits_with_its_status(tmp_path: Path) -> None:
    story = run_em_twice_round("Ah 2c", "3d 4s Kd 9c 5h")
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(json.dumps(event) for event in story.events))
    command = [sys.executable, "-m", "tests.oracle"]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, str(file)], capture_output=True, text=True, cwd=HERE.parent, check=False
        )

    done = run()
    # The round is still open at the end: neither flagged nor judged.
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["rounds"] == 1
    file.write_text("")
    done = run()
    assert (done.returncode, done.stdout) == (2, "")


def test_the_oracle_imports_nothing_that_it_is_to_judge() -> None:
    allowed = sys.stdlib_module_names | {"tests"}
    for path in sorted((HERE / "oracle").glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in allowed, f"{path.name} imports {name}"
                assert name.split(".")[0] != "tests" or name.startswith("tests.oracle"), path.name
    assert texas_shootout.BONUS_TABLES == ("A", "B")
