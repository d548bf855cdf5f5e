"""What stays of a broker between its starts: identities, ports, process ids; kept in its folder."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self
from uuid import uuid4

from services.broker.config import BrokerConfig, Listener
from services.broker.errors import BrokerFolderError
from services.broker.ports import HOST, free_ports

FILE_NAME: Final = "broker.json"


@dataclass(frozen=True, slots=True)
class NodePlan:
    """One node, broker and controller in one."""

    node_id: int
    directory_id: str
    controller_port: int  # part of what the quorum remembers, so it never changes
    ports: Mapping[Listener, int] = field(default_factory=dict)
    process_id: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """All nodes, by their numbers from 1."""

    cluster_id: str
    nodes: tuple[NodePlan, ...]

    @classmethod
    def new(cls, nodes: int, config: BrokerConfig) -> Self:
        """Fresh identities; ports in a row: each listener's nodes, then the controllers."""
        first = config.port or free_ports(nodes * (len(config.listeners) + 1))
        controllers = first + nodes * len(config.listeners)
        numbered = (NodePlan(n, kafka_uuid(), controllers + n - 1) for n in range(1, nodes + 1))
        return cls(kafka_uuid(), tuple(numbered)).listening(first, config)

    def listening(self, first: int, config: BrokerConfig) -> Self:
        """The same nodes with the listeners of `config`, at ports in a row from `first`."""
        count = len(self.nodes)
        starts = {one: first + count * i for i, one in enumerate(config.listeners)}
        return replace(
            self,
            nodes=tuple(
                replace(node, ports={one: start + i for one, start in starts.items()})
                for i, node in enumerate(self.nodes)
            ),
        )

    def with_process(self, node_id: int, process_id: int | None) -> Self:
        """The same with a node's process id."""
        return replace(
            self,
            nodes=tuple(
                replace(one, process_id=process_id) if one.node_id == node_id else one
                for one in self.nodes
            ),
        )

    def node(self, node_id: int) -> NodePlan:
        """The node of that number."""
        return self.nodes[node_id - 1]

    def servers(self, listener: Listener) -> str:
        """Bootstrap servers, as clients take them."""
        return ",".join(f"{HOST}:{node.ports[listener]}" for node in self.nodes)

    def ports(self) -> Iterator[int]:
        """Every port that is listened on."""
        for node in self.nodes:
            yield from (*node.ports.values(), node.controller_port)


def kafka_uuid() -> str:
    """An identity as Kafka writes them: 16 bytes in URL-safe base64 without padding.

    It must not begin with a dash, which Kafka's tools would take for a flag.
    """
    while (text := base64.urlsafe_b64encode(uuid4().bytes).rstrip(b"=").decode())[0] == "-":
        pass
    return text


def write_plan(directory: Path, plan: Plan) -> None:
    """Keep a plan, whole or not."""
    nodes = [
        {
            "node_id": node.node_id,
            "directory_id": node.directory_id,
            "controller_port": node.controller_port,
            "ports": {one.value: port for one, port in node.ports.items()},
            "process_id": node.process_id,
        }
        for node in plan.nodes
    ]
    text = json.dumps({"version": 1, "cluster_id": plan.cluster_id, "nodes": nodes}, indent=2)
    part = directory / f"{FILE_NAME}.part"
    part.write_text(text + "\n", encoding="utf-8")
    os.replace(part, directory / FILE_NAME)


def read_plan(directory: Path) -> Plan | None:
    """The plan kept in a folder, if there is one.

    Raises:
        BrokerFolderError: what is there cannot be read or is no plan.
    """
    path = directory / FILE_NAME
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        nodes = tuple(
            NodePlan(
                node_id=node["node_id"],
                directory_id=node["directory_id"],
                controller_port=node["controller_port"],
                ports={Listener(name): port for name, port in node["ports"].items()},
                process_id=node["process_id"],
            )
            for node in document["nodes"]
        )
        return Plan(cluster_id=document["cluster_id"], nodes=nodes)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BrokerFolderError(
            f"{path}: cannot be read as the plan of a broker: {error}",
            next_step=f"remove {directory}, or name another folder with --dir",
        ) from error
