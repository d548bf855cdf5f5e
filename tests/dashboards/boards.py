"""The Grafana dashboards as the tests see them: panels, queries, and what variables stand for."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.tidy.project import ROOT

FOLDER: Final = ROOT / "dashboards" / "grafana"
BOARDS: Final[dict[str, dict[str, Any]]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))
}


@dataclass(frozen=True)
class Query:
    """One query of one panel."""

    board: str
    panel: str
    text: str
    legend: str

    def asked(self, **variables: str) -> str:
        """The query with variables put in, as Grafana does before it asks."""
        text = self.text
        for name, value in {"__rate_interval": "1m", **variables}.items():
            text = text.replace(f"${name}", value)
        assert "$" not in text, f"{self.board}, {self.panel}: a variable that nobody set: {text}"
        return text


def panels(board: str) -> list[dict[str, Any]]:
    """Every panel but the rows that part them."""
    return [panel for panel in BOARDS[board]["panels"] if panel["type"] != "row"]


def all_panels() -> list[Any]:
    return [(name, panel) for name in BOARDS for panel in panels(name)]


def queries() -> Iterator[Query]:
    for name, panel in all_panels():
        for target in panel["targets"]:
            yield Query(name, panel["title"], target["expr"], target["legendFormat"])


def variables(board: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in BOARDS[board]["templating"]["list"]}


def relative(path: str) -> Path:
    """A path of the compose file, from where that file lies."""
    return (ROOT / "deploy" / path).resolve()
