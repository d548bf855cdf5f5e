"""Every question that a service answers, by name."""

from __future__ import annotations

from typing import Any, Final

from services.queries.findings import FINDINGS
from services.queries.gaps import GAPS, RELEASE
from services.queries.query import Query
from services.queries.round import ROUND
from services.queries.sql import SQL
from services.queries.verify import VERIFY

ALL: Final[tuple[Query[Any, Any], ...]] = (FINDINGS, GAPS, RELEASE, ROUND, SQL, VERIFY)

QUERIES: Final = {query.name: query for query in ALL}
