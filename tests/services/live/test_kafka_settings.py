"""How Kafka is reached: what is missing is named, and no secret ever is."""

from pathlib import Path

import pytest

from services.live.errors import BadKafkaSettingError
from services.live.kafka_settings import kafka_settings

SASL = {
    "PITPROOF_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
    "PITPROOF_KAFKA_SASL_MECHANISM": "SCRAM-SHA-256",
    "PITPROOF_KAFKA_SASL_USERNAME": "auditor",
    "PITPROOF_KAFKA_SASL_PASSWORD": "hush-hush",
}


def test_flag_before_environment_before_file() -> None:
    file = {"bootstrap_servers": "file:1"}
    environment = {"KAFKA_BOOTSTRAP_SERVERS": "environment:2,other:3"}
    assert kafka_settings("flag:4", file, environment).servers == ("flag:4",)
    assert kafka_settings(None, file, environment).servers == ("environment:2", "other:3")
    assert kafka_settings(None, file, {}).servers == ("file:1",)


def test_secrets_reach_the_client_and_nothing_else() -> None:
    settings = kafka_settings("kafka:9092", {}, SASL)
    assert settings.client()["sasl_plain_password"] == "hush-hush"
    assert "hush" not in f"{settings!r} {settings}"


def test_a_secret_out_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush-hush\n")
    environment = {name: value for name, value in SASL.items() if "PASSWORD" not in name}
    file = {"sasl_password_file": str(tmp_path / "secret")}
    assert kafka_settings("kafka:9092", file, environment).secrets["sasl_password"] == "hush-hush"


@pytest.mark.parametrize(
    ("file", "environment", "cause"),
    [
        ({"sasl_password": "hush"}, {}, "secrets do not belong into a settings file"),
        ({"colour": "red"}, {}, "no setting 'colour'"),
        ({"security_protocol": "TLS"}, {}, "none of PLAINTEXT"),
        ({"security_protocol": "SASL_SSL"}, {}, "sasl_mechanism"),
        ({"security_protocol": "SSL", "ca_file": "/nowhere"}, {}, "ca_file: /nowhere"),
        ({"cert_file": "x"}, {}, "go together"),
        ({}, {**SASL, "PITPROOF_KAFKA_SASL_PASSWORD": ""}, "needs sasl_password"),
        ({}, {**SASL, "PITPROOF_KAFKA_SASL_MECHANISM": "OAUTHBEARER"}, "oauth_token_url"),
    ],
)
def test_what_does_not_do_is_said(
    file: dict[str, str], environment: dict[str, str], cause: str
) -> None:
    with pytest.raises(BadKafkaSettingError, match=cause) as refused:
        kafka_settings("kafka:9092", file, environment)
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize("servers", ["", "kafka", "kafka:port", ":9092"])
def test_servers_are_hosts_with_ports(servers: str) -> None:
    with pytest.raises(BadKafkaSettingError):
        kafka_settings(servers, {}, {})


def test_a_token_out_of_a_file_is_read_anew_for_each_connection(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    environment = {
        "PITPROOF_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "PITPROOF_KAFKA_SASL_MECHANISM": "OAUTHBEARER",
        "PITPROOF_KAFKA_OAUTH_TOKEN_FILE": str(token),
    }
    provider = kafka_settings("kafka:9092", {}, environment).client()["sasl_oauth_token_provider"]
    assert provider.token() == "first"
    token.write_text("second")
    assert provider.token() == "second"
