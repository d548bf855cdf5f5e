"""Arguments passed on as the text they are.

typer checks values with pydantic, whose import takes a third of the time a small audit may take.
Our commands take text, lists of text and yes-or-no flags only, and check them themselves.
"""

from __future__ import annotations

from typing import Any

import typer.core


class _AsGiven:
    """Stands where typer would build a checker: one value or a list of them, unchanged."""

    def coerce(self, value: Any, param: Any, ctx: object) -> Any:
        """The value as the parser found it."""
        if param.multiple or param.nargs == -1:
            return list(value or ())
        return value


def take_as_given() -> None:
    """From now on take every parameter as given, those that typer adds itself among them."""
    setattr(typer.core, "build_runtime_param", _as_given)  # noqa: B010 (not in its exports)


def _as_given(descriptor: Any) -> Any:
    return _AsGiven()
