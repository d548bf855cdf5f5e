"""`serve` from start to end: the history is opened, the service runs, and a signal ends it."""

from __future__ import annotations

import contextlib
import gc
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from services.audit import made_with, rulebook_for
from services.history.stopping import break_off
from services.history.store import History
from services.live.places import Say
from services.live.sealing import sealing
from services.live.service import Plan, Service
from services.live.state import ServiceState
from services.live.taking_up import opened_to_follow, take_up

if TYPE_CHECKING:
    from services.settings import Settings

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

STOP_SECONDS_MAX: Final = 2.0
"""A transaction that still runs then is broken off: with leaving the group it makes five."""

Around = Callable[[History, ServiceState], contextlib.AbstractContextManager[object]]
"""Something that runs beside the service, such as its HTTP interface."""


def run_service(
    path: Path,
    plan: Plan,
    settings: Settings,
    say: Say,
    around: Around = lambda history, state: contextlib.nullcontext(),
) -> int:
    """Follow the topic until a signal, or its end; the exit status.

    Raises:
        PitproofError: Kafka, its topics or the history cannot be used.
    """
    with _signals() as stopping:
        try:
            return _followed(path, plan, settings, say, around, stopping)
        except (Exception, KeyboardInterrupt):
            if not stopping.is_asked:
                raise
            # Broken off at its start, or within a transaction, which is undone: it is read again.
    say("stopped", {"status": 0})
    return 0


def _followed(
    path: Path, plan: Plan, settings: Settings, say: Say, around: Around, stopping: _Stopping
) -> int:
    rulebook = rulebook_for(settings.readings, settings.house_ways)
    state = ServiceState()
    with opened_to_follow(path, say) as history, _client_errors(say):
        had = take_up(history, plan.topic, say)
        history.require(made_with(rulebook, settings.house_ways))
        with around(history, state), sealing(history, state, settings, say):
            service = Service(history, rulebook, plan, state, say, had_events=had)
            say("started", {"topic": plan.topic, "group": plan.group, "history": str(path)})
            gc.freeze()
            with stopping.by_itself(service, history):
                service.run()
        if stopping.is_asked:
            say("stopped", {"status": 0})
            return 0
        return _ended(history, state, plan, say)


def _ended(history: History, state: ServiceState, plan: Plan, say: Say) -> int:
    """What the history holds, now that the end of the topic is reached."""
    events = history.count("SELECT count(*) FROM events")
    serious = history.count("SELECT count(*) FROM findings WHERE severity <> 'info'")
    letters = history.count("SELECT count(*) FROM dead_letters WHERE redriven_in IS NULL")
    read = state.snapshot().counts.get("events", 0)
    said: dict[str, Any] = {
        "events": read,
        "held": events,
        "findings": serious,
        "dead_letters": letters,
    }
    if not events and not letters:
        said["note"] = f"{plan.topic} is empty"
    say("ended", said)
    return 1 if serious or letters else 0


class _Stopping:
    """What SIGTERM and Ctrl-C do: break off a start, have the service stop, and then no more."""

    def __init__(self) -> None:
        self._end: Callable[[], None] | None = None
        self.is_asked = False
        """Whether one came."""
        # The last, since one may come at once.
        self._before: dict[int, Any] = {one: signal.signal(one, self._came) for one in SIGNALS}

    @contextlib.contextmanager
    def by_itself(self, service: Service, history: History) -> Iterator[None]:
        """From here on the service ends by itself; what hangs in a transaction is broken off."""
        breaker = threading.Timer(STOP_SECONDS_MAX, break_off, [history])
        breaker.daemon = True

        def end() -> None:
            service.stop()
            breaker.start()

        self._end = end
        if self.is_asked:  # what it was to break off did not let it through
            end()
        try:
            yield
        finally:
            self._end = _nothing
            breaker.cancel()

    def close(self) -> None:
        """Give the signals back."""
        for one, handler in self._before.items():
            signal.signal(one, handler)

    def _came(self, number: int, frame: FrameType | None) -> None:
        was_asked, self.is_asked = self.is_asked, True
        if self._end is not None:
            if not was_asked:
                self._end()
        else:
            raise KeyboardInterrupt


def _nothing() -> None:
    """What is being closed is closed."""


@contextlib.contextmanager
def _signals() -> Iterator[_Stopping]:
    stopping = _Stopping()
    try:
        yield stopping
    finally:
        stopping.close()


@contextlib.contextmanager
def _client_errors(say: Say) -> Iterator[None]:
    """The client's own errors in our log; nothing of it on the terminal."""

    class Told(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say("kafka", {"message": record.getMessage()})

    logger, handler = logging.getLogger("kafka"), Told(logging.ERROR)
    before = logger.propagate
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def teller(*, as_json: bool) -> Say:
    """Tells standard error: a line of JSON each, or for people."""
    if not as_json:
        return _tell_people
    import structlog

    logger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
    )

    def tell(event: str, fields: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError, ValueError):
            logger.msg(event, **fields)

    return tell


def _tell_people(event: str, fields: Mapping[str, Any]) -> None:
    words = fields.get("message")
    if words is None:
        words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in fields.items())
    lines = [f"{time.strftime('%H:%M:%S')} {event}: {words}"]
    if fields.get("next_step"):
        lines.append(f"         {fields['next_step']}")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("\n".join(lines) + "\n")
        sys.stderr.flush()
