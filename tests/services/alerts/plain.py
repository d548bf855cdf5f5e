"""The alerts of a history worked out a second way: slowly, from all findings and records."""

import json
from collections import defaultdict
from hashlib import sha256
from typing import Any

from services.history.store import History

Row = dict[str, Any]

PAYOUT = (
    *("UNDERPAID", "OVERPAID", "WAGER_UNSETTLED", "SETTLED_WITHOUT_WAGER"),
    *("MISDEAL_NOT_CALLED", "WRONGLY_VOIDED"),
)
DECK = ("DUPLICATE_CARD", "DECK_ORDER_REPEATED", "DECKS_WRONG")


def open_alerts(history: History) -> dict[str, Row]:
    """By id, what the open alerts should be."""
    findings = _findings(history)
    mismatches = [row for row in findings if row["code"] == "PAYTABLE_MISMATCH"]
    cleared, last, released = _records(history)
    members: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in findings:
        gap = (row["table_id"], row["first_missing_seq"], row["last_missing_seq"])
        if row["severity"] == "info" or row["finding_id"] in cleared:
            continue
        if row["code"] == "SEQUENCE_GAP" and any(
            table == gap[0] and first <= gap[1] and gap[2] <= end for table, first, end in released
        ):
            continue
        members[_cause(row, mismatches)].append(row)
    return {
        alert["alert_id"]: alert
        for alert in (_alert(cause, rows, last.get(cause)) for cause, rows in members.items())
    }


def _cause(row: Row, mismatches: list[Row]) -> tuple[Any, ...]:
    code, at = row["code"], (row["table_id"], row["game"])
    if code in ("OVERPAID", "UNDERPAID"):
        for one in mismatches:
            same = all(one[name] == row[name] for name in ("table_id", "wager", "gaming_day"))
            if same and set(one["event_nos"]) & set(row["event_nos"]):
                return ("paytable", "PAYTABLE_MISMATCH", *at, row["wager"], "none", None, None)
    if code in ("PAYTABLE_MISMATCH", "PAYTABLE_UNKNOWN"):
        return ("paytable", code, *at, row["wager"], "none", None, None)
    if code in DECK:
        return ("deck", code, *at, None, "none", None, None)
    if code == "SEQUENCE_GAP":
        return ("gap", code, *at, None, "none", None, row["first_missing_seq"])
    if code not in PAYOUT:
        return ("procedure", code, *at, row["wager"], "none", row["dealer_id"], None)
    delta = _delta(row)
    way = "none" if not delta else "over" if delta > 0 else "under"
    return ("payout", code, *at, row["wager"], way, row["dealer_id"], None)


def _delta(row: Row) -> int | None:
    due, paid = row["expected_cents"], row["actual_cents"]
    if row["code"] == "WAGER_UNSETTLED" and due is not None:
        paid = 0
    return None if due is None or paid is None else paid - due


def _alert(cause: tuple[Any, ...], rows: list[Row], follows: str | None) -> Row:
    rows = sorted(rows, key=lambda row: (row["seq"], row["finding_id"]))
    deltas = [_delta(row) for row in rows]
    text = f"{json.dumps(cause, ensure_ascii=False)}\n{follows or ''}"
    return {
        "alert_id": sha256(text.encode()).hexdigest()[:12],
        "follows": follows,
        "cause": cause,
        "findings": len(rows),
        "rounds": len({row["round_id"] for row in rows} - {None}),
        "over_cents": sum(delta for delta in deltas if delta and delta > 0),
        "under_cents": -sum(delta for delta in deltas if delta and delta < 0),
        "is_grave": any(
            row["severity"] == "critical" and delta is None
            for row, delta in zip(rows, deltas, strict=True)
        ),
        "first": (rows[0]["seq"], rows[0]["round_id"], rows[0]["shown_at"]),
        "last": (rows[-1]["seq"], rows[-1]["round_id"], rows[-1]["shown_at"]),
        "gaming_day": rows[-1]["gaming_day"],
    }


def held(history: History) -> dict[str, Row]:
    """By id, what the history has as its open alerts."""
    names = ("kind", "code", "table_id", "game", "wager", "direction", "dealer_id", "gap_seq")
    rows = _objects(history, "SELECT * FROM alerts WHERE status = 'open'")
    plain = ("alert_id", "follows", "findings", "rounds", "over_cents", "under_cents", "is_grave")
    return {
        row["alert_id"]: {
            **{name: row[name] for name in (*plain, "gaming_day")},
            "cause": tuple(row[name] for name in names),
            "first": (row["first_seq"], row["first_round"], row["first_at"]),
            "last": (row["last_seq"], row["last_round"], row["last_at"]),
        }
        for row in rows
    }


def _findings(history: History) -> list[Row]:
    rows = _objects(
        history,
        "SELECT findings.* REPLACE (replace(finding_id::VARCHAR, '-', '') AS finding_id, "
        "coalesce(findings.game::VARCHAR, 'UNKNOWN') AS game), events.occurred_at AS shown_at "
        "FROM findings LEFT JOIN events ON event_no = event_nos[-1]",
    )
    dealers = dict(
        history.rows(
            "SELECT table_id || ' ' || round_id, arg_min_null(dealer_id, opened_seq) "
            "FROM rounds GROUP BY ALL"
        )
    )
    for row in rows:
        if row["dealer_id"] is not None:
            assert dealers[f"{row['table_id']} {row['round_id']}"] == row["dealer_id"]
    return rows


def _records(history: History) -> tuple[set[str], dict[tuple[Any, ...], str], list[Any]]:
    cleared: set[str] = set()
    last: dict[tuple[Any, ...], str] = {}
    released = []
    for kind, table_id, text in history.rows(
        "SELECT kind, table_id, fields FROM records ORDER BY record_no"
    ):
        fields = json.loads(text)
        if kind == "alert_cleared":
            cleared |= set(fields["finding_ids"])
            last[tuple(json.loads(fields["cause"]))] = fields["alert_id"]
        elif kind == "gap_released":
            span = (fields["first_missing_seq"], fields["last_missing_seq"])
            released.append((table_id, *span))
    return cleared, last, released


def _objects(history: History, sql: str) -> list[Row]:
    table = history.table(sql)
    names = table.column_names
    return [dict(zip(names, row, strict=True)) for row in history.rows(sql)]
