"""Ports to listen on: free ones found, given ones checked."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterable
from typing import Final

from services.broker.errors import BrokerPortError

HOST: Final = "127.0.0.1"
PORT_MAX: Final = 65_535

# Below what systems hand out for outgoing connections. A client that keeps trying the port of a
# killed node would in that range sooner or later connect to itself and hold the port.
_FREE: Final = range(20_000, 32_000)
_TRIES_MAX: Final = 200


def free_ports(count: int) -> int:
    """The first of so many ports in a row that nobody listens on.

    Raises:
        BrokerPortError: none were found.
    """
    chance = random.SystemRandom()  # so that two test runs hardly take the same
    for _ in range(_TRIES_MAX):
        first = chance.randrange(_FREE.start, _FREE.stop - count)
        if all(_trouble(port) is None for port in range(first, first + count)):
            return first
    raise BrokerPortError(f"no {count} free ports in a row from {_FREE.start} to {_FREE.stop}")


def check_free(ports: Iterable[int]) -> None:
    """Refuse ports that cannot be listened on.

    Raises:
        BrokerPortError: one cannot, or is asked for twice.
    """
    seen: set[int] = set()
    for port in ports:
        if port > PORT_MAX:
            trouble: str | None = f"ports end at {PORT_MAX}"
        elif port in seen:
            trouble = "two listeners of this broker would share it"
        else:
            trouble = _trouble(port)
        if trouble is not None:
            raise BrokerPortError(
                f"port {port} on {HOST}: {trouble}",
                next_step="stop what listens there, or choose others with --port",
            )
        seen.add(port)


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((HOST, port)) == 0


def _trouble(port: int) -> str | None:
    with socket.socket() as probe:
        # As the broker does: what is left of ended connections does not count as in use.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            return error.strerror or str(error)
    return None
