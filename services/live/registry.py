"""Writer schemas by their number, from a registry that speaks Confluent's protocol.

What a number stands for never changes, so an answer is kept for as long as the process runs, and
the schema itself in the history. A number that the registry does not know is asked for again after
a while. That the registry does not answer is nobody's dead letter: the partition waits.
"""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future, wait
from http.client import HTTPException
from typing import Any, Final

from services.errors import BadSettingError
from services.schemas import JsonSchema

ANSWER_SECONDS_MAX: Final = 5.0
"""So long it may be silent, and so long its whole answer may take."""

PATIENT_SECONDS: Final = ANSWER_SECONDS_MAX + 1.0
"""Of whoever has nothing else to do."""

LOOP_SECONDS: Final = 1.0
"""Of a service, which reads other partitions meanwhile and may be told to stop."""

SCHEMA_BYTES_MAX: Final = 1 << 20
"""The union of all our records has 30 kB."""

UNKNOWN_SECONDS: Final = 30.0
"""A schema registered after its first message is found within that time."""

UNKNOWN_MAX: Final = 100
"""In that time. A producer who makes numbers up would have each of them asked for."""


class RegistryUnreachableError(Exception):
    """It does not answer now; what waits for it waits."""


class UnknownSchemaError(ValueError):
    """It has no such schema, or none that may be read with; the message says why."""


class Registry:
    """A registry at a URL; `secret` is `user:password`, from the environment."""

    def __init__(
        self,
        url: str,
        secret: str = "",
        now: Callable[[], float] = time.monotonic,
        patience_seconds: float = PATIENT_SECONDS,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise BadSettingError(f"schema registry {url!r}: is no http or https address")
        if parts.username or parts.password:
            raise BadSettingError(
                f"schema registry at {parts.hostname}: secrets do not belong into an address",
                next_step="put user:password into PITPROOF_REGISTRY_SECRET",
            )
        self.url = url.rstrip("/")
        self._secret = secret
        self._patience_seconds = patience_seconds
        self._asking: tuple[int, Future[JsonSchema]] | None = None
        self._now = now
        self._known: dict[int, JsonSchema] = {}
        self._unknown: dict[int, tuple[float, str]] = {}

    def schema(self, number: int) -> JsonSchema:
        """The schema of that number.

        Raises:
            UnknownSchemaError: there is none, or it is not Avro by itself.
            RegistryUnreachableError: the registry does not answer.
        """
        self._take_answer()
        if number in self._known:
            return self._known[number]
        self._forget_old()
        if number in self._unknown:
            raise UnknownSchemaError(self._unknown[number][1])
        if len(self._unknown) >= UNKNOWN_MAX:
            raise UnknownSchemaError(
                f"schema {number} was not asked for: {UNKNOWN_MAX} unknown ones came just before"
            )
        return self._awaited(number)

    def _forget_old(self) -> None:
        since = self._now() - UNKNOWN_SECONDS
        self._unknown = {key: kept for key, kept in self._unknown.items() if kept[0] > since}

    def _awaited(self, number: int) -> JsonSchema:
        """What it answers, if it does so before our patience ends; it may be asked for again."""
        if self._asking is None:
            self._asking = (number, self._begun(number))
        asked, answer = self._asking
        wait({answer} if asked == number else (), timeout=self._patience_seconds)
        if asked != number or not answer.done():
            raise RegistryUnreachableError(
                f"the registry at {self.url} has not answered yet for schema {asked}"
            )
        self._take_answer()
        return answer.result()

    def _take_answer(self) -> None:
        """Keep what came meanwhile, whoever asked for it."""
        if self._asking is None or not self._asking[1].done():
            return
        (number, answer), self._asking = self._asking, None
        error = answer.exception()
        if error is None:
            self._known[number] = answer.result()
        elif isinstance(error, UnknownSchemaError):
            self._unknown[number] = (self._now(), str(error))

    def _begun(self, number: int) -> Future[JsonSchema]:
        """Ask in a thread that nothing waits for at an end."""
        answer: Future[JsonSchema] = Future()

        def carried_out() -> None:
            try:
                answer.set_result(self._ask(number))
            except BaseException as error:
                answer.set_exception(error)

        threading.Thread(target=carried_out, name="pitproof-registry", daemon=True).start()
        return answer

    def _ask(self, number: int) -> JsonSchema:
        answer = self._answer(f"{self.url}/schemas/ids/{number}", number)
        kind = answer.get("schemaType", "AVRO")
        if kind != "AVRO":
            raise UnknownSchemaError(f"schema {number} of the registry is {kind}, not Avro")
        if answer.get("references"):
            raise UnknownSchemaError(
                f"schema {number} of the registry refers to others; it must be whole by itself"
            )
        try:
            return json.loads(answer["schema"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise UnknownSchemaError(f"schema {number} of the registry is no JSON") from error

    def _answer(self, url: str, number: int) -> dict[str, Any]:
        request = urllib.request.Request(url)  # noqa: S310 (checked above)
        request.add_header("Accept", "application/vnd.schemaregistry.v1+json")
        if self._secret:  # not for wherever it may send us
            packed = base64.b64encode(self._secret.encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {packed}")
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as response:  # noqa: S310
                body = _whole(response)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404:
                    raise UnknownSchemaError(
                        f"the registry at {self.url} has no schema {number}"
                    ) from None
                raise RegistryUnreachableError(
                    f"the registry at {self.url} answers {error.code} for schema {number}"
                ) from None
        except OSError as error:
            cause = getattr(error, "reason", None) or error
            raise RegistryUnreachableError(f"no registry at {self.url}: {cause}") from error
        except (HTTPException, ValueError) as error:
            raise RegistryUnreachableError(
                f"what answers at {self.url} is no schema registry: {type(error).__name__}"
            ) from error
        if len(body) > SCHEMA_BYTES_MAX:
            raise UnknownSchemaError(
                f"schema {number} of the registry is longer than {SCHEMA_BYTES_MAX} bytes"
            )
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RegistryUnreachableError(
                f"what answers at {self.url} is no schema registry"
            ) from error
        if not isinstance(answer, dict):
            raise RegistryUnreachableError(f"what answers at {self.url} is no schema registry")
        return answer


def _whole(response: Any) -> bytes:
    """An answer, or as much of it as shows that it is too long; in time, also by the byte.

    Raises:
        TimeoutError: it does not come to an end.
    """
    body, until = bytearray(), time.monotonic() + ANSWER_SECONDS_MAX
    while len(body) <= SCHEMA_BYTES_MAX and (part := response.read1(1 << 16)):
        body += part
        if time.monotonic() > until:
            raise TimeoutError(f"its answer took more than {ANSWER_SECONDS_MAX:.0f} s")
    return bytes(body)
