"""A group that is waited for is told of once, and only where it takes long."""

from collections.abc import Mapping
from typing import Any

from services.live.joining import PATIENCE_SECONDS, Joining


class Said(list[tuple[str, Mapping[str, Any]]]):
    def __call__(self, event: str, fields: Mapping[str, Any]) -> None:
        self.append((event, fields))


def test_a_long_wait_is_told_once() -> None:
    said = Said()
    joining = Joining("pitproof", 45_000, said, 100.0)
    for seconds in (0.0, PATIENCE_SECONDS, PATIENCE_SECONDS + 1):
        joining.look(100.0 + seconds, is_settled=False)
    [(event, fields)] = said
    assert (event, fields["group"]) == ("joining", "pitproof")
    assert "silent for 45 s" in fields["message"]


def test_once_settled_nothing_is_told() -> None:
    said = Said()
    joining = Joining("pitproof", 45_000, said, 100.0)
    joining.look(101.0, is_settled=True)
    joining.look(200.0, is_settled=False)  # a rebalance later on: the log tells what was owned
    assert said == []
