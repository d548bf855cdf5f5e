"""Strict reading of TOML: every key is asked for by type, and a key nobody asked for is an error.

Source: none; this is the door of the rule data. An error names the file, the key, what is wrong
there and what to do about it, because rule data are written by people who do not read Python.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import IntEnum
from typing import ClassVar, Final, TypeVar

CLAUSE: Final = re.compile(r"(\([0-9]{1,2}\))(\([a-z]\))?")
IDENTIFIER: Final = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*")

_Enum = TypeVar("_Enum", bound=IntEnum)
_Value = TypeVar("_Value")


class RulebookError(Exception):
    """Rule data that cannot be used, or a question that they do not answer."""

    code: ClassVar[str] = "rulebook_error"

    def __init__(self, *, file: str, key: str, problem: str, next_step: str) -> None:
        """Keep the place, what is wrong there, and what to do next."""
        self.file = file
        self.key = key
        self.problem = problem
        self.next_step = next_step
        super().__init__(f"{file}, {key}: {problem}. Next step: {next_step}.")


class Fields:
    """One TOML table that is emptied by asking; `finish` complains of what was not asked for."""

    def __init__(self, file: str, key: str, values: Mapping[str, object]) -> None:
        """Read `values`, which lie in `file` under `key` (empty: the whole file)."""
        self.file = file
        self._key = key
        self._left = dict(values)
        self._asked: list[str] = []

    def where(self, key: str) -> str:
        """The full path of a key."""
        return f"{self._key}.{key}" if self._key else key

    def wrong(self, key: str, problem: str, next_step: str) -> RulebookError:
        """An error at a key of this table, to be raised by the caller."""
        return RulebookError(
            file=self.file, key=self.where(key), problem=problem, next_step=next_step
        )

    def has(self, key: str) -> bool:
        """Whether an optional key is there, not yet asked for."""
        self._asked.append(key)
        return key in self._left

    def text(self, key: str) -> str:
        """A text that is not empty and has no blank at either end."""
        return self._text(key, self._take(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; an absent one is empty."""
        if not self.has(key):
            return ()
        return tuple(self._text(place, item) for place, item in self.items(key))

    def integer(self, key: str) -> int:
        """A whole number above 0."""
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.wrong(key, f"{value!r} is no whole number above 0", "write one, as in 1")
        return value

    def flag(self, key: str) -> bool:
        """True or false."""
        value = self._take(key)
        if not isinstance(value, bool):
            raise self.wrong(key, f"{value!r} is neither true nor false", "write one of the two")
        return value

    def day(self, key: str) -> date:
        """A date without a time."""
        value = self._take(key)
        if not isinstance(value, date) or isinstance(value, datetime):
            raise self.wrong(key, f"{value!r} is no date", "write it bare, as in 2022-08-09")
        return value

    def clause(self, key: str) -> str:
        """A clause number, lettered or not: "(7)", "(7)(d)"."""
        value = self.text(key)
        if not CLAUSE.fullmatch(value):
            raise self.wrong(key, f"{value!r} is no clause", "write it as in (7) or (7)(d)")
        return value

    def identifier(self, key: str) -> str:
        """Lower-case words joined by underscores."""
        value = self.text(key)
        if not IDENTIFIER.fullmatch(value):
            raise self.wrong(key, f"{value!r} is no id", "write it as in full_house")
        return value

    def choice(self, key: str, choices: Mapping[str, _Value]) -> _Value:
        """The value that a word stands for."""
        return self._choice(key, self._take(key), choices)

    def member(self, key: str, words: type[_Enum]) -> _Enum:
        """A word of the event contract, never its UNKNOWN."""
        return self.choice(key, _members(words))

    def members(self, key: str, words: type[_Enum]) -> tuple[_Enum, ...]:
        """Words of the event contract, at least one, each once."""
        found = tuple(self._choice(at, item, _members(words)) for at, item in self.items(key))
        if not found or len(set(found)) != len(found):
            raise self.wrong(key, "empty, or a word twice", "name each once")
        return found

    def items(self, key: str) -> list[tuple[str, object]]:
        """The items of a list, each with its own key for errors."""
        value = self._take(key)
        if not isinstance(value, list):
            raise self.wrong(key, f"{value!r} is no list", "write it in square brackets")
        return [(f"{key}[{index}]", item) for index, item in enumerate(value)]

    def tables(self, key: str, parse: Callable[["Fields"], _Value]) -> tuple[_Value, ...]:
        """Every table of a list, parsed and finished; an absent list is an error."""
        parsed = []
        for place, item in self.items(key):
            if not isinstance(item, dict):
                raise self.wrong(place, f"{item!r} is no table", f"write it as in [[{key}]]")
            fields = Fields(self.file, self.where(place), item)
            parsed.append(parse(fields))
            fields.finish()
        if not parsed:
            raise self.wrong(key, "empty", "write at least one")
        return tuple(parsed)

    def table(self, key: str) -> "Fields":
        """A table within this one; whoever asks finishes it."""
        value = self._take(key)
        if not isinstance(value, dict):
            raise self.wrong(key, f"{value!r} is no table", f"write it as in [{key}]")
        return Fields(self.file, self.where(key), value)

    def anything(self, key: str) -> object:
        """A value of any type, which the caller checks."""
        return self._take(key)

    def finish(self) -> None:
        """Complain of the first key that was not asked for."""
        for key in self._left:
            known = ", ".join(dict.fromkeys(self._asked))
            raise self.wrong(key, "no such key", f"take it out, or write one of: {known}")

    def _take(self, key: str) -> object:
        self._asked.append(key)
        if key not in self._left:
            raise self.wrong(key, "missing", "write it")
        return self._left.pop(key)

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or value != value.strip():
            raise self.wrong(
                key,
                f"{value!r} is no text, is empty or has a blank at an end",
                "write it in quotes",
            )
        return value

    def _choice(self, key: str, value: object, choices: Mapping[str, _Value]) -> _Value:
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(key, f"{value!r} is not known", f"use one of: {', '.join(choices)}")
        return choices[value]


def read_toml(file: str, text: str) -> Fields:
    """The text of a TOML file as fields.

    Errors: RulebookError where it is no TOML, with the parser's line and column.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulebookError(
            file=file, key="whole file", problem=f"no TOML: {error}", next_step="mend that line"
        ) from error
    return Fields(file, "", values)


def _members(words: type[_Enum]) -> dict[str, _Enum]:
    return {word.name: word for word in words if word.value}
