"""For every test: what it starts hears Ctrl-C, and tests that need a broker are in one process."""

import signal
from typing import Any

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started the run in the back
    signal.signal(signal.SIGINT, signal.default_int_handler)

LIVE = "tests/live/"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Live tests one after the other in one process: they share a broker, and the cores."""
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class OneBroker(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return LIVE if nodeid.startswith(LIVE) else nodeid

    return OneBroker(config, log)
