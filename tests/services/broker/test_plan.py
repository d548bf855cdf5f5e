"""Plans, ports and properties: what a broker is made of before it runs."""

import re
import socket
from pathlib import Path

import pytest

from services.broker.broker import Broker
from services.broker.config import BrokerConfig, Listener, Tls
from services.broker.errors import BrokerFolderError, BrokerPortError
from services.broker.plan import FILE_NAME, Plan, kafka_uuid, read_plan, write_plan
from services.broker.ports import check_free, free_ports
from services.broker.properties import server_properties, voters
from services.errors import BadArgumentError

TLS = Tls(Path("/certificates/broker.pem"), Path("/certificates/authority.pem"))


def values_of(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def test_ports_follow_one_another() -> None:
    plan = Plan.new(3, BrokerConfig(port=9092, tls=TLS, users={"a": "b"}))
    assert sorted(plan.ports()) == list(range(9092, 9092 + 15))
    assert plan.servers(Listener.PLAINTEXT) == "127.0.0.1:9092,127.0.0.1:9093,127.0.0.1:9094"
    assert plan.servers(Listener.SSL) == "127.0.0.1:9095,127.0.0.1:9096,127.0.0.1:9097"
    assert [node.controller_port for node in plan.nodes] == [9104, 9105, 9106]


def test_a_plan_is_kept(tmp_path: Path) -> None:
    assert read_plan(tmp_path) is None
    plan = Plan.new(3, BrokerConfig(port=9092)).with_process(2, 4711)
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan
    assert plan.node(2).process_id == 4711
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cluster_id": "x"}', '{"nodes": [1]}'])
def test_a_damaged_plan_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(BrokerFolderError, match=re.escape(str(tmp_path / FILE_NAME))):
        read_plan(tmp_path)


def test_identities_are_as_kafka_writes_them() -> None:
    identities = {kafka_uuid() for _ in range(500)}
    assert len(identities) == 500
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}", one) for one in identities)


@pytest.mark.parametrize(("nodes", "in_sync"), [(1, "1"), (3, "2")])
def test_copies_follow_from_the_number_of_nodes(nodes: int, in_sync: str) -> None:
    plan = Plan.new(nodes, BrokerConfig(port=9092))
    values = values_of(server_properties(plan, plan.node(1), BrokerConfig()))
    assert values["default.replication.factor"] == str(nodes)
    assert values["min.insync.replicas"] == in_sync
    assert values["transaction.state.log.min.isr"] == in_sync
    assert len(voters(plan).split(",")) == nodes


def test_what_is_asked_for_comes_over_all_else() -> None:
    config = BrokerConfig(port=9092, properties={"num.partitions": "1", "path": "a\\b/é"})
    plan = Plan.new(1, config)
    values = values_of(server_properties(plan, plan.node(1), config))
    assert values["num.partitions"] == "1"
    assert values["path"] == "a\\\\b/\\u00e9"


def test_passwords_are_asked_for_only_where_there_are_users() -> None:
    plain = BrokerConfig(port=9092)
    named = BrokerConfig(port=9092, users={"auditor": "word"})
    texts = [
        server_properties(plan, plan.node(1), config)
        for config in (plain, named)
        for plan in [Plan.new(1, config)]
    ]
    assert ["sasl" in text for text in texts] == [False, True]
    assert "word" not in repr(named)


@pytest.mark.parametrize("users", [{"a b": "c"}, {"a": 'b"'}, {"a": ""}, {"": "b"}, {"a": "b,c"}])
def test_users_that_would_need_quoting_are_refused(users: dict[str, str]) -> None:
    with pytest.raises(BadArgumentError):
        BrokerConfig(users=users)


@pytest.mark.parametrize("nodes", [0, 2, 4])
def test_two_nodes_are_refused(nodes: int) -> None:
    with pytest.raises(BadArgumentError, match="1 node or 3"):
        Broker(nodes)


def test_a_port_in_use_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(BrokerPortError, match=str(port)) as refused:
            check_free([free_ports(1), port])
    assert "--port" in refused.value.next_step


@pytest.mark.parametrize("ports", [[65_536], [20_001, 20_001]])
def test_ports_that_cannot_be_are_refused(ports: list[int]) -> None:
    with pytest.raises(BrokerPortError):
        check_free(ports)


def test_a_plan_of_another_size_is_not_taken_over(tmp_path: Path) -> None:
    write_plan(tmp_path, Plan.new(3, BrokerConfig(port=free_ports(6))))
    (tmp_path / "lock").touch()
    broker = Broker(1, BrokerConfig(directory=tmp_path))
    broker.directory = tmp_path
    with pytest.raises(BrokerFolderError, match="of 3, not of 1"):
        broker._planned()
