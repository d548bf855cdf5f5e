"""Asks a history, or the service that owns it: commands need not know which.

While `pitproof serve` owns a history, no other process can even read the file (DuckDB lets one
process have it). So every command with `--db` asks by `ask(query, db, asked)`:

    report = ask(FINDINGS, path, FindingsAsked(table="DD-07"), settings)

It looks for `PATH.api` beside the history first. If the service named there answers, it carries the
question out, and what comes back is the very object that the question gives on the file, so that
the same output is printed, byte for byte. Without a service that answers, the file is opened and
asked here. A file that is owned by something else is an error with the owner's process. A failure
within the service is raised here with its code, message and next step.

A new command gets all this by making its question a `services.queries.query.Query`, putting that
into the registry, and calling `ask`. A question that writes is the same: the service does it in the
writer's turn. What must not run beside a service (`audit --db`, `rebuild`) opens the file itself,
and ends with who owns it.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar
from urllib.parse import quote

import msgspec

from services.api.address import (
    INSTANCE_HEADER,
    NAMED,
    REPORT_FORM,
    ServiceAddress,
    read_address,
    remove_address,
)
from services.errors import PitproofError
from services.queries.query import About, Query
from services.settings import Settings

CONNECT_SECONDS_MAX: Final = 5.0
"""A service on this machine takes a connection at once, or hangs."""

GRACE_SECONDS: Final = 15.0
"""Past the time that a question may take: the service ends it by itself, and says so."""

BUSY_SECONDS_MAX: Final = 20.0
BUSY_PAUSE_SECONDS: Final = 0.5
BUSY: Final = "service_busy"

A = TypeVar("A", bound=msgspec.Struct)
R = TypeVar("R")


class ServiceSaidError(PitproofError):
    """A failure within the service, told here as it was there."""

    def __init__(self, code: str, message: str, next_step: str) -> None:
        super().__init__(message, next_step=next_step)
        self.code = code  # type: ignore[misc] # this one carries the code of another


class ServiceFailedError(PitproofError):
    """The service took a question and gave no answer to it that can be used."""

    code = "service_failed"


class _NoServiceError(Exception):
    """Nobody answers there who owns this history."""


def ask(query: Query[A, R], db: str, asked: A, settings: Settings) -> R:
    """What a question to the history at `db` gives, whoever owns it.

    Raises:
        PitproofError: the history cannot be asked, or the question does not do.
    """
    path = Path(db)
    answer = _ask_service(query, path, asked, db)
    if answer is not None:
        return answer[0]
    from services.held import opened
    from services.history.errors import HistoryOwnedError

    try:
        with opened(path, create=False) as history:
            # It is ours now, so whoever wrote an address is gone: killed, or it had been removed.
            remove_address(path)
            return query.run(history, asked, About(settings, db))
    except HistoryOwnedError:
        answer = _ask_service(query, path, asked, db)  # it may have begun just now
        if answer is not None:
            return answer[0]
        raise


def _ask_service(query: Query[A, R], path: Path, asked: A, named: str) -> tuple[R] | None:
    """The service's answer; None where there is no service."""
    deadline = time.monotonic() + BUSY_SECONDS_MAX
    while (address := read_address(path)) is not None:
        try:
            body = _post(address, query.name, asked, named, query.seconds_max + GRACE_SECONDS)
        except _NoServiceError:
            return None
        except ServiceSaidError as error:
            if error.code != BUSY or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_PAUSE_SECONDS)
            continue
        try:
            return (query.result(body),)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ServiceFailedError(
                f"{address.url}: the answer to {query.name} is not one that this program knows: "
                f"the service is pitproof {address.program}",
                next_step="use the same version for both",
            ) from error
    return None


def _post(
    address: ServiceAddress, name: str, asked: msgspec.Struct, named: str, seconds_max: float
) -> bytes:
    """The body of a good answer."""
    connection = http.client.HTTPConnection(address.host, address.port, timeout=CONNECT_SECONDS_MAX)
    try:
        try:
            connection.connect()
        except OSError as error:
            raise _NoServiceError from error
        assert connection.sock is not None
        connection.sock.settimeout(seconds_max)
        connection.request(
            "POST",
            f"/api/{name}?{NAMED}={quote(named, safe='', errors='surrogateescape')}",
            body=msgspec.json.encode(asked),
            headers={
                "Authorization": f"Bearer {address.token}",
                "Content-Type": "application/json",
                "Accept": REPORT_FORM,
            },
        )
        answer = connection.getresponse()
        instance = answer.getheader(INSTANCE_HEADER)
        if instance is None and answer.status == http.client.SERVICE_UNAVAILABLE:
            _raise_full(address)  # said by the server itself, before anybody is asked
        if instance != address.instance:
            raise _NoServiceError  # another program has the port now
        body = answer.read()
        if answer.status != http.client.OK:
            _raise(body, address)
        return body
    except TimeoutError as error:
        raise ServiceFailedError(
            f"{address.url}: no answer to {name} within {seconds_max:.0f} s",
            next_step=f"see what process {address.process_id} is doing, or ask again",
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise ServiceFailedError(
            f"{address.url}: the service broke off: {error or type(error).__name__}",
            next_step="ask again; if it was stopped meanwhile, the file is asked",
        ) from error
    finally:
        connection.close()


def _raise_full(address: ServiceAddress) -> NoReturn:
    try:
        os.kill(address.process_id, 0)
    except ProcessLookupError:
        raise _NoServiceError from None  # another program has the port now
    except PermissionError:
        pass  # of another user, so it is there
    raise ServiceSaidError(
        BUSY, f"{address.url}: takes no more connections now", "ask again in a moment"
    )


def _raise(body: bytes, address: ServiceAddress) -> NoReturn:
    try:
        said: dict[str, Any] = json.loads(body)
        error = ServiceSaidError(str(said["code"]), str(said["message"]), str(said["next_step"]))
    except (ValueError, KeyError, TypeError):
        raise ServiceFailedError(f"{address.url}: an answer that cannot be read") from None
    raise error
