"""Grafana dashboards: whole, legible, on metrics that there are, of types that Grafana knows."""

import itertools
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from tests.dashboards.boards import (
    BOARDS,
    FOLDER,
    all_panels,
    panels,
    queries,
    relative,
    variables,
)
from tests.deploy.published import Typed, mistyped
from tests.deploy.test_alert_rules import sections
from tests.deploy.test_compose import SERVICES
from tests.deploy.tools import run, tool
from tests.services.api.test_metrics import declared
from tests.tidy.project import ROOT

COLUMNS: Final = 24
VALUES: Final = {"game": ".*", "table": "DD-01", "instance": ".*"}
FROM_PROMETHEUS: Final = {"job", "instance", "le"}
PROCESS: Final = {"process_resident_memory_bytes", "process_cpu_seconds_total", "up"}

PLAIN: Final = """
type Plain<T> = T extends string ? `${T}` : T extends number ? number
  : T extends (infer One)[] ? Plain<One>[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
"""
"""A type with its enumerations as what they are in JSON: TypeScript takes no text for an enum."""

PANELCFG: Final = {
    "bargauge": "bargauge/panelcfg/x/BarGaugePanelCfg_types.gen",
    "stat": "stat/panelcfg/x/StatPanelCfg_types.gen",
    "table": "table/panelcfg/x/TablePanelCfg_types.gen",
    "timeseries": "timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen",
}

each_board = pytest.mark.parametrize("board", BOARDS)
each_panel = pytest.mark.parametrize(
    ("board", "panel"), all_panels(), ids=lambda one: one if isinstance(one, str) else one["title"]
)


def test_there_are_three() -> None:
    assert set(BOARDS) == {"compliance", "table", "pipeline"}
    assert len({board["uid"] for board in BOARDS.values()}) == len(BOARDS)


@each_board
def test_panels_never_overlap(board: str) -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in BOARDS[board]["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= COLUMNS
        columns = range(place["x"], place["x"] + place["w"])
        for cell in itertools.product(columns, range(place["y"], place["y"] + place["h"])):
            other = taken.setdefault(cell, panel["title"])
            assert other == panel["title"], f"{panel['title']} lies over {other}"


@each_board
def test_panels_have_numbers_and_titles_of_their_own(board: str) -> None:
    numbers = [panel["id"] for panel in BOARDS[board]["panels"]]
    titles = [panel["title"] for panel in panels(board)]
    assert len(set(numbers)) == len(numbers)
    assert len(set(titles)) == len(titles)


@each_panel
def test_a_panel_says_what_it_shows(board: str, panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert len(panel["description"]) > 20
    assert panel["description"].endswith(".")
    defaults = panel["fieldConfig"]["defaults"]
    assert defaults["unit"]
    assert defaults["thresholds"]["steps"]
    assert panel["targets"]
    for one in (panel, *panel["targets"]):
        assert one["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    marks = [target["refId"] for target in panel["targets"]]
    assert len(set(marks)) == len(marks)


@each_board
def test_money_is_shown_in_dollars(board: str) -> None:
    for panel in panels(board):
        if panel["type"] != "table" and any("_cents" in t["expr"] for t in panel["targets"]):
            assert panel["fieldConfig"]["defaults"]["unit"] == "currencyUSD"
            for target in panel["targets"]:
                assert target["expr"].count("_cents") == target["expr"].count("/ 100")


def test_promtool_parses_every_query(tmp_path: Path) -> None:
    rules = [
        {"record": f"q:{number}", "expr": query.asked(**VALUES)}
        for number, query in enumerate(queries())
    ]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}))
    assert f"{len(rules)} rules found" in run(tool("promtool"), "check", "rules", path)


def test_every_metric_is_exported_with_the_labels_that_are_asked_for() -> None:
    known = declared()
    seen = set()
    for query in queries():
        for name, matchers in re.findall(
            r"\b(pitproof_\w+|process_\w+|up)(\{[^}]*\})?", query.text
        ):
            labels = set(re.findall(r"(\w+)\s*=~?|(\w+)!=", matchers)) if matchers else set()
            asked = {one for pair in labels for one in pair if one} - FROM_PROMETHEUS
            if name in PROCESS:
                assert not asked
                continue
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            assert base in known, f"{query.board}, {query.panel}: {name}"
            kind, has = known[base]
            assert (base != name) == (kind == "histogram"), f"{query.panel}: {name} is a {kind}"
            assert asked <= has, f"{query.panel}: {name} has no {asked - has}"
            seen.add(base)
    assert {"pitproof_findings", "pitproof_alerts_open", "pitproof_events_total"} <= seen


def test_a_legend_names_labels_that_the_query_keeps() -> None:
    for query in queries():
        for label in re.findall(r"\{\{(\w+)\}\}", query.legend):
            kept = re.search(rf"by \([^)]*\b{label}\b", query.text)
            assert kept or label == "version", f"{query.board}, {query.panel}: {label}"


@each_board
def test_variables_are_all_set(board: str) -> None:
    known = variables(board)
    assert {"datasource", "runbook"} <= set(known)
    used = {
        name
        for panel in panels(board)
        for target in panel["targets"]
        for name in re.findall(r"\$(\w+)", target["expr"])
    }
    assert used - {"__rate_interval"} <= set(known)


def test_links_to_the_runbook_lead_to_its_sections() -> None:
    linked = set()
    for name, panel in all_panels():
        for link in panel["links"]:
            found = re.fullmatch(r"\$\{runbook\}#(.+)", link["url"])
            assert found, f"{name}, {panel['title']}: {link['url']}"
            linked.add(found[1])
    assert linked == set(sections()), "each section is led to from the figure that it is about"


@each_board
def test_dashboards_lead_to_each_other_and_to_the_runbook(board: str) -> None:
    leads = {link["url"] for link in BOARDS[board]["links"]}
    others = {f"/d/{one['uid']}" for name, one in BOARDS.items() if name != board}
    assert leads == {*others, "${runbook}"}


def test_thresholds_are_those_of_the_rules() -> None:
    """What is red on a dashboard is what an alert is about."""
    rules = (ROOT / "deploy" / "prometheus" / "rules" / "pipeline.yml").read_text("utf-8")
    limit = int(re.findall(r"pitproof_partition_lag_records\) > (\d+)", rules)[0])
    shown = {
        panel["title"]: panel["fieldConfig"]["defaults"]["thresholds"]["steps"][-1]["value"]
        for panel in panels("pipeline")
    }
    assert shown["Behind"] == shown["Records behind"] == limit
    silent = next(panel for panel in panels("table") if panel["title"] == "Last heard of")
    assert silent["fieldConfig"]["defaults"]["thresholds"]["steps"][-1]["value"] == 900


def test_grafana_knows_every_field() -> None:
    documents = [
        Typed(name, "@grafana/schema", "Dashboard", board, PLAIN, "Plain<Dashboard>")
        for name, board in BOARDS.items()
    ]
    for number, (name, panel) in enumerate(all_panels()):
        module = f"@grafana/schema/dist/esm/raw/composable/{PANELCFG[panel['type']]}"
        options = f"{name}-{number}-options"
        documents.append(
            Typed(options, module, "Options", panel["options"], PLAIN, "Plain<Partial<Options>>")
        )
        custom = panel["fieldConfig"]["defaults"].get("custom")
        if custom:
            config = "Plain<Partial<FieldConfig>>"
            documents.append(
                Typed(f"{name}-{number}-config", module, "FieldConfig", custom, PLAIN, config)
            )
    assert mistyped(documents) == []


def test_a_wrong_field_is_seen() -> None:
    (panel,) = [panel for panel in panels("compliance") if panel["title"] == "Open alerts"]
    module = f"@grafana/schema/dist/esm/raw/composable/{PANELCFG['stat']}"
    wrong = {**panel["options"], "colourMode": "value"}
    typed = Typed("wrong", module, "Options", wrong, PLAIN, "Plain<Partial<Options>>")
    (seen,) = mistyped([typed])
    assert "colourMode" in seen


def test_grafana_is_provisioned_with_these_files() -> None:
    mounts = dict(
        reversed(volume.split(":")[:2])
        for volume in SERVICES["grafana"]["volumes"]
        if ":ro" in volume
    )
    provisioning = relative(mounts["/etc/grafana/provisioning"])
    (provider,) = yaml.safe_load((provisioning / "dashboards" / "pitproof.yml").read_text())[
        "providers"
    ]
    assert provider["type"] == "file"
    assert relative(mounts[provider["options"]["path"]]) == FOLDER
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text())[
        "datasources"
    ]
    assert source["type"] == "prometheus"
    assert source["isDefault"] is True
    assert source["url"].removeprefix("http://").split(":")[0] in SERVICES


@each_board
def test_the_runbook_is_where_grafana_serves_it(board: str) -> None:
    path = variables(board)["runbook"]["query"]
    mounted = [volume.split(":")[1] for volume in SERVICES["grafana"]["volumes"]]
    assert f"/usr/share/grafana{path}" in mounted


def test_grafana_opens_with_the_compliance_overview() -> None:
    home = SERVICES["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert (FOLDER / Path(home).name).is_file()
    assert BOARDS[Path(home).stem]["uid"] == "pitproof-compliance"
