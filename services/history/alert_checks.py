"""Whether a history's alerts are what its findings, clearings and releases come to."""

from __future__ import annotations

from typing import Final

from replay.findings import FindingCode
from services.alerts.alert import Status

ALERT_CHECKS: Final = (
    (
        "finding",
        "it is under no cause of an alert, or is no more and still under one",
        "SELECT concat('finding ', replace(finding_id::VARCHAR, '-', '')) "
        "FROM (FROM findings WHERE severity <> 'info') AS found "
        "FULL JOIN alert_findings USING (finding_id) "
        "WHERE found.code IS NULL OR alert_findings.cause IS NULL",
    ),
    (
        "finding",
        "nobody cleared its alert or released its gap, and it is marked so; or the reverse",
        "SELECT concat('finding ', replace(finding_id::VARCHAR, '-', '')) "  # noqa: S608
        "FROM alert_findings JOIN findings USING (finding_id) WHERE is_over <> ("
        "finding_id IN (SELECT unnest(finding_ids) FROM clearings) "
        f"OR (code = '{FindingCode.SEQUENCE_GAP}' AND EXISTS (FROM releases "
        "WHERE releases.table_id = findings.table_id "
        "AND releases.first_missing_seq <= findings.first_missing_seq "
        "AND releases.last_missing_seq >= findings.last_missing_seq)))",
    ),
    (
        "finding",
        "the alert is not what its findings come to",
        "SELECT concat('alert ', coalesce(alert_id, cause)) "  # noqa: S608
        f"FROM (FROM alerts WHERE status = '{Status.OPEN}') AS held FULL JOIN ("
        "SELECT cause, count(*) AS number, count(DISTINCT round_id) AS number_rounds, "
        "coalesce(sum(delta_cents), 0) AS net "
        "FROM alert_findings WHERE NOT is_over GROUP BY cause) AS summed USING (cause) "
        "WHERE (number, number_rounds, net) IS DISTINCT FROM "
        "(findings, rounds, over_cents - under_cents)",
    ),
)
"""What is wrong, why, and the query for the places of it."""
