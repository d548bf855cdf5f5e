-- What divides the stream of each table: it is opened, closed, its tray is counted. Of tables that
-- were opened from one gaming day ($1) to another ($2), from the opening before the first of these
-- up to the one after the last. $3: one table only.

WITH within AS (
    SELECT table_id, min(seq) AS first_seq, max(seq) AS last_seq
    FROM table_openings
    WHERE standing AND gaming_day BETWEEN $1 AND $2 AND ($3 IS NULL OR table_id = $3)
    GROUP BY table_id
),
around AS (
    SELECT table_id,
        coalesce(max(seq) FILTER (seq < first_seq), 0) AS from_seq,
        coalesce(min(seq) FILTER (seq > last_seq), 9223372036854775807) AS to_seq
    FROM table_openings JOIN within USING (table_id)
    WHERE standing
    GROUP BY table_id
)
SELECT table_id, seq, coalesce(count::VARCHAR, kind::VARCHAR) AS kind, epoch_us(occurred_at),
    amount_cents, game::VARCHAR, gaming_day, currency
FROM events JOIN around USING (table_id)
WHERE standing AND kind IN ('TableOpened', 'TableClosed', 'TrayCounted')
    AND seq BETWEEN from_seq AND to_seq
ORDER BY table_id, seq
