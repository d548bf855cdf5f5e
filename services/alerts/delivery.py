"""Telling receivers: a thread for each, one request at a time, until it has taken all there is.

What was told is noted in the history at once, before the next is sent. A receiver that is down is
asked again after half a second, a second, two, up to a minute; nothing waits for it but its own
thread. Should the service be killed between an answer and its note, that one alert is sent again,
under the same name.
"""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Protocol

from services.alerts.channels import Channel, Letter, channel_of
from services.alerts.post import Answer
from services.alerts.receivers import Receiver, receivers_of
from services.alerts.told import Teller
from services.errors import PitproofError
from services.history.alert_outbox import AlertOutbox
from services.history.reader import ReadingStoppedError
from services.live.state import Problem

if TYPE_CHECKING:
    from services.history.store import History
    from services.live.state import TransactionFacts
    from services.metrics import Metrics
    from services.settings import Settings

RETRY_SECONDS_MIN: Final = 0.5
RETRY_SECONDS_MAX: Final = 60.0

LOOK_SECONDS: Final = 1.0
"""A clearing wakes nobody: it is found by looking."""

LAST_SECONDS_MAX: Final = 1.0
"""Of the five that a stop of the service may take: what waits is told as far as that goes."""

BREAK_SECONDS_MAX: Final = 2.0
ASKED_SECONDS_MAX: Final = 0.5
"""What is under way even then is broken off, and sent again at the next start: that takes no time,
but a machine that is busy. First the requests of all, then what is asked of the history: a note of
what was taken is not lost."""


class State(Protocol):
    """What of a service is needed here: `services.live.state.ServiceState`."""

    def subscribe(self, listener: Callable[[TransactionFacts], None]) -> None:
        """Tell of each transaction."""

    def trouble(self, problem: Problem) -> bool:
        """Say a problem."""

    def solved(self, code: str, where: str) -> bool:
        """Say that one is over."""


@contextmanager
def delivering(
    history: History,
    state: State,
    settings: Settings,
    metrics: Metrics,
    receivers: Sequence[Receiver] | None = None,
) -> Iterator[list[Courier]]:
    """Tell every receiver that is set for as long as the body runs.

    To be entered by the thread that writes to the history.

    Raises:
        BadSettingError: a receiver that cannot be.
    """
    couriers = [
        Courier(
            receiver,
            channel_of(receiver, settings.runbook_url),
            AlertOutbox(history, receiver.name, settings.alert_critical_cents),
            Teller(settings),
            state,
            metrics,
        )
        for receiver in (receivers_of(settings) if receivers is None else receivers)
    ]

    def committed(facts: TransactionFacts) -> None:
        if facts.changes:
            for courier in couriers:
                courier.wake()

    state.subscribe(committed)
    try:
        for courier in couriers:
            courier.start()
        yield couriers
    finally:
        deadline = time.monotonic() + LAST_SECONDS_MAX
        for courier in couriers:
            courier.stop(deadline)
        _await(couriers, deadline)
        for courier in couriers:
            courier.break_request()
        _await(couriers, time.monotonic() + BREAK_SECONDS_MAX)
        for courier in couriers:
            courier.break_asking()
        _await(couriers, time.monotonic() + ASKED_SECONDS_MAX)
        for courier in couriers:
            courier.close()


def _await(couriers: Sequence[Courier], until: float) -> None:
    for courier in couriers:
        courier.join(until)


class Courier:
    """Tells one receiver, in a thread of its own."""

    def __init__(
        self,
        receiver: Receiver,
        channel: Channel,
        outbox: AlertOutbox,
        teller: Teller,
        state: State,
        metrics: Metrics,
    ) -> None:
        self._receiver, self._channel, self._outbox = receiver, channel, outbox
        self._teller, self._state, self._metrics = teller, state, metrics
        self._has_news, self._is_stopping = threading.Event(), threading.Event()
        self._deadline = math.inf
        self._news_at: float | None = None
        self._failures = 0
        self._put_off: dict[str, tuple[int, float]] = {}
        self._at_once = channel.letters_max
        self._refreshed_at = time.monotonic()
        self._thread = threading.Thread(
            target=self._run, name=f"pitproof-alerts-{receiver.name}", daemon=True
        )

    def start(self) -> None:
        """Begin with what was left to tell."""
        self._thread.start()

    def wake(self) -> None:
        """Something may be new. From any thread; costs nothing."""
        if self._news_at is None:
            self._news_at = time.monotonic()
        self._has_news.set()

    def stop(self, deadline: float) -> None:
        """Tell what there is until then (monotonic), and no more."""
        self._deadline = deadline
        self._is_stopping.set()
        self._has_news.set()

    def join(self, until: float) -> None:
        """After `stop`: wait for the end, until then (monotonic)."""
        self._thread.join(max(0.0, until - time.monotonic()))

    def break_request(self) -> None:
        """Let what is under way fail."""
        if self._thread.is_alive():
            self._channel.stop()

    def break_asking(self) -> None:
        """Let what is asked of the history fail."""
        if self._thread.is_alive():
            self._outbox.stop()

    def close(self) -> None:
        """Let go of the history."""
        self._outbox.close()

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._has_news.clear()
            failure = self._turn()
            if failure is not None:
                self._is_stopping.wait(self._failed(failure))
            else:
                self._went_well()
                self._has_news.wait(LOOK_SECONDS)
        if not self._failures:
            self._turn()

    def _turn(self) -> Answer | None:
        try:
            return self._tell_all() or self._refresh()
        except ReadingStoppedError:
            return None
        except Exception as error:  # a thread that ends would tell nobody, and say nothing
            logging.getLogger(__name__).exception("telling %s failed", self._receiver.name)
            return Answer(None, f"a fault of pitproof itself: {error}", 0.0)

    def _tell_all(self) -> Answer | None:
        """Tell all that waits; the answer with which that ended, if it was not a good one."""
        news_at, self._news_at = self._news_at, None
        while letters := self._letters():
            for batch in self._batches(letters):
                if time.monotonic() > self._deadline:
                    return None
                answer = self._channel.send(batch)
                if answer.is_good:
                    self._taken(batch, news_at)
                elif answer.is_refused and len(batch) == 1:
                    self._refused(batch[0], answer)
                else:
                    self._one_by_one_if(answer)
                    if answer.status is not None and len(batch) == 1:
                        self._later(batch[0])  # it may be this one: begin with another
                    return answer
        return None

    def _batches(self, letters: Sequence[Letter]) -> Iterator[Sequence[Letter]]:
        for at in range(0, len(letters), self._at_once):
            yield letters[at : at + self._at_once]

    def _one_by_one_if(self, answer: Answer) -> None:
        """Where one of several may be what is wrong with a request, each goes by itself."""
        if answer.is_of_content:
            self._at_once = 1

    def _letters(self) -> list[Letter]:
        """What waits, but for what was put off."""
        now = time.monotonic()
        letters = []
        for one in self._outbox.waiting(
            [name for name, (_, at) in self._put_off.items() if at > now]
        ):
            if one.clearing is not None:
                told = self._teller.told_cleared(one.clearing)
            else:
                assert one.alert is not None, "an alert waits, or its clearing"
                told = self._teller.told(one.alert)
            letters.append(Letter(told, one.told_severity))
        return letters

    def _taken(self, letters: Sequence[Letter], news_at: float | None) -> None:
        for told, _ in letters:
            is_open = told["status"] == "open"
            self._outbox.note(told["id"], told["count"], told["severity"], is_open=is_open)
            self._put_off.pop(told["id"], None)
        if self._failures:
            self._failures = 0
            self._put_off.clear()  # it takes alerts again: perhaps those, too
        self._metrics.alert_deliveries.labels(self._receiver.name, "delivered").inc(len(letters))
        if news_at is not None:
            self._metrics.alert_delay.observe(time.monotonic() - news_at)

    def _refused(self, letter: Letter, answer: Answer) -> None:
        """The receiver does not like this one: others go on, and it is sent again later."""
        self._later(letter)
        self._count_failure(f"alert {letter.told['id']} is refused: {answer.words}")

    def _later(self, letter: Letter) -> None:
        failures = self._put_off.get(letter.told["id"], (0, 0.0))[0] + 1
        self._put_off[letter.told["id"]] = failures, time.monotonic() + 2 * _wait(failures)

    def _refresh(self) -> Answer | None:
        """Tell again what is open, where a receiver forgets."""
        every = self._channel.refresh_seconds
        if every is None or time.monotonic() - self._refreshed_at < every:
            return None
        self._refreshed_at = time.monotonic()
        letters = [Letter(self._teller.told(one), None) for one in self._outbox.still_open()]
        failure = None
        for batch in self._batches(letters):
            answer = self._channel.send(batch)
            if not answer.is_good:
                self._refreshed_at = 0.0  # what was not told again is, as soon as it can be
                failure = answer
                if len(batch) > 1 or not answer.is_of_content:
                    break  # else it may be this one: the others are told
        if failure is not None:
            self._one_by_one_if(failure)
        return failure

    # --- how it goes ---

    def _failed(self, answer: Answer) -> float:
        """Say so; how long to wait."""
        self._failures += 1
        self._count_failure(answer.words)
        return max(_wait(self._failures), min(answer.retry_after_seconds, RETRY_SECONDS_MAX))

    def _count_failure(self, words: str) -> None:
        name = self._receiver.name
        self._metrics.alert_deliveries.labels(name, "failed").inc()
        with suppress(PitproofError):
            self._metrics.alerts_waiting.labels(name).set(self._outbox.count())
        self._state.trouble(
            Problem(
                "alerts_undelivered",
                name,
                f"{name}: alerts wait: {words}",
                "they wait in the history; see the receiver, then try `pitproof alerts test`",
                is_stopping=False,
            )
        )

    def _went_well(self) -> None:
        self._failures = 0
        self._metrics.alerts_waiting.labels(self._receiver.name).set(len(self._put_off))
        if not self._put_off:
            self._at_once = self._channel.letters_max
            self._state.solved("alerts_undelivered", self._receiver.name)


def _wait(failures: int) -> float:
    """Twice as long each time; not all at the same moment."""
    wait: float = min(RETRY_SECONDS_MIN * 2 ** min(failures - 1, 10), RETRY_SECONDS_MAX)
    return wait * random.uniform(0.8, 1.2)  # noqa: S311 (spreads load, keeps no secret)
