"""Working ahead: what is wanted later is made in a thread while the last of it is put to use.

Worth a thread where one side waits outside of Python, as an insert into the database does.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class _End:
    """After the last item; with the failure that ended it, if one did."""

    def __init__(self, failure: BaseException | None = None) -> None:
        self.failure = failure


def ahead(items: Iterator[T], *, depth: int = 1) -> Generator[T, None, None]:
    """The same items in the same order, at most `depth` of them made before they are wanted.

    Raises whatever `items` raises, at the same place. Closing it stops the thread.
    """
    made: SimpleQueue[T | _End] = SimpleQueue()
    room, stopped = Semaphore(depth), Event()
    thread = Thread(target=_make, args=(items, made, room, stopped), daemon=True)
    thread.start()
    try:
        while True:
            item = made.get()
            if isinstance(item, _End):
                if item.failure is not None:
                    raise item.failure
                return
            room.release()
            yield item
            del item  # while the next one is waited for
    finally:
        stopped.set()
        room.release()
        thread.join()


def _make(items: Iterator[T], made: SimpleQueue[T | _End], room: Semaphore, stopped: Event) -> None:
    end = _End()
    try:
        while room.acquire() and not stopped.is_set():
            made.put(next(items))
    except StopIteration:
        pass
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
