-- Corrections, by who authorised them
--
-- How many cards and payouts each person had corrected, and by how much payouts changed.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH days AS (
    SELECT table_id, round_id
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
),
made AS (
    SELECT table_id, round_id, authorised_by, kind, occurred_local
    FROM events
    WHERE kind IN ('CardCorrected', 'PayoutCorrected') AND standing
)
SELECT authorised_by, count_if(kind = 'CardCorrected') AS cards,
    count_if(kind = 'PayoutCorrected') AS payouts, count(DISTINCT round_id) AS rounds,
    max(occurred_local) AS latest
FROM made
SEMI JOIN days USING (table_id, round_id)
GROUP BY authorised_by
ORDER BY cards + payouts DESC, authorised_by
