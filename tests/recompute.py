"""Money worked out from what `pitproof round` prints alone: cards, line, odds, stake.

Knows the order of hands and which hands a line's words name; knows no rule and none of the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

Row = Mapping[str, Any]

RANKS: Final = "23456789TJQKA"

NAMES: Final = {
    "5 of a Kind, Suited": "five of a kind suited",
    "5 of a Kind": "five of a kind",
    "4 of a Kind": "four of a kind",
    "3 of a Kind": "three of a kind",
    "2 pair": "two pair",
}
"""Words of a line where they are not the usual name of the hand."""

PAIRS: Final = {
    "High Pair (J-A)": "JQKA",
    "Low Pair (6-10)": "6789T",
    "Sixes or Better": "6789TJQKA",
    "Pair, Nines or Higher": "9TJQKA",
}
"""Lines of pairs, and of which ranks."""

ORDER: Final = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house"),
    *("four of a kind", "five of a kind", "straight flush", "royal flush"),
    "five of a kind suited",
)


def value_of(five: Sequence[str]) -> tuple[int, list[int]]:
    """A hand of five as something to compare: larger is better."""
    ranks = [RANKS.index(card[0]) for card in five]
    times = Counter(ranks)
    ranks.sort(key=lambda rank: (times[rank], rank), reverse=True)
    if sorted(ranks) == [0, 1, 2, 3, 12]:
        ranks = [3, 2, 1, 0, -1]
    suited = len({card[1] for card in five}) == 1
    in_a_row = len(times) == 5 and ranks[0] - ranks[4] == 4
    counts = sorted(times.values(), reverse=True)
    if counts == [5]:
        name = "five of a kind suited" if suited else "five of a kind"
    elif suited and in_a_row:
        name = "royal flush" if ranks[0] == 12 else "straight flush"
    elif counts[0] == 4:
        name = "four of a kind"
    elif counts == [3, 2]:
        name = "full house"
    elif suited:
        name, ranks = "flush", sorted(ranks, reverse=True)
    elif in_a_row:
        name = "straight"
    elif counts[0] == 3:
        name = "three of a kind"
    else:
        name = {(2, 2, 1): "two pair", (2, 1, 1, 1): "pair"}.get(tuple(counts), "high card")
    return ORDER.index(name), ranks


def names(five: Sequence[str], words: str | None) -> bool:
    """Whether a line's words name a hand; None and "All other" name what no other line pays."""
    category, ranks = value_of(five)
    name = ORDER[category]
    if words is None or words == "All other":
        return name in ("high card", "pair", "two pair", "three of a kind")
    if words in PAIRS:
        return name == "pair" and RANKS[ranks[0]] in PAIRS[words]
    return NAMES.get(words, words.lower()) == name


def net_of(odds: Any, stake: int) -> int:
    """The player's net of a stake by odds as they are printed."""
    if odds in ("push", "na"):
        return 0
    if odds == "lose":
        return -stake
    to_one, one = odds
    assert one == 1
    return int(to_one) * stake


def recomputed(wager: Row) -> int:
    """What a wager is due by its cards, its line and its odds."""
    stake, hands = int(wager["stake_cents"]), wager["hands"]
    if not hands:  # a fold, or a bonus that was not earned
        return net_of(wager["odds"], stake) if wager["odds"] else 0
    if wager["wager"] == "PRIMARY":
        mine, dealers = (value_of(hand["best"]) for hand in hands)
        return stake if mine > dealers else -stake
    if wager["wager"] == "ENVY_BONUS":
        paying = [hand for hand in hands if hand["odds"]]
        assert all(names(hand["best"], hand["row"]) for hand in paying)
        return sum(int(hand["odds"]["cents"]) for hand in paying)
    if wager["wager"] == "CENTER":
        assert all(names(hand["best"], hand["row"]) for hand in hands)
        return max(net_of(hand["odds"], stake) for hand in hands)
    if wager["wager"] in ("ULTIMATE_PAIRS", "POCKET_PAIR"):
        if wager["wager"] == "POCKET_PAIR":
            first, second = (card[0] for card in wager["cards"])
            assert (
                wager["row"] == (first * 2).replace("T", "10")
                if first == second
                else not (wager["row"])
            )
        return net_of(wager["odds"], stake) if wager["odds"] else 0
    assert names(wager["cards"], wager["row"]), wager
    return net_of(wager["odds"], stake)


def actual_by_timeline(told: Row, finding: Row) -> int:
    """What the last settlement of a bet came to, as the timeline has it."""
    place = ("spot", "hand", "wager", "bettor")
    settled = [
        event
        for event in told["timeline"]
        if event["type"] == "WagerSettled" and all(event[key] == finding[key] for key in place)
    ]
    last = settled[-1]
    stakes = [row for row in told["wagers"] if all(row[key] == finding[key] for key in place)]
    taken = stakes[0]["stake_cents"] if stakes else 0
    return int({"WIN": last["paid_cents"], "LOSE": -taken}.get(last["outcome"], 0))
