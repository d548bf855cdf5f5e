"""The `server.properties` of a node: small, quick to start, whole in its semantics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from services.broker.config import BrokerConfig, Listener
from services.broker.plan import NodePlan, Plan
from services.broker.ports import HOST

DATA: Final = "data"  # below the folder the node runs in, so no path needs quoting
SCRAM: Final = "SCRAM-SHA-512"
_SCRAM_MODULE: Final = "org.apache.kafka.common.security.scram.ScramLoginModule"
_PLAIN_MODULE: Final = "org.apache.kafka.common.security.plain.PlainLoginModule"

_ALWAYS: Final = {
    "process.roles": "broker,controller",
    "inter.broker.listener.name": "PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "auto.create.topics.enable": "false",  # a mistyped topic is an error, not a new topic
    "num.partitions": "4",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.num.partitions": "2",
    "group.initial.rebalance.delay.ms": "0",  # a first member need not wait for company
    "group.min.session.timeout.ms": "1000",
    "log.cleaner.dedupe.buffer.size": "2097152",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "2",
}
_SEVERAL_NODES: Final = {
    # A killed node is given up after 3 s. The heartbeat has to stay well below that.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "1000",
    "replica.lag.time.max.ms": "2000",
}


def server_properties(plan: Plan, node: NodePlan, config: BrokerConfig) -> str:
    """The file's text; what `config.properties` says comes over all else."""
    several = len(plan.nodes) > 1
    values = {
        **_ALWAYS,
        **(_SEVERAL_NODES if several else {}),
        **dict(_replication(len(plan.nodes))),
        **dict(_listeners(plan, node)),
        **dict(_security(config)),
        "node.id": str(node.node_id),
        "log.dirs": DATA,
        **config.properties,
    }
    return "".join(f"{key}={_escaped(value)}\n" for key, value in values.items())


def voters(plan: Plan) -> str:
    """The first quorum, as Kafka's storage tool takes it."""
    return ",".join(
        f"{node.node_id}@{HOST}:{node.controller_port}:{node.directory_id}" for node in plan.nodes
    )


def _escaped(value: str) -> str:
    """Java reads these files as Latin-1, and a backslash as the beginning of something."""
    units = value.replace("\\", "\\\\").encode("utf-16-be")
    codes = (int.from_bytes(units[i : i + 2]) for i in range(0, len(units), 2))
    return "".join(chr(code) if code < 128 else f"\\u{code:04x}" for code in codes)


def _replication(nodes: int) -> Iterator[tuple[str, str]]:
    in_sync = str(nodes // 2 + 1)
    yield "default.replication.factor", str(nodes)
    yield "min.insync.replicas", in_sync
    yield "offsets.topic.replication.factor", str(nodes)
    for topic in ("transaction.state.log", "share.coordinator.state.topic"):
        yield f"{topic}.replication.factor", str(nodes)
        yield f"{topic}.min.isr", in_sync


def _listeners(plan: Plan, node: NodePlan) -> Iterator[tuple[str, str]]:
    doors = [f"{name.value}://{HOST}:{port}" for name, port in node.ports.items()]
    yield "listeners", ",".join([*doors, f"CONTROLLER://{HOST}:{node.controller_port}"])
    yield "advertised.listeners", ",".join(doors)
    protocols = ["CONTROLLER:PLAINTEXT", *(f"{name.value}:{name.value}" for name in node.ports)]
    yield "listener.security.protocol.map", ",".join(protocols)
    controllers = (f"{HOST}:{one.controller_port}" for one in plan.nodes)
    yield "controller.quorum.bootstrap.servers", ",".join(controllers)


def _security(config: BrokerConfig) -> Iterator[tuple[str, str]]:
    if config.tls is not None:
        yield "ssl.keystore.type", "PEM"
        yield "ssl.keystore.location", str(config.tls.keystore)
        yield "ssl.truststore.type", "PEM"
        yield "ssl.truststore.location", str(config.tls.truststore)
        yield "listener.name.ssl.ssl.client.auth", "required"
    accounts = " ".join(f'user_{name}="{word}"' for name, word in config.users.items())
    for listener in config.listeners:
        if listener in (Listener.SASL_PLAINTEXT, Listener.SASL_SSL):
            prefix = f"listener.name.{listener.value.lower()}"
            yield f"{prefix}.sasl.enabled.mechanisms", f"{SCRAM},PLAIN"
            yield f"{prefix}.{SCRAM.lower()}.sasl.jaas.config", f"{_SCRAM_MODULE} required;"
            yield f"{prefix}.plain.sasl.jaas.config", f"{_PLAIN_MODULE} required {accounts};"
