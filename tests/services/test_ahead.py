"""Working ahead changes neither what comes nor what fails."""

import threading
from collections.abc import Iterator
from time import sleep

import pytest

from services.ahead import Begun, ahead


def numbers(until: int, fails: bool = False) -> Iterator[int]:
    yield from range(until)
    if fails:
        raise OSError("the disk")


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("until", [0, 1, 2, 50])
def test_the_same_items_in_the_same_order(until: int, depth: int) -> None:
    assert list(ahead(numbers(until), depth=depth)) == list(range(until))


def test_a_failure_comes_where_it_came() -> None:
    came: list[int] = []
    with pytest.raises(OSError, match="the disk"):
        came.extend(ahead(numbers(5, fails=True)))
    items = ahead(numbers(2, fails=True))
    assert [next(items), next(items)] == [0, 1]
    with pytest.raises(OSError, match="the disk"):
        next(items)


@pytest.mark.parametrize("depth", [1, 3])
def test_no_more_is_made_ahead_than_was_said(depth: int) -> None:
    made: list[int] = []

    def noted() -> Iterator[int]:
        for number in numbers(20):
            made.append(number)
            yield number

    for number in ahead(noted(), depth=depth):
        sleep(0.005)  # room to make too many
        assert len(made) <= number + 1 + depth


def test_a_reader_that_leaves_early_leaves_no_thread() -> None:
    before = threading.active_count()
    items = ahead(numbers(1_000))
    assert next(items) == 0
    items.close()
    assert threading.active_count() == before


def test_a_call_that_was_begun_gives_what_it_gives_as_often_as_asked() -> None:
    asked_by = threading.get_ident()
    begun = Begun(lambda: threading.get_ident())
    assert begun.result() == begun.result() != asked_by


def test_a_call_that_was_begun_fails_for_whoever_asks() -> None:
    begun: Begun[int] = Begun(lambda: [][0])
    for _ in range(2):
        with pytest.raises(IndexError):
            begun.result()
