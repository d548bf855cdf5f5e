"""The style that no linter knows: lengths, names at the top, exact money, no loose ends."""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.tidy.project import CODE, ROOT, modules, project_files, tracked_files, tree_of

MODULE_LINES_MAX: Final = 400
FUNCTION_LINES_MAX: Final = 60

TOP: Final = frozenset(
    "CHANGELOG.md LICENSE Makefile README.md dashboards deploy pyproject.toml replay"
    " requirements.lock schemas services tests".split()
)
"""What stands visibly at the top of the project; a new name there is a decision."""

MONEY: Final = (
    "replay/games",
    "replay/settle",
    "replay/settle.py",
    "replay/judge",
    "replay/judge.py",
)
"""Where amounts are reckoned: integer cents, and a division says how it rounds."""

INEXACT: Final = frozenset(
    "float float16 float32 float64 floating longdouble true_divide divide mean average".split()
)

# Written so that this file does not hold what it looks for.
UNFINISHED: Final = re.compile(rb"\b(TO[D]O|FIX[M]E|XX[X])\b")
ELSEWHERE: Final = re.compile(
    rb"/wor[k]/|/tmp/bash[_]jobs|\.librar[y]|pypi[.]org|pythonhosted[.]org"
)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def inexact(tree: ast.AST) -> Iterator[int]:
    """The lines that could leave whole cents."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.BinOp(op=ast.Div(), lineno=line)
                | ast.AugAssign(op=ast.Div(), lineno=line)
                | ast.Constant(value=float() | complex(), lineno=line)
            ):
                yield line
            case ast.Name(id=word, lineno=line) | ast.Attribute(attr=word, lineno=line):
                if word in INEXACT:
                    yield line


def prints(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print" | "pprint"), lineno=line):
                yield line


def holding(pattern: re.Pattern[bytes], names: tuple[str, ...]) -> list[str]:
    return [
        f"{name}:{number}"
        for name in names
        for number, line in enumerate((ROOT / name).read_bytes().split(b"\n"), 1)
        if pattern.search(line)
    ]


def test_modules_are_short_enough_to_read() -> None:
    lengths = {name: len((ROOT / name).read_bytes().splitlines()) for name in modules()}
    assert {name: n for name, n in lengths.items() if n > MODULE_LINES_MAX} == {}


def test_functions_fit_a_screen() -> None:
    lengths = {
        f"{name}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for name in modules()
        for function in functions(tree_of(name))
    }
    assert {name: n for name, n in lengths.items() if n > FUNCTION_LINES_MAX} == {}


def test_nothing_new_stands_at_the_top() -> None:
    names = {name.split("/")[0] for name in tracked_files()}
    assert {name for name in names if not name.startswith(".")} - TOP == set()


def test_money_never_leaves_whole_cents() -> None:
    inside = [name for name in modules("replay") if name.startswith(MONEY)]
    assert [f"{name}:{line}" for name in inside for line in inexact(tree_of(name))] == []


def test_nothing_prints_but_benchmarks() -> None:
    inside = [name for name in modules() if not name.startswith("tests/bench/")]
    assert [f"{name}:{line}" for name in inside for line in prints(tree_of(name))] == []


def test_packages_are_named_and_hold_nothing() -> None:
    for name in modules(*CODE):
        if name.endswith("/__init__.py"):
            body = tree_of(name).body
            assert ast.get_docstring(tree_of(name)), f"{name} says nothing"
            assert len(body) == 1, f"{name} holds more than its docstring"


def test_every_folder_of_code_is_a_package() -> None:
    folders = {name.rpartition("/")[0] for name in modules(*CODE, "tests")}
    assert {f for f in folders if f"{f}/__init__.py" not in project_files()} == set()


def test_nothing_is_left_for_later_in_the_code() -> None:
    assert holding(UNFINISHED, project_files()) == []


def test_no_file_speaks_of_the_place_it_was_written_at() -> None:
    assert holding(ELSEWHERE, tracked_files()) == []


@pytest.mark.parametrize(
    "source",
    [
        "half = stake / 2",
        "half /= 2",
        "odds = 1.5",
        "due = np.zeros(3, dtype=np.float64)",
        "due = np.true_divide(stake, 2)",
        "due = float(stake)",
        "due = stakes.mean()",
    ],
)
def test_an_inexact_amount_is_seen(source: str) -> None:
    assert list(inexact(ast.parse(source))) == [1]


def test_whole_cents_are_let_pass() -> None:
    assert list(inexact(ast.parse("due = stake_cents * 3 // 2 - 5_00"))) == []


def test_a_print_is_seen() -> None:
    assert list(prints(ast.parse("print(1)"))) == [1]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (UNFINISHED, b"# TO|DO: later"),
        (ELSEWHERE, b"cd /wor|k/main"),
        (ELSEWHERE, b"~/.librar|y/x"),
    ],
)
def test_forbidden_words_are_seen(pattern: re.Pattern[bytes], words: bytes) -> None:
    assert pattern.search(words.replace(b"|", b""))
