"""What a text in SQL may be: one SELECT over the views, as the database's own parser reads it.

The walls of the sandbox are the process and the configuration of its database. This check stands
before them: it says no in words, and keeps what is harmless but private (the path of the history,
its settings) from being asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

READING_NODES: Final = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
)
"""Parts of a statement that only read; everything else that is a node writes."""

TABLE_FUNCTIONS: Final = frozenset(
    {"unnest", "range", "generate_series", "json_each", "json_tree", "repeat", "repeat_row"}
)

CATALOGUE: Final = frozenset({"tables", "columns"})
"""Of `information_schema`: names and types of the views, no paths."""

PRIVATE_FUNCTIONS: Final = frozenset(
    {"current_setting", "getvariable", "write_log", "current_query"}
)


class NotAllowedError(Exception):
    """The text is no question that may be put; the message says why."""


def check(parsed: Mapping[str, Any], kinds: list[str], views: frozenset[str]) -> None:
    """Refuse everything but one SELECT over the views.

    `parsed` is what `json_serialize_sql` makes of the text, `kinds` the statements that it has.

    Raises:
        NotAllowedError: it is something else; the message says what.
    """
    if not kinds:
        raise NotAllowedError("there is no statement in it")
    if len(kinds) > 1:
        raise NotAllowedError(f"these are {len(kinds)} statements, and one is allowed")
    if kinds == ["MULTI"]:
        raise NotAllowedError("PIVOT must name its columns: PIVOT … ON game IN ('RUN_EM_TWICE', …)")
    if kinds != ["SELECT"] or parsed.get("error"):
        raise NotAllowedError(f"{kinds[0]} is not allowed: only SELECT, VALUES and WITH are")
    for part, named in _parts(parsed):
        _check_part(part, views, named)


def _check_part(part: Mapping[str, Any], views: frozenset[str], named: frozenset[str]) -> None:
    kind = part.get("type")
    if isinstance(kind, str) and kind.endswith("_NODE") and kind not in READING_NODES:
        verb = kind.removesuffix("_NODE").removesuffix("_QUERY")
        raise NotAllowedError(f"{verb} is not allowed, in a WITH neither: this only reads")
    if kind == "SHOW_REF":
        raise NotAllowedError(
            "DESCRIBE, SHOW and SUMMARIZE are not allowed: `pitproof sql --help` names all columns"
        )
    if kind == "BASE_TABLE":
        _check_table(_path(part), views, named)
    if kind == "TABLE_FUNCTION":
        name = _path(part["function"])[-1]
        if name not in TABLE_FUNCTIONS:
            raise NotAllowedError(f"the function {name} may not be read from")
    if part.get("class") == "FUNCTION" and _path(part)[-1] in PRIVATE_FUNCTIONS:
        raise NotAllowedError(f"the function {_path(part)[-1]} is not allowed")


def _check_table(path: list[str], views: frozenset[str], named: frozenset[str]) -> None:
    """`named` are what a WITH around it names: they go before a view, and are in no schema."""
    if path[-1] in views and path[:-1] in ([], ["main"]):
        return
    if path[-1] in named and path[:-1] == []:
        return
    if path[:-1] == ["information_schema"] and path[-1] in CATALOGUE:
        return
    there_is = ", ".join(sorted(views | named))
    raise NotAllowedError(f"there is no view {'.'.join(path)}: there is {there_is}")


def _path(part: Mapping[str, Any]) -> list[str]:
    """The name of a table or function, its catalogue and schema before it, in lower case."""
    said = part.get("qualified_name") or {}
    path = _list(said.get("path")) or [part.get("table_name") or part.get("function_name") or ""]
    return [_lower(str(one)) for one in path if one] or [""]


def _lower(name: str) -> str:
    """As the database holds names alike: by the letters of ASCII and no others."""
    return name.encode().lower().decode()


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _parts(parsed: object) -> Iterator[tuple[Mapping[str, Any], frozenset[str]]]:
    """Every object within, however deep, and what a WITH has named where it stands.

    As the database resolves names: what a WITH names is seen by what comes after it and by the
    statement that it stands before, and nowhere else; by itself only where it recurs. No recursion
    here: a text may nest as it likes.
    """
    waiting: list[tuple[object, frozenset[str]]] = [(parsed, frozenset())]
    while waiting:
        one, named = waiting.pop()
        if isinstance(one, dict):
            yield one, named
            for entry in _list((one.get("cte_map") or {}).get("map")):
                waiting.append((entry, named))
                named |= {_lower(entry["key"])}
            for key, value in one.items():
                if key == "right" and one.get("type") == "RECURSIVE_CTE_NODE":
                    waiting.append((value, named | {_lower(one["cte_name"])}))
                elif key != "cte_map":
                    waiting.append((value, named))
        elif isinstance(one, list):
            waiting.extend((each, named) for each in one)
