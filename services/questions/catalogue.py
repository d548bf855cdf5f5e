"""The canned questions: read from their files, their parameters checked, their SQL filled in.

A file begins with comments: the title, a paragraph on what it answers, then each parameter as
`--name KIND = DEFAULT` with a line about it below. The default is `LAST_DAY` (the last gaming day
that the history holds), `FIRST_OF_MONTH` (of that day's month) or SQL; without one the parameter
must be given. In the SQL, `$name` stands for the value: it is put in as a literal of its kind, so
that a question is one SELECT like any that people write, and runs in the same sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from typing import Final

from services.choices import check_days, no_such
from services.errors import BadArgumentError

_PARAMETER: Final = re.compile(r"--([a-z_]+) ([A-Z]+)(?: = (.+))?")
_IN_SQL: Final = re.compile(r"\$([a-z_]+)")
_DOLLARS_DIGITS_MAX: Final = 15
NUMBER_MAX: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """What may be said to a question."""

    name: str
    kind: str
    default: str | None
    """SQL; None: it must be given."""
    said: str


@dataclass(frozen=True, slots=True)
class CannedQuestion:
    """A question with its name, as `overpaid-by-dealer`."""

    name: str
    title: str
    answers: str
    parameters: tuple[Parameter, ...]
    sql: str

    def days(self, values: Mapping[str, str], last_day: date) -> tuple[date, date] | None:
        """First and last gaming day that the rows are of, where the values do not name both."""
        if {"from", "to"} - {parameter.name for parameter in self.parameters}:
            return None
        if {"from", "to"} <= set(values):
            return None
        first = values.get("from", last_day.replace(day=1).isoformat())
        last = values.get("to", last_day.isoformat())
        return date.fromisoformat(first), date.fromisoformat(last)

    def filled(self, values: Mapping[str, str], last_day: date) -> str:
        """The SELECT with these values, each as people write it.

        Days are put in as such rather than asked for in the SQL: only a day that the database knows
        beforehand keeps it from reading all others.

        Raises:
            BadArgumentError: a value that does not do, one that is missing, or one too many.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                flags = [f"--{one}" for one in known]
                no_such(f"ask {self.name}", f"--{name}", flags, what="parameter")
        days = {
            "LAST_DAY": f"DATE '{last_day}'",
            "FIRST_OF_MONTH": f"DATE '{last_day.replace(day=1)}'",
        }
        literals = {}
        for name, parameter in known.items():
            if name in values:
                literals[name] = KINDS[parameter.kind](f"--{name}", values[name])
            elif parameter.default is not None:
                literals[name] = days.get(parameter.default, parameter.default)
            else:
                raise BadArgumentError(
                    f"ask {self.name}: --{name} is missing", next_step=f"it is {parameter.said}"
                )
        if "from" in values and "to" in values:
            check_days(*(date.fromisoformat(values[name]) for name in ("from", "to")))
        return _IN_SQL.sub(lambda match: literals[match[1]], self.sql)


def names() -> list[str]:
    """Every question, in order."""
    folder = files("services.questions")
    found = [one.name for one in folder.iterdir() if one.name.endswith(".sql")]
    return sorted(name.removesuffix(".sql").replace("_", "-") for name in found)


def question(name: str) -> CannedQuestion:
    """The question of that name; `_` and `-` are the same.

    Raises:
        BadArgumentError: there is none; the message names those there are.
    """
    asked = name.replace("_", "-").lower()
    if asked not in names():
        no_such("ask", name, names(), what="question")
    file = files("services.questions") / f"{asked.replace('-', '_')}.sql"
    return parsed(asked, file.read_text("utf-8"))


def questions() -> list[CannedQuestion]:
    """All of them."""
    return [question(name) for name in names()]


def parsed(name: str, text: str) -> CannedQuestion:
    """A file's text, taken apart."""
    head, _, sql = text.partition("\n\n")
    lines = [line.removeprefix("--").strip() for line in head.splitlines()]
    parameters: list[Parameter] = []
    paragraph: list[str] = []
    for line in lines[1:]:
        declared = _PARAMETER.fullmatch(line)
        if declared:
            parameters.append(Parameter(declared[1], declared[2], declared[3], ""))
        elif parameters and line:
            last = parameters[-1]
            said = f"{last.said} {line}".strip()
            parameters[-1] = Parameter(last.name, last.kind, last.default, said)
        elif line:
            paragraph.append(line)
    return CannedQuestion(name, lines[0], " ".join(paragraph), tuple(parameters), sql.strip())


def _day(flag: str, value: str) -> str:
    try:
        return f"DATE '{date.fromisoformat(value)}'"
    except ValueError:
        raise BadArgumentError(
            f"{flag} {value}: is not a day", next_step=f"write it as {flag} 2026-04-18"
        ) from None


def _text(flag: str, value: str) -> str:
    if not value or "\0" in value:
        raise BadArgumentError(f"{flag} {value!r}: is empty, or no text")
    return "'" + value.replace("'", "''") + "'"


def _game(flag: str, value: str) -> str:
    from replay.vocabulary import Game

    games = [one.name for one in Game if one is not Game.UNKNOWN]
    if value not in games:
        no_such(flag, value, games, what="game")
    return f"'{value}'"


def _dollars(flag: str, value: str) -> str:
    try:
        amount = Decimal(value.strip().lstrip("$").replace(",", ""))
        cents = amount * 100
        if not amount.is_finite() or cents != cents.to_integral_value() or amount < 0:
            raise InvalidOperation
        if amount.adjusted() > _DOLLARS_DIGITS_MAX:
            raise InvalidOperation
    except InvalidOperation:
        raise BadArgumentError(
            f"{flag} {value}: is not an amount in dollars", next_step="write it as 25 or '$25.50'"
        ) from None
    return f"{amount:f}"


def _number(flag: str, value: str) -> str:
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
    if not 1 <= number <= NUMBER_MAX:
        raise BadArgumentError(f"{flag} {value}: is not a whole number from 1 to {NUMBER_MAX:,}")
    return str(number)


KINDS: Final[dict[str, Callable[[str, str], str]]] = {
    "DAY": _day,
    "TEXT": _text,
    "TABLE": _text,
    "GAME": _game,
    "DOLLARS": _dollars,
    "NUMBER": _number,
}
"""Kind of a parameter -> what makes a literal of a value."""
