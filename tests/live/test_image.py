"""The image: built and served from by an engine; without one, its steps in a temporary root."""

import contextlib
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.broker.ports import free_ports
from services.encode import json_line
from tests.deploy.image_root import Image
from tests.live.conftest import Topic
from tests.live.serving import evening, send
from tests.tidy.project import ROOT

IMAGE_BYTES_MAX = 400 << 20
"""What lies above the base: most of it is Arrow, DuckDB and NumPy."""

USER = 10001


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image's steps, done."""
    has_view = os.geteuid() == 0 and shutil.which("unshare") and shutil.which("setpriv")
    if not has_view:
        pytest.skip("no root or no unshare: neither the image's steps nor what it runs was seen")
    folder = tmp_path_factory.mktemp("image")
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", str(folder)], check=False
    )
    if tried.returncode != 0:
        pytest.skip("nothing may be mounted here: the image's steps were not done, nor seen")
    built = Image(folder)
    built.build()
    return built


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The volume, as the image's user has it."""
    folder = tmp_path / "data"
    folder.mkdir()
    os.chown(folder, USER, USER)
    return folder


@pytest.mark.slow
def test_it_runs_as_it_says(image: Image, data: Path) -> None:
    assert image.run("pitproof", "--version", data=data).stdout.startswith("pitproof ")
    assert image.run("id", "-u", data=data).stdout.strip() == str(USER)
    for place in ("/", "/opt/pitproof", "/etc"):
        assert image.run("touch", f"{place}/x", data=data).returncode != 0, f"{place} is writable"
    assert image.run("touch", "/tmp/x", "/data/x", data=data).returncode == 0


@pytest.mark.slow
def test_it_is_small_and_holds_no_tools(image: Image) -> None:
    installed = image.files / "opt" / "pitproof"
    files = [path for path in installed.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < IMAGE_BYTES_MAX
    names = {path.name for path in (installed / "bin").iterdir()}
    assert "pitproof" in names
    assert {name for name in names if re.fullmatch(r"pip[\d.]*|pytest|mypy|ruff", name)} == set()
    assert not [path for path in files if "/tests/" in str(path.relative_to(installed))]


@pytest.mark.slow
def test_it_audits_and_verifies(image: Image, data: Path) -> None:
    (data / "evening.jsonl").write_bytes(b"".join(map(json_line, evening())))
    audited = image.run("pitproof", "audit", "evening.jsonl", "--db", "history.duckdb", data=data)
    assert audited.returncode == 1, audited.stderr
    asked = "SELECT count(*) AS rounds FROM rounds"
    answered = image.run("pitproof", "sql", asked, "--format", "csv", data=data)
    assert answered.returncode == 0, answered.stderr
    verified = image.run("pitproof", "verify", data=data)
    assert verified.returncode == 0, verified.stderr


@pytest.mark.slow
@pytest.mark.real_kafka
def test_it_serves_and_is_found_healthy(image: Image, data: Path, kafka: str, topic: Topic) -> None:
    events, findings, dead, port = topic(2), topic(1), topic(1), free_ports(1)
    send(kafka, events, evening())
    flags = f"--topic {events} --findings-topic {findings} --dead-topic {dead} --group {events}"
    *program, code = image.health(port)
    health = f'{" ".join(program)} "{code}"'
    ready = health.replace("healthz", "readyz")
    script = f"""
        pitproof serve {flags} --listen 0.0.0.0:{port} &
        for _ in $(seq 300); do {ready} 2>/dev/null && break; sleep 0.2; done
        {ready} && {health} || exit 9
        kill -TERM $! && wait $!
    """
    served = image.run(
        "sh", "-c", script, data=data, environment={"KAFKA_BOOTSTRAP_SERVERS": kafka}
    )
    assert served.returncode == 0, served.stdout + served.stderr
    assert (data / "history.duckdb").stat().st_uid == USER


@pytest.fixture(scope="module")
def engine() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import docker

            with contextlib.closing(docker.from_env(timeout=3)) as client:
                client.ping()
        except Exception:
            pytest.skip(
                "no container engine: not seen are the base image, the build by an engine, its "
                "health check, and the compose file's containers together"
            )
        yield


@pytest.mark.needs_docker
@pytest.mark.slow
def test_an_engine_builds_it_and_it_audits(engine: None) -> None:
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.image import DockerImage

    with (
        DockerImage(
            path=str(ROOT), dockerfile_path="deploy/Containerfile", tag="pitproof:test"
        ) as it,
        DockerContainer(str(it)).with_command("rulebook list").with_kwargs(read_only=True) as box,
    ):
        ended = box.get_wrapped_container().wait(timeout=120)
        assert ended["StatusCode"] == 0, box.get_logs()
        assert b"DAKOTA_DUEL_DRAW" in box.get_logs()[0]


@pytest.mark.needs_docker
@pytest.mark.slow
def test_the_compose_file_comes_up_and_serves(engine: None) -> None:
    from testcontainers.compose import DockerCompose

    os.environ.setdefault("GRAFANA_PASSWORD", "for this test only")
    with DockerCompose(
        str(ROOT / "deploy"), compose_file_name="compose.yaml", build=True, wait=True
    ) as together:
        ready = "import urllib.request as u; u.urlopen('http://127.0.0.1:8642/readyz')"
        _, _, code = together.exec_in_container(["python3", "-c", ready], "pitproof")
        assert code == 0
