"""Alert rules: each has a section in the runbook, is seen to fire and clear, names real metrics."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from services.metrics import Metrics
from tests.deploy.tools import run, tool
from tests.tidy.project import ROOT

PROMETHEUS: Final = ROOT / "deploy" / "prometheus"
RULES: Final = sorted((PROMETHEUS / "rules").glob("*.yml"))
TESTS: Final = sorted((Path(__file__).parent / "rules").glob("*.yml"))
RUNBOOK: Final = (ROOT / "deploy" / "runbook.md").read_text("utf-8")


def alerts() -> dict[str, dict[str, Any]]:
    """Every alert rule, by its name."""
    found = {}
    for path in RULES:
        for group in yaml.safe_load(path.read_text("utf-8"))["groups"]:
            for rule in group["rules"]:
                assert rule["alert"] not in found, f"{rule['alert']} twice"
                found[rule["alert"]] = rule
    return found


ALERTS: Final = alerts()
REQUIRED: Final = """
    PitproofPayoutMismatch PitproofManyMismatches PitproofWrongPaytable PitproofDeck
    PitproofSequenceGap PitproofDeadLetters PitproofLag PitproofSilentTable PitproofSealOverdue
    PitproofVerifyFailed PitproofHistoryNotGrowing PitproofDown PitproofAlertsWaiting
""".split()


def test_promtool_reads_the_rules() -> None:
    run(tool("promtool"), "check", "rules", *RULES)


def test_promtool_reads_the_configuration() -> None:
    run(tool("promtool"), "check", "config", PROMETHEUS / "prometheus.yml")


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.stem))
def test_an_alert_fires_and_clears(path: Path) -> None:
    run(tool("promtool"), "test", "rules", path)


def test_each_alert_is_seen_not_to_fire_to_fire_and_to_clear() -> None:
    shown = {}
    for path in TESTS:
        (test,) = yaml.safe_load(path.read_text("utf-8"))["tests"]
        steps = test["alert_rule_test"]
        (name,) = {step["alertname"] for step in steps}
        fires = [bool(step["exp_alerts"]) for step in steps]
        shown[name] = "".join("Y" if one else "n" for one in fires)
    assert set(shown) == set(ALERTS)
    assert {name for name, fires in shown.items() if not re.search("nY+n", fires)} == set()


def test_what_must_be_told_is_told() -> None:
    assert set(REQUIRED) - set(ALERTS) == set()


@pytest.mark.parametrize("name", ALERTS)
def test_an_alert_says_who_is_told_and_how_bad_it_is(name: str) -> None:
    rule = ALERTS[name]
    assert rule["labels"]["team"] in {"compliance", "operations"}
    assert rule["labels"]["path"] == "metrics"
    severity = rule["labels"].get("severity")
    assert severity in {"critical", "warning"} or re.search(r"by \(.*severity\)", rule["expr"])
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}


def test_a_question_of_the_deck_goes_to_the_executive_secretary() -> None:
    rule = ALERTS["PitproofDeck"]
    assert rule["labels"]["duty"] == "executive-secretary"
    assert "executive secretary" in rule["annotations"]["description"]


def sections() -> dict[str, str]:
    """Title of a section, as a link names it -> its text."""
    parts = re.split(r"^## (.+)$", RUNBOOK, flags=re.MULTILINE)[1:]
    titles, texts = parts[::2], parts[1::2]
    return {
        title.lower().replace(" ", "-"): text for title, text in zip(titles, texts, strict=True)
    }


def test_each_alert_has_its_section_and_each_section_its_alert() -> None:
    named = {name: rule["annotations"]["runbook_url"] for name, rule in ALERTS.items()}
    found = sections()
    assert {
        url for url in named.values() if not url.startswith("{{ $externalLabels.runbook }}#")
    } == (set())
    assert {url.partition("#")[2] for url in named.values()} == set(found)
    for name, url in named.items():
        assert f"`{name}`" in found[url.partition("#")[2]], f"{name} links to another's section"


@pytest.mark.parametrize("title", sections())
def test_a_section_says_what_it_means_what_to_do_and_how_to_clear(title: str) -> None:
    for words in ("**What it means.**", "**What to do.**", "**How to clear.**"):
        assert sections()[title].count(words) == 1


def test_rules_speak_of_metrics_that_there_are() -> None:
    named = {name for rule in ALERTS.values() for name in re.findall(r"pitproof_\w+", rule["expr"])}
    exported = set(re.findall(r"^# TYPE (\w+) ", Metrics().exposition().decode(), re.MULTILINE))
    assert named
    assert named - exported == set()


def test_amtool_reads_the_configuration() -> None:
    run(tool("amtool"), "check-config", ROOT / "deploy" / "alertmanager" / "alertmanager.yml")


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [
        ("alertname=PitproofDeck duty=executive-secretary team=compliance", "executive-secretary"),
        ("alertname=PitproofPayoutMismatch team=compliance severity=critical", "compliance"),
        ("alertname=PitproofLag team=operations", "operations"),
        ("alertname=SomethingElse", "operations"),
    ],
)
def test_an_alert_goes_to_whom_it_concerns(labels: str, receiver: str) -> None:
    config = ROOT / "deploy" / "alertmanager" / "alertmanager.yml"
    said = run(
        tool("amtool"), "config", "routes", "test", f"--config.file={config}", *labels.split()
    )
    assert said.split() == [receiver]
