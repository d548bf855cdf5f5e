"""An alert to a webhook: JSON, signed over its bytes and the time, so that a receiver can trust it.

    Pitproof-Time: 1776550440
    Pitproof-Signature: sha256=<HMAC-SHA256 with the secret over the time, a dot and the body>
    Pitproof-Delivery: 3f9c21d4a07b-37-open

A receiver that works it out the same way, and refuses times that are minutes old, knows who sent it
and that it is not sent once more by somebody else. The delivery's name is the same when one is
repeated because its answer was lost.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from services.alerts.told import Told

VERSION: Final = 1

TIME: Final = "Pitproof-Time"
SIGNATURE: Final = "Pitproof-Signature"
DELIVERY: Final = "Pitproof-Delivery"


def message_of(told: Told, secret: str, unix_seconds: int) -> tuple[bytes, dict[str, str]]:
    """Body and headers for an alert."""
    content: Mapping[str, Any] = {"version": VERSION, **told}
    body = json.dumps(content, ensure_ascii=False).encode()
    return body, {
        "Content-Type": "application/json",
        "User-Agent": f"pitproof/{version('pitproof')}",
        TIME: str(unix_seconds),
        SIGNATURE: signature(secret, unix_seconds, body),
        DELIVERY: f"{told['id']}-{told['count']}-{told['status']}",
    }


def signature(secret: str, unix_seconds: int, body: bytes) -> str:
    """What proves that somebody who has the secret sent this at that time.

    >>> signature("s3cret", 1776550440, b"{}")[:20]
    'sha256=bd8be177f2264'
    """
    signed = f"{unix_seconds}.".encode() + body
    return f"sha256={hmac.new(secret.encode(), signed, sha256).hexdigest()}"
