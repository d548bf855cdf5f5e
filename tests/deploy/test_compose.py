"""The compose file: valid, hardened, of this repository's files, with the broker that is tested."""

import copy
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from services.alerts.receivers import receivers_of
from services.broker.jars import KAFKA
from services.settings import PREFIX, load_settings
from tests.deploy.published import misfits
from tests.tidy.project import ROOT

COMPOSE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
SERVICES: Final[dict[str, dict[str, Any]]] = COMPOSE["services"]
BROKERS: Final = {name: one for name, one in SERVICES.items() if name.startswith("kafka-")}


def test_it_fits_the_published_schema() -> None:
    assert misfits(compose=[COMPOSE]) == []


def test_a_key_that_compose_does_not_know_is_seen() -> None:
    wrong = copy.deepcopy(COMPOSE)
    wrong["services"]["pitproof"]["pots"] = ["8642:8642"]
    (seen,) = misfits(compose=[wrong])
    assert "pots" in seen


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_can_do_no_more_than_it_must(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")


def test_ports_are_open_to_this_machine_only() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_images_are_named_by_version() -> None:
    tags = {name: service["image"].rpartition(":")[2] for name, service in SERVICES.items()}
    assert {
        name: tag for name, tag in tags.items() if not re.fullmatch(r"v?\d+\.\d+\.\d+", tag)
    } == ({})
    assert {tag for name, tag in tags.items() if name in BROKERS} == {KAFKA}


def test_what_is_mounted_lies_in_this_repository() -> None:
    mounted = [
        volume.split(":")
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
        if volume.startswith(".")
    ]
    assert mounted
    missing = [path for path, *_ in mounted if not (ROOT / "deploy" / path).exists()]
    assert missing == []
    assert {flags for _, _, flags in mounted} == {"ro"}


def test_every_volume_is_declared() -> None:
    named = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
        if not volume.startswith(".")
    }
    assert named == set(COMPOSE["volumes"])


def test_the_targets_of_prometheus_and_its_receivers_are_services() -> None:
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    scraped = [one["static_configs"] for one in config["scrape_configs"]]
    told = [one["static_configs"] for one in config["alerting"]["alertmanagers"]]
    hosts = {
        target.partition(":")[0]
        for configs in [*scraped, *told]
        for static in configs
        for target in static["targets"]
    }
    assert hosts - set(SERVICES) == {"localhost"}


def test_the_image_is_built_from_the_containerfile() -> None:
    build = SERVICES["pitproof"]["build"]
    context = (ROOT / "deploy" / build["context"]).resolve()
    assert context == ROOT
    assert (context / build["dockerfile"]) == ROOT / "deploy" / "Containerfile"


def broker_properties() -> dict[str, str]:
    """What the brokers are told, as Kafka's own file would say it."""
    said = [
        {
            name[len("KAFKA_") :].lower().replace("_", "."): value
            for name, value in one["environment"].items()
            if name.startswith("KAFKA_") and name != "KAFKA_HEAP_OPTS"
        }
        for one in BROKERS.values()
    ]
    own = ("node.id", "advertised.listeners")
    shared = [{name: text for name, text in one.items() if name not in own} for one in said]
    assert shared[1:] == shared[:-1], "brokers differ in more than their names"
    assert len({one[name] for one in said for name in own}) == len(own) * len(said)
    return shared[0]


def test_a_record_survives_the_loss_of_any_broker() -> None:
    properties = broker_properties()
    assert len(BROKERS) == 3
    for name in ("default", "offsets.topic", "transaction.state.log"):
        assert properties[f"{name}.replication.factor"] == "3"
    for name in ("min.insync.replicas", "transaction.state.log.min.isr"):
        assert properties[name] == "2"
    assert properties["unclean.leader.election.enable"] == "false"
    assert properties["auto.create.topics.enable"] == "false"


def test_the_settings_of_the_service_exist() -> None:
    given = {
        name: re.sub(r"\$\{\w+:-(.*)\}", r"\1", text)
        for name, text in SERVICES["pitproof"]["environment"].items()
    }
    settings = load_settings(environment=given)
    known = {f"{PREFIX}{one.name.upper()}" for one in fields(settings)}
    assert set(given) - known == {"KAFKA_BOOTSTRAP_SERVERS"}
    (told,) = receivers_of(settings, {})
    assert (told.name, told.url) == ("alertmanager", "http://alertmanager:9093")
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    assert config["global"]["external_labels"]["runbook"] == settings.runbook_url


def test_the_folder_of_rules_is_where_prometheus_looks() -> None:
    config = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    found = [
        path
        for glob in config["rule_files"]
        for path in Path(ROOT / "deploy" / "prometheus").glob(glob)
    ]
    assert len(found) == 2
