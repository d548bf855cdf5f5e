"""`serve` and a broker that asks who comes: let in, or a clear word, and never a secret in it."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.broker.broker import Broker
from services.broker.config import BrokerConfig, Listener, Tls
from tests.live.certificates import Authority
from tests.live.conftest import broker
from tests.live.serving import pitproof

pytestmark = pytest.mark.real_kafka

SECONDS_MAX = 15
PASSWORD = "right-word"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("secured")


@pytest.fixture(scope="module")
def authorities(folder: Path) -> tuple[Authority, Authority]:
    return Authority("trusted", folder), Authority("unknown", folder)


@pytest.fixture(scope="module")
def secured(authorities: tuple[Authority, Authority]) -> Iterator[Broker]:
    trusted, _ = authorities
    tls = Tls(keystore=trusted.issue("broker").both, truststore=trusted.certificate)
    with broker(1, BrokerConfig(tls=tls, users={"auditor": PASSWORD})) as opened:
        yield opened


def serve(servers: str, folder: Path, **settings: str) -> tuple[int, str]:
    """Status and what is said, in time."""
    environment = {f"PITPROOF_KAFKA_{name.upper()}": value for name, value in settings.items()}
    started = time.monotonic()
    ended = pitproof(
        *("serve", "--db", folder / "history.duckdb", "--bootstrap-servers", servers),
        *("--create-topics", "--until-end"),
        environment=environment,
    )
    assert time.monotonic() - started < SECONDS_MAX
    assert "Traceback" not in ended.stderr
    assert "-word" not in ended.stderr
    return ended.returncode, ended.stderr


def test_tls_with_a_certificate_of_ours(
    secured: Broker, authorities: tuple[Authority, Authority], tmp_path: Path
) -> None:
    trusted, unknown = authorities
    known, stranger = trusted.issue("client"), unknown.issue("stranger")
    settings = {
        "security_protocol": "SSL",
        "ca_file": str(trusted.certificate),
        "cert_file": str(known.certificate),
        "key_file": str(known.key),
    }
    servers = secured.servers(Listener.SSL)
    assert serve(servers, tmp_path, **settings)[0] == 0
    theirs = {"cert_file": str(stranger.certificate), "key_file": str(stranger.key)}
    status, said = serve(servers, tmp_path, **{**settings, **theirs})
    assert status == 2
    assert f"Kafka at {servers}" in said
    status, said = serve(servers, tmp_path, **{**settings, "ca_file": str(unknown.certificate)})
    assert status == 2
    assert "not signed by an authority we trust" in said


@pytest.mark.parametrize(
    ("listener", "mechanism"),
    [(Listener.SASL_SSL, "SCRAM-SHA-512"), (Listener.SASL_PLAINTEXT, "PLAIN")],
)
def test_sasl_with_a_password_out_of_a_file(
    secured: Broker,
    authorities: tuple[Authority, Authority],
    tmp_path: Path,
    listener: Listener,
    mechanism: str,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{PASSWORD}\n")
    settings = {
        "security_protocol": listener.value,
        "ca_file": str(authorities[0].certificate),
        "sasl_mechanism": mechanism,
        "sasl_username": "auditor",
    }
    servers = secured.servers(listener)
    assert serve(servers, tmp_path, **settings, sasl_password_file=str(secret))[0] == 0
    status, said = serve(servers, tmp_path, **settings, sasl_password="wrong-word")
    assert status == 2
    assert "refuses the user name or the password" in said
    status, said = serve(servers, tmp_path, **settings)
    assert status == 2
    assert "PITPROOF_KAFKA_SASL_PASSWORD" in said
