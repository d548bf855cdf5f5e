"""Who is told of alerts: webhooks and Alertmanagers, by name, each with its secret.

Names and addresses are settings (`webhooks`, `alertmanagers`). Secrets come from the environment or
from a file that it names, and are never shown: `PITPROOF_WEBHOOK_SECRET_PAGER`, or
`PITPROOF_WEBHOOK_SECRET_PAGER_FILE`, for the webhook `pager`; without the name, for all of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from services.errors import BadSettingError

if TYPE_CHECKING:
    from services.settings import Settings

SECRET: Final = "PITPROOF_WEBHOOK_SECRET"  # noqa: S105 (the name of a variable)
TOKEN: Final = "PITPROOF_ALERTMANAGER_TOKEN"  # noqa: S105 (the name of a variable)

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class ReceiverKind(StrEnum):
    """How a receiver is spoken to."""

    WEBHOOK = "webhook"
    ALERTMANAGER = "alertmanager"


@dataclass(frozen=True, slots=True)
class Receiver:
    """One of them. Its text shows no secret."""

    name: str
    kind: ReceiverKind
    url: str
    secret: str = field(default="", repr=False)
    """Of a webhook the key that signs; of an Alertmanager a bearer token, or nothing."""


def receivers_of(
    settings: Settings, environment: Mapping[str, str] | None = None
) -> list[Receiver]:
    """Those that are set, in the order of their names.

    Raises:
        BadSettingError: an address that is none, a name given twice, a secret that is missing.
    """
    environment = os.environ if environment is None else environment
    found = [
        _receiver(name, kind, url, environment)
        for kind, listed in (
            (ReceiverKind.WEBHOOK, settings.webhooks),
            (ReceiverKind.ALERTMANAGER, settings.alertmanagers),
        )
        for name, url in listed.items()
    ]
    names = [one.name for one in found]
    for name in names:
        if names.count(name) > 1:
            raise BadSettingError(
                f"{name}: is both a webhook and an Alertmanager", next_step="give it two names"
            )
    return sorted(found, key=lambda one: one.name)


def _receiver(name: str, kind: ReceiverKind, url: str, environment: Mapping[str, str]) -> Receiver:
    place = f"{kind}s.{name}"
    if not _NAME.fullmatch(name):
        raise BadSettingError(
            f"{place}: is not a name", next_step="use letters, digits, hyphens, dots"
        )
    try:
        parts = urlsplit(url)
        has_port = parts.port != 0
    except ValueError:
        parts, has_port = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not has_port:
        raise BadSettingError(
            f"{place}: is not an address", next_step="write it as https://host/path"
        )
    if parts.username is not None or parts.password is not None:
        raise BadSettingError(
            f"{place}: secrets do not belong into an address",
            next_step=f"put it into {_variable(kind, name)}, or a file that "
            f"{_variable(kind, name)}_FILE names",
        )
    secret = _secret(kind, name, environment)
    if kind is ReceiverKind.WEBHOOK and not secret:
        raise BadSettingError(
            f"{place}: has no secret to sign with",
            next_step=f"set {_variable(kind, name)}, or a file by {_variable(kind, name)}_FILE; "
            f"{SECRET} is for all webhooks",
        )
    return Receiver(name, kind, url, secret)


def _variable(kind: ReceiverKind, name: str) -> str:
    prefix = SECRET if kind is ReceiverKind.WEBHOOK else TOKEN
    return f"{prefix}_{re.sub('[^A-Z0-9]', '_', name.upper())}"


def _secret(kind: ReceiverKind, name: str, environment: Mapping[str, str]) -> str:
    own = _variable(kind, name)
    for variable in (own, SECRET if kind is ReceiverKind.WEBHOOK else TOKEN):
        if text := environment.get(variable):
            return text
        if path := environment.get(f"{variable}_FILE"):
            return _read(f"{variable}_FILE", path)
    return ""


def _read(variable: str, path: str) -> str:
    try:
        text = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "is not text"
        raise BadSettingError(f"{variable}: {path}: cannot be read: {cause}") from error
    if not text:
        raise BadSettingError(f"{variable}: {path}: is empty")
    return text
