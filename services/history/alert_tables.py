"""The tables of alerts: which cause every finding has, the alerts that come of it, who was told."""

from __future__ import annotations

from typing import Final

ALERT_TABLES: Final = """
-- Every finding that is not info only, under its cause.
CREATE TABLE alert_findings (
    cause VARCHAR NOT NULL,       -- kind up to gap_seq of the alert, a JSON list
    finding_id UUID NOT NULL,
    seq BIGINT NOT NULL,
    round_id VARCHAR,
    shown_at TIMESTAMPTZ NOT NULL, -- occurred_at of the last event that shows it
    gaming_day DATE,
    delta_cents HUGEINT,          -- null: it has no amount
    is_critical BOOLEAN NOT NULL,
    is_over BOOLEAN NOT NULL      -- cleared, or its gap was released
);

-- The sum of those that are not over, a row for each cause; of ended alerts, what ended them.
CREATE TABLE alerts (
    alert_id VARCHAR NOT NULL,
    follows VARCHAR,              -- the alert of that cause which was cleared before
    cause VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,        -- payout, paytable, deck, gap, procedure
    code finding_code NOT NULL,
    table_id VARCHAR NOT NULL,
    game VARCHAR NOT NULL,
    wager VARCHAR,
    direction VARCHAR NOT NULL,   -- over, under, none
    dealer_id VARCHAR,
    gap_seq BIGINT,               -- the first number that is missing
    findings BIGINT NOT NULL,     -- 0 once it has ended
    rounds BIGINT NOT NULL,
    over_cents HUGEINT NOT NULL,  -- sums of amounts of 64 bits
    under_cents HUGEINT NOT NULL,
    is_grave BOOLEAN NOT NULL,    -- one of them is critical and has no amount
    first_finding UUID NOT NULL,
    first_seq BIGINT NOT NULL,
    first_round VARCHAR,
    first_at TIMESTAMPTZ NOT NULL,
    last_seq BIGINT NOT NULL,
    last_round VARCHAR,
    last_at TIMESTAMPTZ NOT NULL,
    gaming_day DATE,              -- of the last
    status VARCHAR NOT NULL,      -- open, withdrawn, joined, released
    joined VARCHAR                -- the alert that has its rounds now
);

-- Alerts that a named person cleared, each with the findings that it then had.
CREATE VIEW clearings AS
SELECT record_no, transaction_no, table_id, try(fields ->> 'alert_id') AS alert_id,
       try(fields ->> 'cause') AS cause,
       try((fields -> 'finding_ids')::VARCHAR[]::UUID[]) AS finding_ids,
       try(fields -> 'alert')::VARCHAR AS alert,
       "by" AS cleared_by, try(fields ->> 'why') AS why, "at" AS cleared_at
FROM records
WHERE kind = 'alert_cleared';

-- How much of every alert a receiver was told. Written by who delivers, between transactions too.
CREATE TABLE alert_deliveries (
    receiver VARCHAR NOT NULL,
    alert_id VARCHAR NOT NULL,
    findings BIGINT NOT NULL,     -- the most that it was told of
    severity VARCHAR NOT NULL,
    is_open BOOLEAN NOT NULL,
    told_at TIMESTAMPTZ NOT NULL
);
"""
