"""A broker of one node or three: started, killed, brought back, stopped, with nothing left behind.

with Broker(nodes=3) as broker:
    client(broker.bootstrap_servers)
    broker.kill(2)
    broker.start(2)
    broker.wait_in_sync()
"""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from services.broker.config import NODES, BrokerConfig, Listener
from services.broker.errors import BrokerFolderError
from services.broker.jars import Say, fetch_jars
from services.broker.java import find_java
from services.broker.node import Jvm, Node, format_all
from services.broker.plan import Plan, read_plan, write_plan
from services.broker.ports import HOST, check_free
from services.broker.processes import CLEAN_SECONDS_MAX, Guard, is_running
from services.broker.properties import SCRAM, server_properties, voters
from services.broker.ready import all_in_sync, nodes_known_to, wait_until
from services.errors import BadArgumentError

_DEFAULT: Final = BrokerConfig()


class Broker:
    """Nodes of one cluster on this machine, reachable from this machine only."""

    def __init__(
        self,
        nodes: int = 1,
        config: BrokerConfig = _DEFAULT,
        *,
        say: Say = lambda text: None,
    ) -> None:
        if nodes not in NODES:
            raise BadArgumentError(f"a broker has 1 node or 3, not {nodes}")
        self._count = nodes
        self._config = config
        self._say = say
        self._plan: Plan | None = None
        self._nodes: dict[int, Node] = {}
        self._cleanup = contextlib.ExitStack()
        self._guard: Guard | None = None
        self.directory = Path()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def open(self) -> None:
        """Start all nodes and wait until they answer.

        Raises:
            BrokerUnavailableError: this machine cannot run one.
            BrokerPortError: a port is in use.
            BrokerFolderError: the folder cannot be used, or not for this broker.
            BrokerFailedError: a node died or did not answer in time.
        """
        assert self._plan is None, "open already"
        try:
            jvm = Jvm(find_java(), fetch_jars(self._say), self._config.heap_mib_max)
            self.directory = self._own_directory()
            self._plan = plan = self._planned()
            check_free(plan.ports())
            self._nodes = {
                one.node_id: Node(one.node_id, self.directory / f"node-{one.node_id}", jvm)
                for one in plan.nodes
            }
            self._guard = Guard(self.directory if self._config.directory is None else None)
            self._prepare(plan, self._guard)
            for node in self._nodes.values():
                self._launch(node)
            self._wait_ready(set(self._nodes))
        except BaseException:
            self._end(clean=False)
            raise

    @property
    def bootstrap_servers(self) -> str:
        """The plain listeners of all nodes."""
        return self.servers(Listener.PLAINTEXT)

    def servers(self, listener: Listener) -> str:
        """The listeners of that kind of all nodes."""
        return self._open_plan().servers(listener)

    def log_of(self, node_id: int) -> Path:
        """All that a node has said."""
        return self._nodes[node_id].log

    def kill(self, node_id: int) -> None:
        """End a node by SIGKILL."""
        self._nodes[node_id].kill()
        self._remember()

    def start(self, node_id: int) -> None:
        """Bring a node back, with its data, and wait until it answers; it may lag (`wait_in_sync`).

        Raises:
            BrokerFailedError: it died or did not answer in time.
        """
        self._launch(self._nodes[node_id])
        self._wait_ready({node_id})

    def wait_in_sync(self, seconds_max: float = 30.0) -> None:
        """Wait until every replica of every partition has caught up.

        Raises:
            BrokerFailedError: not in time.
        """
        wait_until(
            lambda: all_in_sync(self.bootstrap_servers),
            "replicas in sync",
            seconds_max,
            self._check,
        )

    def stop(self) -> None:
        """End all nodes: cleanly where the folder is kept, by force where it goes anyway."""
        self._end(clean=self._config.directory is not None)

    def let_go(self) -> None:
        """Leave the nodes running when this process ends; what they are stands in the folder."""
        for node in self._nodes.values():
            node.let_go()
        self._nodes = {}
        self._end(clean=False)

    def _end(self, *, clean: bool) -> None:
        try:
            if clean:
                for node in self._nodes.values():
                    node.terminate()
                for node in self._nodes.values():
                    node.wait(CLEAN_SECONDS_MAX)
            for node in self._nodes.values():
                node.kill()
            if self._nodes:
                self._remember()
        finally:
            if self._guard is not None:
                self._guard.release()
            self._guard, self._nodes, self._plan = None, {}, None
            self._cleanup.close()

    def _own_directory(self) -> Path:
        if self._config.directory is None:
            made = tempfile.mkdtemp(prefix="pitproof-kafka-")
            self._cleanup.callback(shutil.rmtree, made, ignore_errors=True)
            return Path(made)
        directory = self._config.directory.resolve()
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = self._cleanup.enter_context((directory / "lock").open("w"))
        except OSError as error:
            raise BrokerFolderError(
                f"{directory}: cannot be used: {error.strerror or error}",
                next_step="name a folder that can be written",
            ) from error
        _own(lock, directory)
        return directory

    def _planned(self) -> Plan:
        plan = read_plan(self.directory)
        if plan is None:
            return Plan.new(self._count, self._config)
        if len(plan.nodes) != self._count:
            raise BrokerFolderError(
                f"{self.directory}: holds a broker of {len(plan.nodes)}, not of {self._count}",
                next_step="ask for as many nodes, or delete that broker, or name another folder",
            )
        for node in plan.nodes:
            if node.process_id and is_running(node.process_id, str(self.directory)):
                raise BrokerFolderError(
                    f"{self.directory}: its broker runs already", next_step="stop it first"
                )
        first = self._config.port or plan.node(1).ports[Listener.PLAINTEXT]
        return plan.listening(first, self._config)

    def _prepare(self, plan: Plan, guard: Guard) -> None:
        """Write the configuration, and format what is not formatted yet."""
        write_plan(self.directory, plan)
        first_quorum = (
            ("--standalone",) if len(plan.nodes) == 1 else ("--initial-controllers", voters(plan))
        )
        scram = [
            flag
            for name, password in self._config.users.items()
            for flag in ("--add-scram", f"{SCRAM}=[name={name},password={password}]")
        ]
        for planned in plan.nodes:
            node = self._nodes[planned.node_id]
            node.folder.mkdir(mode=0o700, exist_ok=True)
            text = server_properties(plan, planned, self._config)
            node.properties.touch(mode=0o600)
            node.properties.write_text(text, encoding="ascii")
        fresh = [node for node in self._nodes.values() if not node.is_formatted]
        flags = ("--cluster-id", plan.cluster_id, *first_quorum, *scram)
        format_all(fresh, *flags, watch=guard.watch)

    def _launch(self, node: Node) -> None:
        node.start()
        self._remember()

    def _wait_ready(self, node_ids: set[int]) -> None:
        plan = self._open_plan()
        ports = [port for node in node_ids for port in plan.node(node).ports.values()]
        plain = (plan.node(node).ports[Listener.PLAINTEXT] for node in node_ids)
        servers = ",".join(f"{HOST}:{port}" for port in plain)
        wait_until(
            lambda: node_ids <= nodes_known_to(servers, ports),
            f"the broker in {self.directory} answers",
            self._config.start_seconds_max,
            self._check,
        )

    def _check(self) -> None:
        for node in self._nodes.values():
            node.check()

    def _remember(self) -> None:
        """Tell the guard and the folder which processes there are."""
        plan = self._open_plan()
        for node_id, node in self._nodes.items():
            plan = plan.with_process(node_id, node.process_id)
        if self._guard is not None:
            self._guard.watch(one.process_id for one in plan.nodes if one.process_id is not None)
        write_plan(self.directory, plan)
        self._plan = plan

    def _open_plan(self) -> Plan:
        assert self._plan is not None, "the broker is not open"
        return self._plan


def _own(lock: IO[str], directory: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise BrokerFolderError(
            f"{directory}: another process is using the broker there",
            next_step="wait for it, or name another folder",
        ) from error
