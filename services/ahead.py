"""Working ahead: what is wanted later is made in a thread while the last of it is put to use.

Worth a thread where one side waits outside of Python, as an insert into the database does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Empty, Queue
from threading import Event, Thread
from typing import Final, Generic, TypeVar

T = TypeVar("T")

_WAIT_SECONDS: Final = 0.1  # how long a full queue is waited at before looking whether to stop


class _End:
    """After the last item; with the failure that ended it, if one did."""

    def __init__(self, failure: BaseException | None = None) -> None:
        self.failure = failure


def ahead(items: Iterator[T], *, depth: int = 1) -> Iterator[T]:
    """The same items in the same order, at most `depth` of them made before they are wanted.

    Raises whatever `items` raises, at the same place. Closing it stops the thread.
    """
    made: Queue[T | _End] = Queue(depth)
    stopped = Event()
    thread = Thread(target=_make, args=(items, made, stopped), daemon=True)
    thread.start()
    try:
        while True:
            item = made.get()
            if isinstance(item, _End):
                if item.failure is not None:
                    raise item.failure
                return
            yield item
    finally:
        stopped.set()
        while thread.is_alive():
            try:
                made.get(timeout=_WAIT_SECONDS)  # whoever waits for room sees that it is over
            except Empty:
                continue
        thread.join()


def _make(items: Iterator[T], made: Queue[T | _End], stopped: Event) -> None:
    end = _End()
    try:
        for item in items:
            made.put(item)
            if stopped.is_set():
                return
    except BaseException as failure:
        end = _End(failure)
    made.put(end)


class Begun(Generic[T]):
    """A call under way in a thread of its own, to be waited for by `result`."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._made: list[T] = []
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def result(self) -> T:
        """What the call gave, once it is there. Raises whatever the call raised."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        return self._made[0]

    def _run(self) -> None:
        try:
            self._made.append(self._call())
        except BaseException as failure:
            self._failure = failure
