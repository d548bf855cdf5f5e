"""`pitproof serve`: each of its settings comes from flag, environment, file or default."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from services.live.service import Plan
from tests.services.command_line.conftest import Call

DEFAULTS = {
    "topic": "table-events",
    "group": "pitproof",
    "findings_topic": "audit-findings",
    "dead_topic": "table-events.dead",
}


@pytest.fixture
def planned(pitproof: Call, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Plan]:
    """What a call would have the service do, without doing it."""
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "any:1")
    for name in (*DEFAULTS, "listen", "bootstrap_servers", "session_timeout_ms"):
        monkeypatch.delenv(f"PITPROOF_{name.upper()}", raising=False)
    plans: list[Plan] = []

    def run(_: Path, plan: Plan, *__: Any) -> int:
        plans.append(plan)
        return 0

    monkeypatch.setattr("services.live.running.run_service", run)

    def plan_of(*flags: str) -> Plan:
        assert pitproof("serve", "--db", "h.db", *flags).status == 0
        return plans[-1]

    return plan_of


@pytest.mark.parametrize("name", DEFAULTS)
def test_names_come_from_flag_environment_file_or_default(
    planned: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert getattr(planned(), name) == DEFAULTS[name]
    Path("pitproof.toml").write_text(f"{name} = 'of-file'\n")
    assert getattr(planned(), name) == "of-file"
    monkeypatch.setenv(f"PITPROOF_{name.upper()}", "of-environment")
    assert getattr(planned(), name) == "of-environment"
    assert getattr(planned(f"--{name.replace('_', '-')}", "of-flag"), name) == "of-flag"


def test_times_and_servers_do_too(
    planned: Callable[..., Plan], pitproof: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (planned().session_timeout_ms, planned().max_poll_interval_ms) == (45_000, 300_000)
    monkeypatch.setenv("PITPROOF_SESSION_TIMEOUT_MS", "6000")
    monkeypatch.setenv("PITPROOF_BOOTSTRAP_SERVERS", "own:2")
    assert planned().session_timeout_ms == 6_000
    assert planned("--session-timeout-ms", "7000").session_timeout_ms == 7_000
    assert planned().kafka.servers == ("own:2",)
    monkeypatch.setenv("PITPROOF_SESSION_TIMEOUT_MS", "6")
    ended = pitproof("serve", "--db", "h.db")
    assert (ended.status, ended.out) == (2, b"")
    assert "1,000" in ended.err
