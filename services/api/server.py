"""The HTTP interface of a service, in a thread of its own, from its start to its end.

    with serving(history, state, settings, listen="127.0.0.1:8642"):
        ...the thread that writes goes on here, and looks after `state.ask`...

Once it answers, `PATH.api` lies beside the history; before the history is closed, it is gone.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Final, Protocol

import uvicorn

from services.alerts.delivery import delivering
from services.alerts.receivers import receivers_of
from services.api.address import ServiceAddress, remove_address, write_address
from services.api.answering import Answering, Writer
from services.api.app import Instance, application
from services.api.health import Health, Watched
from services.api.patience import PatientProtocol
from services.errors import BadArgumentError, PitproofError
from services.metrics import Metrics

if TYPE_CHECKING:
    from fastapi import FastAPI

    from services.history.store import History
    from services.live.state import Problem, TransactionFacts
    from services.settings import Settings

DEFAULT_LISTEN: Final = "127.0.0.1:8642"
ANY_LISTEN: Final = "127.0.0.1:0"

START_SECONDS_MAX: Final = 10.0
STOP_SECONDS_MAX: Final = 1.5
"""Of the five that a stop of the service may take; questions under way are broken off first."""

CONNECTIONS_MAX: Final = 64
BACKLOG: Final = 64
PORT_MAX: Final = 65_535


class ListenError(PitproofError):
    """The address to listen at cannot be had."""

    code = "cannot_listen"


class ServiceLike(Watched, Writer, Protocol):
    """What of a service is needed here: `services.live.state.ServiceState`."""

    def subscribe(self, listener: Callable[[TransactionFacts], None]) -> None:
        """Tell of each transaction."""

    def subscribe_sealed(self, listener: Callable[[float], None]) -> None:
        """Tell of each gaming day that was sealed, and in how many seconds."""

    def trouble(self, problem: Problem) -> bool:
        """Say a problem."""

    def solved(self, code: str, where: str) -> bool:
        """Say that one is over."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What runs."""

    address: ServiceAddress
    metrics: Metrics
    app: FastAPI
    """To add pages to."""


@contextmanager
def serving(
    history: History,
    state: ServiceLike,
    settings: Settings,
    *,
    listen: str | None = None,
    metrics: Metrics | None = None,
) -> Iterator[Serving]:
    """Answer at an address for as long as the body runs. Port 0: one that is free.

    Without an address it is the usual one, or, where another service has that, one that is free:
    commands find either by `PATH.api`.

    Raises:
        BadArgumentError: `listen` is not of the form HOST:PORT.
        ListenError: the address cannot be had.
    """
    assert not history.temporary
    door = _usual() if listen is None else _bound(listen)
    metrics = metrics or Metrics()
    state.subscribe(metrics.committed)
    state.subscribe_sealed(metrics.sealed)
    answering = Answering(history, state, settings, metrics)
    address = _address(door)
    health = Health(state, metrics, settings.alert_critical_cents)
    app = application(answering, health, metrics.exposition, token=address.token)
    server = uvicorn.Server(
        uvicorn.Config(
            Instance(app, address.instance),
            http=PatientProtocol,
            log_config=None,
            log_level="warning",
            access_log=False,
            lifespan="off",
            limit_concurrency=CONNECTIONS_MAX,
            timeout_graceful_shutdown=1,
            server_header=False,
            ws="none",
        )
    )
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [door]}, name="pitproof-http", daemon=True
    )
    try:
        thread.start()
        _await_start(server, thread, address.url)
        write_address(history.path, address)
        yield Serving(address, metrics, app)
    finally:
        remove_address(history.path)
        answering.close()
        server.should_exit = True
        thread.join(STOP_SECONDS_MAX)
        if thread.is_alive():
            server.force_exit = True
            thread.join(STOP_SECONDS_MAX)
        with suppress(OSError):
            door.close()


def beside(
    settings: Settings, listen: str | None, say: Callable[[str, Mapping[str, object]], None]
) -> Callable[[History, ServiceLike], AbstractContextManager[Serving]]:
    """What `services.live.running.run_service` takes to have this run beside it, and alerts told.

    Raises:
        BadSettingError: a receiver of alerts that cannot be.
    """
    receivers = receivers_of(settings)

    @contextmanager
    def around(history: History, state: ServiceLike) -> Iterator[Serving]:
        with (
            serving(history, state, settings, listen=listen) as stands,
            delivering(history, state, settings, stands.metrics, receivers),
        ):
            say("answering", {"at": stands.address.url})
            yield stands

    return around


def _usual() -> socket.socket:
    try:
        return _bound(DEFAULT_LISTEN)
    except ListenError:
        return _bound(ANY_LISTEN)


def _bound(listen: str) -> socket.socket:
    """A socket at that address, before anything else is begun."""
    host, colon, port = listen.rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not port.isdecimal() or int(port) > PORT_MAX:
        raise BadArgumentError(
            f"--listen {listen}: is not of the form HOST:PORT",
            next_step=f"for instance --listen {DEFAULT_LISTEN}",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.socket(family, socket.SOCK_STREAM)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind((host, int(port)))
        door.listen(BACKLOG)  # two may be bound to a port, as long as neither listens
        door.set_inheritable(False)
    except OSError as error:
        door.close()
        raise ListenError(
            f"--listen {listen}: cannot be had: {error.strerror or error}",
            next_step="stop what listens there, or take another port (0: any that is free)",
        ) from error
    return door


def _address(door: socket.socket) -> ServiceAddress:
    host, port = door.getsockname()[:2]
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared only)
    shown = f"[{reached}]" if ":" in reached else reached
    return ServiceAddress(
        version=1,
        url=f"http://{shown}:{port}",
        host=reached,
        port=port,
        token=secrets.token_urlsafe(32),
        instance=secrets.token_hex(8),
        process_id=os.getpid(),
        program=version("pitproof"),
    )


def _await_start(server: uvicorn.Server, thread: threading.Thread, url: str) -> None:
    deadline = time.monotonic() + START_SECONDS_MAX
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise ListenError(f"{url}: the HTTP interface did not start")
        time.sleep(0.01)
