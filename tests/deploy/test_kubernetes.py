"""The Kubernetes manifests: they fit the published schemas, and keep one writer to a history."""

import copy
import re
import subprocess
from dataclasses import fields
from typing import Any, Final

import pytest
import yaml

from services.alerts.receivers import receivers_of
from services.settings import PREFIX, load_settings
from tests.deploy.published import Typed, misfits, mistyped
from tests.tidy.project import ROOT

FOLDER: Final = ROOT / "deploy" / "kubernetes"
KUSTOMIZATION: Final[dict[str, Any]] = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
MANIFESTS: Final[dict[str, dict[str, Any]]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.stem != "kustomization"
}
STATEFUL: Final = MANIFESTS["statefulset"]
POD: Final[dict[str, Any]] = STATEFUL["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]


def rules_resource() -> dict[str, Any]:
    """The alert rules as the Prometheus operator takes them; deploy/README.md shows the command."""
    groups: list[Any] = []
    for path in sorted((ROOT / "deploy" / "prometheus" / "rules").glob("*.yml")):
        groups += yaml.safe_load(path.read_text("utf-8"))["groups"]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "pitproof"},
        "spec": {"groups": groups},
    }


def test_the_command_that_is_shown_makes_that_resource() -> None:
    text = (ROOT / "deploy" / "README.md").read_text("utf-8")
    (command,) = re.findall(r"^(\{ printf .+?) \| kubectl", text, re.MULTILINE | re.DOTALL)
    made = subprocess.run(
        ["bash", "-ec", command], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert yaml.safe_load(made.stdout) == rules_resource()


def typed(name: str, document: dict[str, Any]) -> Typed:
    version, kind = document["apiVersion"], document["kind"]
    is_operators = version.startswith("monitoring.coreos.com/")
    home = "@kubernetes-models/prometheus-operator" if is_operators else "kubernetes-models"
    return Typed(name, f"{home}/{version}", f"I{kind}", document)


def test_they_fit_the_published_schemas() -> None:
    assert misfits(kubernetes=[*MANIFESTS.values(), rules_resource()]) == []


def test_they_have_no_field_that_kubernetes_does_not_know() -> None:
    documents = {**MANIFESTS, "rules": rules_resource()}
    assert mistyped([typed(name, one) for name, one in documents.items()]) == []


def test_what_does_not_fit_is_seen() -> None:
    wrong = copy.deepcopy(STATEFUL)
    wrong["spec"]["replicas"] = "one"
    (seen,) = misfits(kubernetes=[wrong])
    assert "replicas" in seen
    wrong = copy.deepcopy(STATEFUL)
    wrong["spec"]["replica"] = 1
    (seen,) = mistyped([typed("wrong", wrong)])
    assert "replica" in seen


def test_every_manifest_is_applied() -> None:
    assert KUSTOMIZATION["resources"]
    assert set(KUSTOMIZATION["resources"]) == {f"{name}.yaml" for name in MANIFESTS}
    assert MANIFESTS["namespace"]["metadata"]["name"] == KUSTOMIZATION["namespace"]


def test_a_history_has_one_writer() -> None:
    (claim,) = STATEFUL["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
    mounted = {one["name"]: one["mountPath"] for one in CONTAINER["volumeMounts"]}
    assert mounted == {claim["metadata"]["name"]: "/data", "tmp": "/tmp"}
    assert STATEFUL["spec"]["replicas"] == 1
    kept = STATEFUL["spec"]["persistentVolumeClaimRetentionPolicy"]
    assert set(kept.values()) == {"Retain"}


def test_a_pod_can_do_no_more_than_it_must() -> None:
    assert POD["automountServiceAccountToken"] is False
    assert POD["securityContext"]["runAsNonRoot"] is True
    assert CONTAINER["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


@pytest.mark.parametrize("probe", ["startupProbe", "livenessProbe", "readinessProbe"])
def test_it_is_asked_where_it_answers(probe: str) -> None:
    asked = CONTAINER[probe]["httpGet"]
    assert asked["path"] == ("/readyz" if probe == "readinessProbe" else "/healthz")
    (port,) = CONTAINER["ports"]
    assert asked["port"] == port["name"]
    assert CONTAINER["args"] == ["serve", "--listen", f"0.0.0.0:{port['containerPort']}"]


def test_selectors_find_the_pod_and_the_service() -> None:
    labels = STATEFUL["spec"]["template"]["metadata"]["labels"]
    service, monitor = MANIFESTS["service"], MANIFESTS["servicemonitor"]
    assert STATEFUL["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["selector"].items() <= labels.items()
    assert (
        MANIFESTS["networkpolicy"]["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    )
    assert STATEFUL["spec"]["serviceName"] == service["metadata"]["name"]
    assert (
        monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    )
    (endpoint,), (port,) = monitor["spec"]["endpoints"], service["spec"]["ports"]
    assert endpoint["port"] == port["name"]


def test_the_job_has_the_name_that_the_rules_look_for() -> None:
    label = MANIFESTS["servicemonitor"]["spec"]["jobLabel"]
    assert MANIFESTS["service"]["metadata"]["labels"][label] == "pitproof"


def test_only_those_are_spoken_to_that_must_be() -> None:
    policy = MANIFESTS["networkpolicy"]["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"}
    for rule in [*policy["ingress"], *policy["egress"]]:
        assert rule.get("from") or rule.get("to"), "a rule without a peer is open to all"
        assert rule["ports"]


def test_the_settings_exist_and_the_rules_know_its_alertmanager() -> None:
    (generated,) = KUSTOMIZATION["configMapGenerator"]
    given = dict(line.split("=", 1) for line in generated["literals"])
    settings = load_settings(environment=given)
    known = {f"{PREFIX}{one.name.upper()}" for one in fields(settings)}
    assert set(given) - known == {"KAFKA_BOOTSTRAP_SERVERS"}
    assert [one.name for one in receivers_of(settings, {})] == ["alertmanager"]
