"""Prometheus and Alertmanager as processes, on the configuration that deploy/ ships.

Only addresses, folders and how often they look are put in; rules, routes and groups are as shipped.
"""

import contextlib
import json
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import yaml

from services.broker.ports import free_ports
from tests.deploy.tools import alertmanager, tool
from tests.live.serving import wait_until
from tests.tidy.project import ROOT

DEPLOY: Final = ROOT / "deploy"
RUNBOOK: Final = "http://runbook.example/pitproof.md"

Document = dict[str, Any]


@dataclass(frozen=True)
class Notice:
    """What Alertmanager told a receiver."""

    at: float
    """Unix time of its arrival."""
    receiver: str
    said: Document

    @property
    def alerts(self) -> list[Document]:
        """Each has `status`, `labels`, `annotations`, `startsAt`."""
        found: list[Document] = self.said["alerts"]
        return found


@dataclass
class Receiver:
    """A webhook that notes what it is told."""

    port: int = 0
    notices: list[Notice] = field(default_factory=list)
    is_down: bool = False
    """Answers 503, and notes nothing."""

    def told(self, name: str, status: str = "firing") -> list[Notice]:
        """Notices with an alert of that name in that state."""
        return [
            notice
            for notice in list(self.notices)
            if any(
                one["labels"]["alertname"] == name and one["status"] == status
                for one in notice.alerts
            )
        ]


@contextlib.contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that listens."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if not receiver.is_down:
                said = json.loads(body)
                receiver.notices.append(Notice(time.time(), self.path.strip("/"), said))
            self.send_response(503 if receiver.is_down else 200)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass(frozen=True)
class Watch:
    """A Prometheus that looks, and an Alertmanager that tells."""

    prometheus: str
    alertmanager: str
    receiver: Receiver

    def query(self, text: str) -> list[Document]:
        """An instant query's samples."""
        answer = get(f"{self.prometheus}/api/v1/query", query=text)
        found: list[Document] = answer["data"]["result"]
        return found

    def query_range(self, text: str, seconds: int, step: int = 5) -> list[Document]:
        """A range query's series, over the last so many seconds."""
        now = time.time()
        answer = get(
            f"{self.prometheus}/api/v1/query_range",
            query=text,
            start=f"{now - seconds:.3f}",
            end=f"{now:.3f}",
            step=str(step),
        )
        found: list[Document] = answer["data"]["result"]
        return found

    def firing(self) -> list[Document]:
        """Alerts that Prometheus has."""
        found: list[Document] = get(f"{self.prometheus}/api/v1/alerts")["data"]["alerts"]
        return [one for one in found if one["state"] == "firing"]


def get(url: str, **parameters: str) -> Any:
    """A JSON answer."""
    asked = f"{url}?{urllib.parse.urlencode(parameters)}" if parameters else url
    with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310 (our own processes)
        return json.load(answer)


@contextlib.contextmanager
def watching(
    folder: Path, target: str, *, interval: str = "1s", ports: tuple[int, int] | None = None
) -> Iterator[Watch]:
    """Both, looking at one pitproof; `target` is HOST:PORT."""
    program, told_by = tool("prometheus"), alertmanager()
    first, second = ports or (found := free_ports(2), found + 1)
    looks_at, tells_at = f"127.0.0.1:{first}", f"127.0.0.1:{second}"
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(receiving())
        told = folder / "alertmanager.yml"
        _alertmanager_config(told, receiver.port)
        seen = folder / "prometheus.yml"
        _prometheus_config(
            seen,
            interval,
            {
                "pitproof:8642": target,
                "alertmanager:9093": tells_at,
                "localhost:9090": looks_at,
            },
        )
        stack.enter_context(
            _running(
                folder / "alertmanager.log",
                *told_by,
                f"--config.file={told}",
                f"--storage.path={folder / 'alertmanager'}",
                f"--web.listen-address={tells_at}",
                "--cluster.listen-address=",
            )
        )
        stack.enter_context(
            _running(
                folder / "prometheus.log",
                program,
                f"--config.file={seen}",
                f"--storage.tsdb.path={folder / 'prometheus'}",
                f"--web.listen-address={looks_at}",
            )
        )
        for address in (tells_at, looks_at):
            wait_until(_answers(f"http://{address}/-/ready"), f"{address} is ready")
        yield Watch(f"http://{looks_at}", f"http://{tells_at}", receiver)


def _alertmanager_config(path: Path, port: int) -> None:
    config = yaml.safe_load((DEPLOY / "alertmanager" / "alertmanager.yml").read_text("utf-8"))
    for one in config["receivers"]:
        for hook in one["webhook_configs"]:
            hook["url"] = hook["url"].replace("receiver:8080", f"127.0.0.1:{port}")
    path.write_text(yaml.safe_dump(config), "utf-8")


def _prometheus_config(path: Path, interval: str, addresses: dict[str, str]) -> None:
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text("utf-8"))
    config["global"] |= {"scrape_interval": interval, "evaluation_interval": interval}
    config["global"]["external_labels"]["runbook"] = RUNBOOK
    config["rule_files"] = [str(DEPLOY / "prometheus" / glob) for glob in config["rule_files"]]
    jobs = [*config["scrape_configs"], *config["alerting"]["alertmanagers"]]
    for static in (one for job in jobs for one in job["static_configs"]):
        static["targets"] = [addresses[target] for target in static["targets"]]
    path.write_text(yaml.safe_dump(config), "utf-8")


@contextlib.contextmanager
def _running(log: Path, *words: str) -> Iterator[None]:
    with (
        open(log, "w", encoding="utf-8") as file,
        subprocess.Popen(words, stdout=file, stderr=file) as process,
    ):
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _answers(url: str) -> Callable[[], bool]:
    def asked() -> bool:
        try:
            with urllib.request.urlopen(url, timeout=2):  # noqa: S310 (our own processes)
                return True
        except OSError:
            return False

    return asked
