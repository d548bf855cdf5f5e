-- Gaps that hold rounds
--
-- Events that never came, and how many rounds wait for them, as `pitproof gaps` lists them; a gap
-- that was released, or that lies between two rounds, holds none.
--
-- --table TABLE = NULL
--     one table only

WITH gaps AS (
    SELECT table_id, gaming_day, first_missing_seq, last_missing_seq
    FROM findings
    WHERE code = 'SEQUENCE_GAP' AND ($table IS NULL OR table_id = $table)
),
spans AS (
    SELECT table_id, opened_seq, opened_local, status,
        coalesce(ended_seq, lead(opened_seq) OVER (PARTITION BY table_id ORDER BY opened_seq))
            AS until_seq
    FROM rounds
),
held AS (
    SELECT table_id, opened_seq, opened_local, until_seq FROM spans WHERE status = 'HELD'
),
within AS (
    SELECT held.table_id, opened_seq, opened_local, first_missing_seq
    FROM held
    JOIN gaps ON gaps.table_id = held.table_id AND first_missing_seq > opened_seq
        AND (until_seq IS NULL OR first_missing_seq < until_seq)
),
lost AS ( -- the opening of these was lost: they wait for the last gap before them
    SELECT held.table_id, opened_seq, opened_local, max(first_missing_seq) AS first_missing_seq
    FROM (SELECT * FROM held ANTI JOIN within USING (table_id, opened_seq)) AS held
    JOIN gaps ON gaps.table_id = held.table_id AND first_missing_seq < opened_seq
    GROUP BY ALL
),
waiting AS (
    SELECT * FROM within
    UNION ALL
    SELECT * FROM lost
)
SELECT gaps.table_id, gaming_day, first_missing_seq, last_missing_seq,
    last_missing_seq - first_missing_seq + 1 AS missing, count(*) AS rounds_held,
    min(opened_local) AS first_held_local
FROM gaps
JOIN waiting USING (table_id, first_missing_seq)
GROUP BY ALL
ORDER BY gaps.table_id, first_missing_seq
