"""Who may come in: TLS with client certificates, SASL with passwords."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from services.broker.broker import Broker
from services.broker.config import BrokerConfig, Listener, Tls
from tests.live.certificates import Authority
from tests.live.conftest import broker

pytestmark = pytest.mark.real_kafka

REFUSED_MILLISECONDS = 1_500  # kafka-python tries again all that time

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Secured:
    """A broker with every listener, its authority, and one that it does not know."""

    broker: Broker
    trusted: Authority
    unknown: Authority

    def certified(self, signed_by: Authority, name: str) -> Settings:
        pem = signed_by.issue(name)
        return {
            "bootstrap_servers": self.broker.servers(Listener.SSL),
            "security_protocol": "SSL",
            "ssl_cafile": str(self.trusted.certificate),
            "ssl_certfile": str(pem.certificate),
            "ssl_keyfile": str(pem.key),
        }

    def named(self, listener: Listener, mechanism: str, password: str) -> Settings:
        return {
            "bootstrap_servers": self.broker.servers(listener),
            "security_protocol": listener.value,
            "ssl_cafile": str(self.trusted.certificate),
            "sasl_mechanism": mechanism,
            "sasl_plain_username": "auditor",
            "sasl_plain_password": password,
        }

    def refusal(self, settings: Settings) -> str:
        """What the broker says of a client that does not come in; the client only gives up."""
        log = self.broker.log_of(1)
        before = log.stat().st_size
        with pytest.raises(KafkaError, match="Unable to bootstrap"):
            comes_in({**settings, "bootstrap_timeout_ms": REFUSED_MILLISECONDS})
        return log.read_bytes()[before:].decode()


def comes_in(settings: Settings) -> bool:
    with contextlib.closing(KafkaAdminClient(**settings)) as admin:
        return len(admin.describe_cluster()["brokers"]) == 1


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("authorities")
    trusted, unknown = Authority("trusted", folder), Authority("unknown", folder)
    tls = Tls(keystore=trusted.issue("broker").both, truststore=trusted.certificate)
    with broker(1, BrokerConfig(tls=tls, users={"auditor": "right-word"})) as opened:
        yield Secured(opened, trusted, unknown)


def test_a_known_certificate_opens(secured: Secured) -> None:
    assert comes_in(secured.certified(secured.trusted, "client"))


def test_no_certificate_does_not_open(secured: Secured) -> None:
    settings = {**secured.certified(secured.trusted, "client")}
    del settings["ssl_certfile"], settings["ssl_keyfile"]
    assert "SSL handshake failed" in secured.refusal(settings)


def test_a_certificate_of_an_unknown_authority_does_not_open(secured: Secured) -> None:
    settings = secured.certified(secured.unknown, "stranger")
    assert "SSL handshake failed" in secured.refusal(settings)


def test_a_broker_of_an_unknown_authority_is_not_trusted(
    secured: Secured, caplog: pytest.LogCaptureFixture
) -> None:
    settings = secured.certified(secured.trusted, "client")
    secured.refusal({**settings, "ssl_cafile": str(secured.unknown.certificate)})
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text


@pytest.mark.parametrize(
    ("listener", "mechanism"),
    [(Listener.SASL_SSL, "SCRAM-SHA-512"), (Listener.SASL_PLAINTEXT, "PLAIN")],
)
def test_only_the_right_password_opens(
    secured: Secured, listener: Listener, mechanism: str
) -> None:
    assert comes_in(secured.named(listener, mechanism, "right-word"))
    refusal = secured.refusal(secured.named(listener, mechanism, "wrong-word"))
    assert "Failed authentication" in refusal
    assert "-word" not in refusal
