"""How Kafka is reached: servers, TLS, SASL. Secrets come from the environment or from files only.

Everything is text, by the names below: in `pitproof.toml` in the table `[kafka]`, in the
environment as `PITPROOF_KAFKA_` and the name in capitals. The servers come from a flag, from
`PITPROOF_BOOTSTRAP_SERVERS` or from `KAFKA_BOOTSTRAP_SERVERS` as well.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from services.live.errors import BadKafkaSettingError, KafkaRefusedError

PREFIX: Final = "PITPROOF_KAFKA_"
SERVERS: Final = "KAFKA_BOOTSTRAP_SERVERS"
OWN_SERVERS: Final = "PITPROOF_BOOTSTRAP_SERVERS"
"""Of the flag's name, as all settings; it counts more than what is set for any client of Kafka."""

NAMES: Final = {
    "bootstrap_servers": "where the brokers are: host:port,host:port",
    "security_protocol": "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL",
    "ca_file": "who may sign the broker's certificate (PEM)",
    "cert_file": "our certificate (PEM)",
    "key_file": "its key (PEM)",
    "key_password_file": "a file with the key's password",
    "sasl_mechanism": "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER",
    "sasl_username": "who we are",
    "sasl_password_file": "a file with the password",
    "oauth_token_file": "a file with a token, read anew for each connection",
    "oauth_token_url": "where tokens are given out for the client's id and secret",
    "oauth_client_id": "the client's id",
    "oauth_client_secret_file": "a file with the client's secret",
    "oauth_scope": "what the token is asked for",
}
SECRETS: Final = {
    "key_password": "the key's password",
    "sasl_password": "the password",
    "oauth_client_secret": "the client's secret",
}
"""In the environment only. Each may lie in a file as well, `<name>_file`."""

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

_TOKEN_SECONDS_MAX: Final = 5.0  # a silent token server would hold up every connection for ever
_TOKEN_MARGIN_SECONDS: Final = 30.0  # a token that ends while it is sent is refused


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """A checked set of settings. Its text shows no secret."""

    servers: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def named(self) -> str:
        """The servers, for messages."""
        return ",".join(self.servers)

    @property
    def uses_sasl(self) -> bool:
        """Whether we say who we are."""
        return self.values.get("security_protocol", "").startswith("SASL")

    def client(self) -> dict[str, Any]:
        """The keyword arguments that every client of kafka-python takes."""
        protocol = self.values.get("security_protocol", "PLAINTEXT")
        options: dict[str, Any] = {
            "bootstrap_servers": list(self.servers),
            "client_id": "pitproof",
            "security_protocol": protocol,
        }
        if protocol.endswith("SSL"):
            options |= {
                "ssl_cafile": self.values.get("ca_file"),
                "ssl_certfile": self.values.get("cert_file"),
                "ssl_keyfile": self.values.get("key_file"),
                "ssl_password": self.secrets.get("key_password"),
            }
        if protocol.startswith("SASL"):
            mechanism = self.values["sasl_mechanism"]
            options["sasl_mechanism"] = mechanism
            if mechanism == "OAUTHBEARER":
                options["sasl_oauth_token_provider"] = token_provider(self)
            else:
                options["sasl_plain_username"] = self.values["sasl_username"]
                options["sasl_plain_password"] = self.secrets["sasl_password"]
        return options


def kafka_settings(
    flag: str | None,
    file: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> KafkaSettings:
    """Flag over environment over file.

    Raises:
        BadKafkaSettingError: something is missing, or does not do.
    """
    environment = os.environ if environment is None else environment
    values = dict(file or {})
    for name in values:
        if name in SECRETS:
            raise BadKafkaSettingError(
                f"kafka.{name}: secrets do not belong into a settings file",
                next_step=f"put it into {PREFIX}{name.upper()}, or a file named by {name}_file",
            )
        if name not in NAMES:
            raise BadKafkaSettingError(
                f"kafka: there is no setting {name!r}", next_step=f"there are {', '.join(NAMES)}"
            )
    for name in NAMES:
        if text := environment.get(PREFIX + name.upper()):
            values[name] = text
    servers = (
        flag
        or environment.get(OWN_SERVERS)
        or environment.get(SERVERS)
        or values.get("bootstrap_servers")
        or ""
    )
    listed = tuple(part.strip() for part in servers.split(",") if part.strip())
    if not listed:
        raise BadKafkaSettingError(
            "no Kafka given", next_step=f"name it with --bootstrap-servers HOST:PORT or {SERVERS}"
        )
    for server in listed:
        host, _, port = server.rpartition(":")
        if not host or not port.isdigit():
            raise BadKafkaSettingError(f"{server!r}: is not of the form HOST:PORT")
    settings = KafkaSettings(listed, values, _secrets(values, environment))
    _check(settings)
    return settings


def _secrets(values: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name in SECRETS:
        if text := environment.get(PREFIX + name.upper()):
            found[name] = text
        elif path := values.get(f"{name}_file"):
            found[name] = _read(f"kafka.{name}_file", path)
    return found


def _read(setting: str, path: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "is not text"
        raise BadKafkaSettingError(f"{setting}: {path}: {cause}") from None


def _check(settings: KafkaSettings) -> None:
    values, secrets = settings.values, settings.secrets
    protocol = values.get("security_protocol", "PLAINTEXT")
    if protocol not in PROTOCOLS:
        raise BadKafkaSettingError(
            f"kafka.security_protocol: {protocol!r} is none of {', '.join(PROTOCOLS)}"
        )
    for name in ("ca_file", "cert_file", "key_file"):
        if name in values and protocol.endswith("SSL"):
            _readable(name, values[name])
    if ("cert_file" in values) != ("key_file" in values):
        raise BadKafkaSettingError("kafka: cert_file and key_file go together")
    if not protocol.startswith("SASL"):
        return
    mechanism = values.get("sasl_mechanism", "")
    if mechanism not in MECHANISMS:
        raise BadKafkaSettingError(
            f"kafka.sasl_mechanism: {mechanism!r} is none of {', '.join(MECHANISMS)}"
        )
    if mechanism != "OAUTHBEARER":
        missing = [name for name in ("sasl_username",) if name not in values]
        missing += [name for name in ("sasl_password",) if name not in secrets]
    elif "oauth_token_file" in values:
        missing = []
    else:
        missing = [name for name in ("oauth_token_url", "oauth_client_id") if name not in values]
        missing += [name for name in ("oauth_client_secret",) if name not in secrets]
    if missing:
        raise BadKafkaSettingError(
            f"kafka: {mechanism} needs {' and '.join(missing)}",
            next_step=f"set {', '.join(PREFIX + name.upper() for name in missing)}",
        )


def _readable(name: str, path: str) -> None:
    try:
        with Path(path).expanduser().open("rb"):
            pass
    except OSError as error:
        raise BadKafkaSettingError(f"kafka.{name}: {path}: {error.strerror}") from None


def token_provider(settings: KafkaSettings) -> Any:
    """Gives out tokens as kafka-python asks for them."""
    from kafka.net.sasl.oauth import AbstractTokenProvider

    class Tokens(AbstractTokenProvider):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._token, self._good_until = "", 0.0

        def token(self) -> str:
            path = settings.values.get("oauth_token_file")
            if path:
                return _read("kafka.oauth_token_file", path)
            if time.monotonic() >= self._good_until:
                self._token, seconds = _token_from_server(settings)
                self._good_until = time.monotonic() + seconds - _TOKEN_MARGIN_SECONDS
            return self._token

    return Tokens()


def _token_from_server(settings: KafkaSettings) -> tuple[str, float]:
    """A token for the client's own credentials (RFC 6749, 4.4), and how long it is good for."""
    url = settings.values["oauth_token_url"]
    if not url.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise BadKafkaSettingError("kafka.oauth_token_url: must be https")
    form = {
        "grant_type": "client_credentials",
        "client_id": settings.values["oauth_client_id"],
        "client_secret": settings.secrets["oauth_client_secret"],
    }
    if scope := settings.values.get("oauth_scope"):
        form["scope"] = scope
    request = urllib.request.Request(url, urllib.parse.urlencode(form).encode())  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_TOKEN_SECONDS_MAX) as response:  # noqa: S310
            answer = json.load(response)
        return str(answer["access_token"]), float(answer.get("expires_in", 60))
    except (OSError, ValueError, KeyError, TypeError) as error:
        cause = f"status {error.code}" if isinstance(error, urllib.error.HTTPError) else "no answer"
        raise KafkaRefusedError(f"{url}: gives no token: {cause}") from None
