"""Error texts of dead letters: which field, what is wrong with it, what would be right."""

from __future__ import annotations

import re
from typing import Final

from services.decode.records import RecordSpec, specs

_FIELD: Final = re.compile(
    r"^(?P<what>.*?)(?: - at `\$\.(?P<field>\w+)(?P<inside>.*)`)?$", re.DOTALL
)
_NAMED: Final = re.compile(r"^Object (contains unknown|missing required) field `(.*)`$", re.DOTALL)
_ENUM: Final = re.compile(r"^Invalid enum value (.*)$", re.DOTALL)


def wrong_field(spec: RecordSpec, field: str, what: str) -> str:
    """The text for one field of a record."""
    return f"{spec.name}.{field}: {what}; allowed: {spec.fields[field].allowed()}"


def refused(spec: RecordSpec | None, message: str) -> str:
    """The text for what msgspec refused, put in the words of the contract.

    `spec` is None where it is not known which record was meant.
    """
    found = _FIELD.match(message)
    assert found is not None
    what, field = found["what"], found["field"]
    if field == "type" or what == "Object missing required field `type`":
        said = what if field else "missing"
        return f"type: {said}; allowed: one of {', '.join(specs())}"
    if spec is None:
        return f"no event: {message}; allowed: one JSON object with a type and its fields"
    named = _NAMED.match(what)
    if named and field is None:
        if named[1] == "missing required" and named[2] in spec.fields:
            return wrong_field(spec, named[2], "missing")
        return f"{spec.name}: unknown field {named[2][:60]!r}; allowed: {', '.join(spec.fields)}"
    if field is None or field not in spec.fields:
        return f"{spec.name}: {message}"
    unknown = _ENUM.match(what)
    if unknown:
        what = f"{unknown[1][:60]} is not known"
    return wrong_field(spec, field, what.replace("`", ""))
