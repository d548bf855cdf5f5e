-- Rounds by dealer
--
-- How many rounds each dealer dealt, at which tables, how long a round took in the middle, and how
-- many findings there are for a thousand rounds.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH dealt AS (
    SELECT dealer_id, count(*) AS rounds,
        string_agg(DISTINCT table_id, ' ' ORDER BY table_id) AS tables,
        round(median(epoch(closed_at - opened_at)), 1) AS median_seconds
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
    GROUP BY dealer_id
),
wrong AS (
    SELECT dealer_id, count(*) AS findings
    FROM findings
    WHERE severity <> 'info' AND round_id IS NOT NULL AND gaming_day BETWEEN $from AND $to
        AND ($table IS NULL OR table_id = $table)
    GROUP BY dealer_id
)
SELECT dealt.dealer_id, rounds, coalesce(findings, 0) AS findings,
    round(coalesce(findings, 0) * 1000.0 / rounds, 1) AS findings_per_1000, median_seconds, tables
FROM dealt
LEFT JOIN wrong ON wrong.dealer_id IS NOT DISTINCT FROM dealt.dealer_id
ORDER BY rounds DESC, dealt.dealer_id
