-- Biggest payouts
--
-- The largest winnings, as they stand after corrections.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only
-- --rows NUMBER = 20
--     rows at most; 20 unless told

SELECT final_paid_dollars, settled_local, table_id, round_id, spot, hand, wager, bettor, corrected,
    dealer_id
FROM payouts
JOIN (
    SELECT table_id, round_id, dealer_id
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
) USING (table_id, round_id)
WHERE final_paid_cents > 0
ORDER BY final_paid_cents DESC, settled_local, table_id, round_id, spot, wager
LIMIT $rows
