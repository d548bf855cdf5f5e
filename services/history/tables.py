"""The tables of a history."""

from __future__ import annotations

from typing import Final

from replay.findings import FindingCode, Severity
from replay.verdict import RoundStatus
from services.history.alert_tables import ALERT_TABLES
from services.history.schema import ENUMS, EVENT_COLUMN_TYPES, word_of

_FINDING_COLUMNS: Final = """
    finding_id UUID NOT NULL,
    code finding_code NOT NULL,
    severity finding_severity NOT NULL,
    table_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,          -- of the first event concerned
    round_id VARCHAR,
    spot INTEGER,
    hand INTEGER,
    wager VARCHAR,
    bettor VARCHAR,
    expected_cents BIGINT,
    actual_cents BIGINT,
    expected_low_cents BIGINT,
    expected_high_cents BIGINT,
    first_missing_seq BIGINT,
    last_missing_seq BIGINT,
    clause VARCHAR NOT NULL,
    readings VARCHAR[] NOT NULL,
    message VARCHAR NOT NULL,
    game game_word,               -- of its round, else of its table then; null: never opened
    gaming_day DATE,
    dealer_id VARCHAR,            -- of its round
    event_nos BIGINT[] NOT NULL   -- in the order that shows the finding
"""

TABLES: Final = f"""
CREATE TABLE settings (name VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE TABLE transactions (
    transaction_no INTEGER NOT NULL,
    committed_at TIMESTAMPTZ NOT NULL,
    events BIGINT NOT NULL,       -- kept in this transaction, conflicts among them
    redelivered BIGINT NOT NULL,
    conflicts BIGINT NOT NULL,
    dead_letters BIGINT NOT NULL,
    changes BIGINT NOT NULL,      -- of findings
    records BIGINT NOT NULL,      -- of its own
    findings BIGINT NOT NULL,     -- current ones when it ended
    rounds BIGINT NOT NULL,
    last_event_no BIGINT NOT NULL, -- no event that came by then has a higher number
    chain UUID NOT NULL           -- digest of all that came so far, transaction by transaction
);

CREATE TABLE sources (source_no INTEGER NOT NULL, name VARCHAR NOT NULL);

-- The truth: every event once. No key is declared: the journal sees to it, `verify` checks it, and
-- an index over a year of events would have to fit into memory.
CREATE TABLE events (
    event_no BIGINT NOT NULL,     -- number of its arrival
    transaction_no INTEGER NOT NULL,
    standing BOOLEAN NOT NULL,    -- false: another content of its id or place came before
    {{digest}} -- of the content below
    source_no INTEGER NOT NULL,
    "position" BIGINT NOT NULL,   -- line or record from 1; offset in a topic
    {EVENT_COLUMN_TYPES}
);

CREATE TABLE dead_letters (
    letter_no BIGINT NOT NULL,    -- number of its arrival
    transaction_no INTEGER NOT NULL,
    source VARCHAR NOT NULL,      -- the file, or topic[partition]
    "position" BIGINT NOT NULL,
    error VARCHAR NOT NULL,
    bytes BLOB NOT NULL,
    digest VARCHAR NOT NULL,      -- SHA-256 of the bytes
    last_position BIGINT,         -- of a batch that is lost as a whole: its last offset
    sent_at TIMESTAMPTZ,          -- the record's timestamp
    key BLOB,
    tombstone BOOLEAN NOT NULL,   -- the record had no value at all
    redriven_in INTEGER           -- the transaction in which its events came in after all
);

CREATE TABLE rounds (
    digest UUID NOT NULL,         -- of what follows
    table_id VARCHAR NOT NULL,
    round_id VARCHAR NOT NULL,
    opened_seq BIGINT NOT NULL,
    ended_seq BIGINT,             -- of RoundClosed or RoundVoided
    opened_at TIMESTAMPTZ NOT NULL,
    ended_at TIMESTAMPTZ,
    game game_word NOT NULL,
    gaming_day DATE,              -- null: its table was never opened
    dealer_id VARCHAR,
    status round_status NOT NULL,
    wagers INTEGER NOT NULL,
    staked_cents HUGEINT NOT NULL, -- sums of amounts of 64 bits
    net_expected_cents HUGEINT NOT NULL,
    net_actual_cents HUGEINT NOT NULL,
    opened_no BIGINT NOT NULL,    -- event_no of its first event
    deck_high UBIGINT,            -- digest of its cards in order; null: not to be compared
    deck_low UBIGINT
);

CREATE TABLE findings (
    digest UUID,                  -- of what follows
    {_FINDING_COLUMNS}
);

CREATE VIEW finding_events AS
SELECT finding_id, unnest(range(1, len(event_nos) + 1))::INTEGER AS ordinal,
       unnest(event_nos) AS event_no
FROM findings;

-- Every verdict that was reached, in order: raised, changed, withdrawn, with what was then said.
CREATE TABLE finding_changes (
    change_no BIGINT NOT NULL,    -- from 1, without holes
    transaction_no INTEGER NOT NULL,
    change change_word NOT NULL,
    change_id UUID NOT NULL,
    digest UUID NOT NULL,         -- of what follows
    {_FINDING_COLUMNS}
);

-- How far the changes, or the dead letters, were published: by topic.
CREATE TABLE published (topic VARCHAR NOT NULL, up_to BIGINT NOT NULL);

-- What judging carries from round to round, kept at some places of every table's stream.
CREATE TABLE table_states (
    table_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,          -- of the RoundOpened that is next
    last_seq BIGINT NOT NULL,     -- of the event before
    first_event_no BIGINT NOT NULL, -- no event of the table from there on has a lower number
    kept BOOLEAN NOT NULL,        -- false: the latest of its table, until a later one comes
    rounds INTEGER NOT NULL,      -- judged since the one kept before
    state VARCHAR NOT NULL
);

-- How the pays of a wager under a table opening fit another paytable.
CREATE TABLE pay_rows (
    table_id VARCHAR NOT NULL,
    opening_seq BIGINT NOT NULL,
    game UTINYINT NOT NULL,
    gaming_day VARCHAR NOT NULL,
    wager UTINYINT NOT NULL,
    posted VARCHAR NOT NULL,
    other VARCHAR NOT NULL,
    other_only BIGINT NOT NULL,
    posted_only BIGINT NOT NULL,
    rounds VARCHAR[] NOT NULL,
    event_nos BIGINT[] NOT NULL,
    first_seq BIGINT NOT NULL
);

-- What people, or the service, did to the history itself: entered once, never changed.
CREATE TABLE records (
    digest UUID NOT NULL,         -- of what follows
    record_no BIGINT NOT NULL,    -- from 1, without holes
    transaction_no INTEGER NOT NULL,
    kind VARCHAR NOT NULL,        -- as gap_released
    table_id VARCHAR,             -- null: of no one table
    "at" TIMESTAMPTZ NOT NULL,
    "by" VARCHAR NOT NULL,
    fields VARCHAR NOT NULL       -- the rest, a JSON object
);

-- Missing numbers that a person released: they hold no round any more.
CREATE VIEW releases AS
SELECT transaction_no, table_id,
       try(fields ->> 'first_missing_seq')::BIGINT AS first_missing_seq,
       try(fields ->> 'last_missing_seq')::BIGINT AS last_missing_seq,
       "by" AS released_by, try(fields ->> 'why') AS why, "at" AS released_at
FROM records
WHERE kind = 'gap_released';

-- Where the next record of every partition is; what Kafka says of it is never resumed from.
CREATE TABLE positions (
    topic VARCHAR NOT NULL,
    topic_id VARCHAR NOT NULL,
    partition_no INTEGER NOT NULL,
    next_offset BIGINT NOT NULL
);

CREATE TABLE writer_schemas (
    fingerprint VARCHAR NOT NULL, -- CRC-64-AVRO, 16 hexadecimal digits
    schema VARCHAR NOT NULL,
    transaction_no INTEGER NOT NULL
);

CREATE TABLE registry_schemas (
    registry_id INTEGER NOT NULL,
    schema VARCHAR NOT NULL,
    transaction_no INTEGER NOT NULL
);

-- Three that repeat what events say: small, so that it is found without reading all events.
CREATE TABLE table_openings (
    event_no BIGINT NOT NULL,
    transaction_no INTEGER NOT NULL,
    standing BOOLEAN NOT NULL,
    table_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    game game_word NOT NULL,
    gaming_day DATE NOT NULL,
    spots INTEGER NOT NULL,
    paytables VARCHAR NOT NULL,
    minimum_cents BIGINT,
    maximum_cents BIGINT,
    house_way VARCHAR
);

CREATE TABLE round_openings (     -- those that stand
    event_no BIGINT NOT NULL,
    transaction_no INTEGER NOT NULL,
    table_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    round_id VARCHAR NOT NULL
);

CREATE TABLE corrections (
    event_no BIGINT NOT NULL,
    transaction_no INTEGER NOT NULL,
    standing BOOLEAN NOT NULL,
    kind kind_word NOT NULL,
    table_id VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    round_id VARCHAR NOT NULL,
    occurred_at TIMESTAMPTZ NOT NULL,
    card_code UTINYINT,
    outcome outcome_word,
    paid_cents BIGINT,
    corrects UUID NOT NULL,
    target_no BIGINT,             -- null: the event that it names has not come
    target_seq BIGINT,
    resolved_in INTEGER           -- the transaction in which both were there
);
"""  # noqa: S608 (constants only)


def creation(*, stores_digests: bool) -> list[str]:
    """The statements that make an empty history.

    An event's digest is stored, or computed when it is asked for (`digest_of_event`): a temporary
    history asks for few, to tell what was delivered twice from a conflict. A generated column would
    be computed for every event that comes, only to see that it can be.
    """
    types = {f"{field}_word": [word_of(member) for member in enum] for field, enum in ENUMS.items()}
    types["round_status"] = [status.name for status in RoundStatus]
    types["finding_code"] = [str(code) for code in FindingCode]
    types["finding_severity"] = [str(severity) for severity in Severity]
    types["change_word"] = ["RAISED", "CHANGED", "WITHDRAWN"]
    made = []
    for name, symbols in types.items():
        listed = ", ".join(f"'{symbol}'" for symbol in symbols)
        made.append(f"CREATE TYPE {name} AS ENUM ({listed})")
    digest = "digest UUID NOT NULL," if stores_digests else ""
    return [*made, TABLES.replace("{digest}", digest), ALERT_TABLES]
