"""A question to a history: its name, what it takes, what it gives, who carries it out.

The same object serves everywhere. A command hands it to `services.client`, which carries it out on
the file, or has the service that owns the file do so; the service finds it in
`services.queries.registry` under its name. What it takes and gives crosses between the two as JSON
of those very types, so that what is shown of it afterwards is the same, byte for byte.

A new one is a module beside this one and a line in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, get_origin, get_type_hints

import msgspec

from services.errors import BadArgumentError
from services.settings import Settings

if TYPE_CHECKING:
    from services.history.store import History

SECONDS_MAX: Final = 60.0
"""A question that people wait for; one that reads the whole history says how long it may."""

A = TypeVar("A", bound=msgspec.Struct)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class About:
    """What a question is carried out with, besides what it takes."""

    settings: Settings = field(default_factory=Settings)
    """Of whoever carries it out: a service has its own, and its history was made by those."""
    named: str = ""
    """How the one who asks names the history; for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Generic[A, R]):
    """One question. `run` asks the history and nothing else, so that it may run anywhere."""

    name: str
    """That of the command, and of its place below `/api/`."""
    takes: type[A]
    """Its fields are named as the flags of the command are."""
    gives: Callable[[], Any]
    """The type of the result; looked up late, since some are costly to import."""
    run: Callable[[History, A, About], R]
    told: Callable[[R], Iterable[bytes]]
    """The JSON of the contract, as `--format json` prints it."""
    writes: bool = False
    """Whether it changes the history: then it opens its own transaction, in the writer's turn."""
    seconds_max: float = SECONDS_MAX
    afterwards: Callable[[History, About], object] | None = None
    """What a service enters of it in the writer's turn, before it answers; else whoever runs it
    does so itself."""

    def asked(self, body: bytes) -> A:
        """What is asked, out of a JSON object.

        Raises:
            BadArgumentError: it is none, or not of this question.
        """
        try:
            return msgspec.json.decode(body or b"{}", type=self.takes)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BadArgumentError(f"{self.name}: {error}") from error

    def asked_by_words(self, words: Iterable[tuple[str, str]]) -> A:
        """What is asked, out of words as they stand behind the `?` of an address.

        Raises:
            BadArgumentError: a name or value that does not do.
        """
        values: dict[str, Any] = {}
        several = self._several()
        for name, word in words:
            if name in several:
                values.setdefault(name, []).append(word)
            elif name in values:
                raise BadArgumentError(f"{self.name}: {name} is given twice")
            else:
                values[name] = word
        try:
            return msgspec.convert(values, self.takes, strict=False)
        except msgspec.MsgspecError as error:
            raise BadArgumentError(f"{self.name}: {error}") from error

    def result(self, body: bytes) -> R:
        """The result, as another process has encoded it.

        Raises:
            msgspec.MsgspecError: it is not of this question, or of another version of it.
        """
        decoded: R = msgspec.json.decode(body, type=self.gives())
        return decoded

    def _several(self) -> set[str]:
        """The names of fields that take any number of values."""
        hints: Mapping[str, Any] = get_type_hints(self.takes)
        return {
            one.encode_name
            for one in msgspec.structs.fields(self.takes)
            if get_origin(hints[one.name]) in (list, tuple)
        }
