"""Writer schemas by their number, from a registry that speaks Confluent's protocol.

What a number stands for never changes, so an answer is kept for as long as the process runs, and
the schema itself in the history. A number that the registry does not know is asked for again after
a while. That the registry does not answer is nobody's dead letter: the partition waits.
"""

from __future__ import annotations

import base64
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import Any, Final

from services.errors import BadSettingError
from services.schemas import JsonSchema

ANSWER_SECONDS_MAX: Final = 5.0
"""A registry that is silent would hold the loop until the group gives the partitions away."""

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
        self, url: str, secret: str = "", now: Callable[[], float] = time.monotonic
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
        self._headers = {"Accept": "application/vnd.schemaregistry.v1+json"}
        if secret:
            packed = base64.b64encode(secret.encode()).decode()
            self._headers["Authorization"] = f"Basic {packed}"
        self._now = now
        self._known: dict[int, JsonSchema] = {}
        self._unknown: dict[int, tuple[float, str]] = {}

    def schema(self, number: int) -> JsonSchema:
        """The schema of that number.

        Raises:
            UnknownSchemaError: there is none, or it is not Avro by itself.
            RegistryUnreachableError: the registry does not answer.
        """
        if number in self._known:
            return self._known[number]
        self._forget_old()
        if number in self._unknown:
            raise UnknownSchemaError(self._unknown[number][1])
        if len(self._unknown) >= UNKNOWN_MAX:
            raise UnknownSchemaError(
                f"schema {number} was not asked for: {UNKNOWN_MAX} unknown ones came just before"
            )
        try:
            self._known[number] = self._ask(number)
        except UnknownSchemaError as error:
            self._unknown[number] = (self._now(), str(error))
            raise
        return self._known[number]

    def _forget_old(self) -> None:
        since = self._now() - UNKNOWN_SECONDS
        self._unknown = {key: kept for key, kept in self._unknown.items() if kept[0] > since}

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
        request = urllib.request.Request(url, headers=self._headers)  # noqa: S310 (checked above)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS_MAX) as response:  # noqa: S310
                body = response.read(SCHEMA_BYTES_MAX + 1)
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
