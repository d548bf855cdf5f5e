-- Mispays put right, by who authorised it
--
-- Settlements that were wrong at first and then corrected to what was due, by who authorised the
-- correction.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH right_now AS (
    SELECT *
    FROM findings
    WHERE code = 'MISPAY_CORRECTED' AND gaming_day BETWEEN $from AND $to
        AND ($table IS NULL OR table_id = $table)
)
SELECT corrected_by, count(*) AS wagers, sum(abs(delta_dollars)) AS put_right_dollars,
    string_agg(DISTINCT dealer_id, ' ' ORDER BY dealer_id) AS dealers,
    max(right_now.opened_local) AS latest
FROM right_now
JOIN payouts USING (table_id, round_id, spot, hand, wager, bettor)
WHERE corrected
GROUP BY corrected_by
ORDER BY wagers DESC, corrected_by
