-- Settled out of order, by dealer
--
-- How many rounds each dealer settled out of the prescribed order, of how many dealt.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH dealt AS (
    SELECT dealer_id, count(*) AS rounds
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
    GROUP BY dealer_id
),
wrong AS (
    SELECT dealer_id, count(*) AS out_of_order, max(opened_local) AS latest
    FROM findings
    WHERE code = 'SETTLEMENT_ORDER' AND gaming_day BETWEEN $from AND $to
        AND ($table IS NULL OR table_id = $table)
    GROUP BY dealer_id
)
SELECT dealt.dealer_id, out_of_order, rounds,
    round(out_of_order * 100.0 / rounds, 2) AS percent, latest
FROM wrong
JOIN dealt ON dealt.dealer_id IS NOT DISTINCT FROM wrong.dealer_id
ORDER BY out_of_order DESC, percent DESC, dealt.dealer_id
