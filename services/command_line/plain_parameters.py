"""Arguments passed on as the text they are.

typer checks values with pydantic, whose import takes a third of the time a small audit may take.
Our commands take text, lists of text and yes-or-no flags only, and check them themselves.
"""

from __future__ import annotations

from typing import Any


class _AsGiven:
    """Stands where typer would build a checker: one value or a list of them, unchanged."""

    def coerce(self, value: Any, param: Any, ctx: object) -> Any:
        """The value as the parser found it."""
        if param.multiple or param.nargs == -1:
            return list(value or ())
        return value


def take_as_given(command: Any) -> Any:
    """The same command, its text parameters (and those of its subcommands) taken as given."""
    for parameter in command.params:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None and descriptor.annotation is not bool:
            parameter._runtime_param = _AsGiven()
    for subcommand in getattr(command, "commands", {}).values():
        take_as_given(subcommand)
    return command
