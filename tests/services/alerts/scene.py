"""A table whose findings a test sets as it likes, and a courier that tells of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from replay.findings import Finding, FindingCode
from services.alerts.delivery import delivering
from services.alerts.receivers import Receiver, ReceiverKind
from services.history.store import History
from services.live.state import ServiceState
from services.metrics import Metrics
from services.settings import Settings
from tests.services.alerts.receiving import Receiving
from tests.services.history.build import append, as_kept, evening
from tests.services.history.test_verdicts import judge

TABLE = "A"
ROUNDS = 12
PER_ROUND = 6
SECRET = "s3cret"


@contextmanager
def table(path: Path | None = None) -> Iterator[History]:
    """A history of one table's evening, without a finding."""
    is_new = path is None or not path.exists()
    with as_kept() if path is None else History.open(path) as history:
        if is_new:
            append(history, evening(TABLE, ROUNDS))
        yield history


def find(history: History, *findings: Finding) -> None:
    """Have these findings, and no others: one transaction."""
    judge(history, list(findings))


def found(number: int, code: str = "OVERPAID", cents: int | None = 10_00, **more: Any) -> Finding:
    """A finding of a round, 1 to ROUNDS; all even ones are of one dealer, the odd of another."""
    seq = 2 + (number - 1) * PER_ROUND + 1
    named = {"round_id": f"{TABLE}-1-{number}", "wager": "BIG_8", **more}
    return Finding(
        code=FindingCode(code),
        finding_id=f"{number:016x}{list(FindingCode).index(FindingCode(code)):016x}",
        table_id=TABLE,
        seq=seq,
        expected_cents=None if cents is None else 0,
        actual_cents=cents,
        clause="(1)",
        event_nos=named.pop("event_nos", (seq,)),
        **named,
    )


def webhook(at: Receiving, name: str = "pager") -> Receiver:
    return Receiver(name, ReceiverKind.WEBHOOK, at.url, SECRET)


def alertmanager(at: Receiving, token: str = "") -> Receiver:
    return Receiver("am", ReceiverKind.ALERTMANAGER, f"http://127.0.0.1:{at.port}/", token)


@contextmanager
def telling(
    history: History, *receivers: Receiver, **settings: Any
) -> Iterator[tuple[ServiceState, Metrics]]:
    """These are told while the body runs."""
    state, metrics = ServiceState(), Metrics()
    set_so = Settings(timezone="UTC", **settings)
    with delivering(history, state, set_so, metrics, receivers):
        yield state, metrics
