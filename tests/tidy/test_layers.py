"""Who may import whom: dashboards -> services -> replay, and nothing points back."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from tests.tidy.project import CODE, imports, modules, package_of, tree_of


@dataclass(frozen=True)
class Layer:
    """Modules below `folders`, except those below `but`, import nothing of `banned`."""

    folders: tuple[str, ...]
    banned: frozenset[str]
    but: tuple[str, ...] = ()

    def holds(self, name: str) -> bool:
        inside = name.startswith(tuple(f"{folder}/" for folder in self.folders))
        return inside and not name.startswith(tuple(f"{folder}/" for folder in self.but))


STREAMS_AND_WEB: Final = frozenset(
    "kafka fastavro http urllib requests httpx fastapi uvicorn socket socketserver ssl".split()
)
CLOCK_CHANCE_PLACE: Final = frozenset(
    "time sched random secrets numpy.random locale gettext".split()
)
"""What would give another result at another time, on another run or in another country."""

LAYERS: Final = {
    "replay stands alone": Layer(("replay",), frozenset({"services", "dashboards"})),
    "replay knows no stream and no web": Layer(("replay",), STREAMS_AND_WEB),
    "replay has no clock, chance or locale": Layer(("replay",), CLOCK_CHANCE_PLACE),
    "only the command line starts the console": Layer(
        ("services",), frozenset({"dashboards"}), but=("services/command_line",)
    ),
    "only the history speaks to DuckDB": Layer(
        CODE, frozenset({"duckdb"}), but=("services/history",)
    ),
    "nothing but tests imports tests": Layer(CODE, frozenset({"tests", "pytest", "hypothesis"})),
    "the oracle owes nothing to what it checks": Layer(("tests/oracle",), frozenset(CODE)),
}

NOW: Final = frozenset({"now", "utcnow", "today", "uuid1", "uuid4", "urandom"})


def offences(layer: Layer, tree: ast.AST, name: str) -> list[str]:
    return [
        f"{name}:{line} imports {imported}"
        for imported, line in imports(tree, package_of(name))
        if any(imported == banned or imported.startswith(f"{banned}.") for banned in layer.banned)
    ]


def clock_reads(tree: ast.AST, name: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in NOW:
            yield f"{name}:{node.lineno} reads {node.attr}"


@pytest.mark.parametrize("layer", LAYERS.values(), ids=LAYERS.keys())
def test_imports_stay_in_their_layer(layer: Layer) -> None:
    found = [
        offence
        for name in modules()
        if layer.holds(name)
        for offence in offences(layer, tree_of(name), name)
    ]
    assert found == []


def test_replay_never_asks_what_time_it_is() -> None:
    assert [read for name in modules("replay") for read in clock_reads(tree_of(name), name)] == []


def test_the_oracle_takes_nothing_from_other_tests() -> None:
    found = [
        f"{name}:{line} imports {imported}"
        for name in modules("tests/oracle")
        for imported, line in imports(tree_of(name), package_of(name))
        if imported.startswith("tests.") and not f"{imported}.".startswith("tests.oracle.")
    ]
    assert found == []


@pytest.mark.parametrize(
    ("name", "source", "broken"),
    [
        ("replay/a.py", "import services", "replay stands alone"),
        ("replay/games/a.py", "from services.history import store", "replay stands alone"),
        ("replay/a.py", "def f():\n    from kafka import x", "replay knows no stream and no web"),
        ("replay/a.py", "from numpy import random", "replay has no clock, chance or locale"),
        ("replay/a.py", "importlib.import_module('time')", "replay has no clock, chance or locale"),
        ("services/a.py", "import dashboards.console", "only the command line starts the console"),
        ("services/a.py", "import duckdb", "only the history speaks to DuckDB"),
        ("dashboards/a.py", "from duckdb import connect", "only the history speaks to DuckDB"),
        ("services/a.py", "from tests import oracle", "nothing but tests imports tests"),
        (
            "tests/oracle/a.py",
            "from replay.cards import x",
            "the oracle owes nothing to what it checks",
        ),
    ],
)
def test_an_offence_is_seen(name: str, source: str, broken: str) -> None:
    tree = ast.parse(source)
    found = [
        rule for rule, layer in LAYERS.items() if layer.holds(name) and offences(layer, tree, name)
    ]
    assert found == [broken]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("services/history/a.py", "import duckdb"),
        ("services/command_line/a.py", "from dashboards import console"),
        ("replay/a.py", "from . import timeline\nfrom replay import timekeeping"),
    ],
)
def test_what_is_allowed_is_let_pass(name: str, source: str) -> None:
    tree = ast.parse(source)
    assert [
        rule for rule, layer in LAYERS.items() if layer.holds(name) and offences(layer, tree, name)
    ] == []


def test_a_clock_is_seen() -> None:
    assert list(clock_reads(ast.parse("at = datetime.now(UTC)"), "a.py")) == ["a.py:1 reads now"]
