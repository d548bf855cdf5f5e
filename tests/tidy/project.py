"""What the checks of this folder look at: the project's files and their syntax trees."""

import ast
import functools
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CODE: Final = ("replay", "services", "dashboards")
PACKAGED: Final = (*CODE, "schemas")


@functools.cache
def project_files() -> tuple[str, ...]:
    """Every file that is tracked or about to be, as a path from the root."""
    return _git_files("--cached", "--others", "--exclude-standard")


@functools.cache
def tracked_files() -> tuple[str, ...]:
    """Every file that git tracks, as a path from the root."""
    return _git_files("--cached")


def modules(*folders: str) -> list[str]:
    """The Python modules below these folders; of the whole project without one."""
    return [
        name
        for name in project_files()
        if name.endswith(".py")
        and (not folders or name.startswith(tuple(f"{f}/" for f in folders)))
    ]


@functools.cache
def tree_of(name: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse((ROOT / name).read_bytes(), filename=name)


def imports(tree: ast.AST, package: str) -> Iterator[tuple[str, int]]:
    """Every module that a tree imports, wherever in it, as an absolute name with its line.

    `from a import b` gives `a` and `a.b`: what `b` is cannot be seen from here.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base, node.lineno
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)
        elif (
            isinstance(node, ast.Call)
            and _called(node) in {"import_module", "__import__"}
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value), node.lineno


def package_of(name: str) -> str:
    """The dotted package that a module's relative imports start from."""
    return ".".join(Path(name).parent.parts)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parents = package.split(".")[: len(package.split(".")) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])


def _git_files(*which: str) -> tuple[str, ...]:
    command = ["git", "ls-files", "-z", *which]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = sorted({name for name in listed.split("\0") if name})
    return tuple(name for name in names if (ROOT / name).is_file())
