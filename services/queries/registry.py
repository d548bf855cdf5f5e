"""Every question that a service answers, by name."""

from __future__ import annotations

from typing import Any, Final

from services.queries.alerts import ALERTS, CLEAR, TEST
from services.queries.ask import ASK
from services.queries.find import FIND
from services.queries.findings import FINDINGS
from services.queries.gaps import GAPS, RELEASE
from services.queries.query import Query
from services.queries.redrive import REDRIVE
from services.queries.replay_source import REPLAY_SOURCE
from services.queries.report import INDEX, REPORT
from services.queries.round import ROUND
from services.queries.seal import SEAL
from services.queries.sql import SQL
from services.queries.verify import VERIFY

ALL: Final[tuple[Query[Any, Any], ...]] = (
    ALERTS,
    ASK,
    CLEAR,
    FIND,
    FINDINGS,
    GAPS,
    INDEX,
    REDRIVE,
    RELEASE,
    REPLAY_SOURCE,
    REPORT,
    ROUND,
    SEAL,
    SQL,
    TEST,
    VERIFY,
)

QUERIES: Final = {query.name: query for query in ALL}
