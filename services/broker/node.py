"""One node: a JVM in a folder of its own, with its properties, its data and its log."""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.broker.errors import BrokerFailedError
from services.broker.properties import DATA

PROPERTIES: Final = "server.properties"
LOG: Final = "kafka.log"
FORMAT_SECONDS_MAX: Final = 120
LINES_SHOWN_MAX: Final = 12

_REFUSALS: Final = "org.apache.kafka.common.network.Selector"  # says who may not come in, and why
_ALARMS: Final = ("ERROR", "FATAL", "Exception", "Error:", "Could not")
_KILOBYTES: Final = 1024


@dataclass(frozen=True, slots=True)
class Jvm:
    """What every node is run with."""

    java: Path
    jars: Path
    heap_mib_max: int

    def command(self, main_class: str, *arguments: str) -> list[str]:
        """A call of one of Kafka's programs, tuned to start soon and to stay small."""
        return [
            str(self.java),
            *("-Xms64m", f"-Xmx{self.heap_mib_max}m", "-Xss512k", "-XX:MaxDirectMemorySize=128m"),
            *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"),
            "-Djava.awt.headless=true",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            f"-Dorg.slf4j.simpleLogger.log.{_REFUSALS}=info",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS",
            *("-cp", f"{self.jars}/*"),  # the JVM expands the star
            main_class,
            *arguments,
        ]


class Node:
    """A node that this process started, or may start again."""

    def __init__(self, node_id: int, folder: Path, jvm: Jvm) -> None:
        self.node_id = node_id
        self.folder = folder
        self._jvm = jvm
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def properties(self) -> Path:
        """The node's configuration; its path marks the node's process."""
        return self.folder / PROPERTIES

    @property
    def log(self) -> Path:
        """All that the node says."""
        return self.folder / LOG

    @property
    def process_id(self) -> int | None:
        """The running process."""
        return self._process.pid if self._process and self._process.poll() is None else None

    @property
    def is_formatted(self) -> bool:
        """Whether the data folder is ready; the file is the last that formatting writes."""
        return (self.folder / DATA / "meta.properties").exists()

    def format_call(self, *flags: str) -> list[str]:
        """What makes the data folder ready."""
        called = ("format", "--config", str(self.properties), *flags)
        return self._jvm.command("kafka.tools.StorageTool", *called)

    def start(self) -> int:
        """Start the JVM; returns its process id at once."""
        assert self.process_id is None, "the node runs already"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._jvm.command("kafka.Kafka", str(self.properties)),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # a Ctrl-C at the terminal is not meant for it
            )
        return self._process.pid

    def check(self) -> None:
        """Refuse to wait for a node that has died.

        Raises:
            BrokerFailedError: it has, with what its log says.
        """
        if self._process is not None and self._process.poll() is not None:
            raise BrokerFailedError(
                f"node {self.node_id} ended at its start with status {self._process.returncode}:\n"
                f"  {self.last_words()}",
                next_step=f"all it said is in {self.log}",
            )

    def last_words(self) -> str:
        """The telling lines of the log's end."""
        try:
            with self.log.open("rb") as file:
                size = file.seek(0, 2)
                file.seek(max(0, size - 64 * _KILOBYTES))
                lines = file.read().decode("utf-8", "replace").splitlines()
        except OSError:
            lines = []
        return "\n  ".join(_telling(lines)) or "its log is empty"

    def kill(self) -> None:
        """End it as a failing machine would, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def terminate(self) -> None:
        """Ask it to stop."""
        if self._process is not None:
            self._process.terminate()

    def wait(self, seconds: float) -> None:
        """Wait until it is gone; by force if it takes longer."""
        if self._process is not None:
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()

    def let_go(self) -> None:
        """Leave it running, whatever becomes of this process."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # "still running": just that is meant
            self._process = None


def format_all(nodes: Iterable[Node], *flags: str, watch: Callable[[Iterable[int]], None]) -> None:
    """Make data folders ready, all at the same time; `watch` gets the ids of what does so.

    Raises:
        BrokerFailedError: one could not be; with what Kafka's tool says.
    """
    tools = [
        subprocess.Popen(
            node.format_call(*flags),
            cwd=node.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for node in nodes
    ]
    try:
        watch(tool.pid for tool in tools)
        for tool in tools:
            said, _ = tool.communicate(timeout=FORMAT_SECONDS_MAX)
            if tool.returncode != 0:
                lines = "\n  ".join(_telling(said.splitlines()))
                raise BrokerFailedError(f"Kafka could not format a node's folder:\n  {lines}")
    except subprocess.TimeoutExpired as error:
        raise BrokerFailedError("Kafka took too long to format a node's folder") from error
    finally:
        for tool in tools:
            tool.kill()
            tool.communicate()
        watch(())


def _telling(lines: list[str]) -> list[str]:
    """Errors with what follows them, else the last lines; Java's stack traces left out."""
    said = [line for line in lines if line.strip() and not line.startswith(("\tat ", "\t..."))]
    alarms = [i for i, line in enumerate(said) if any(word in line for word in _ALARMS)]
    return said[alarms[0] :][:LINES_SHOWN_MAX] if alarms else said[-LINES_SHOWN_MAX:]
