-- Wagers never settled
--
-- Wagers of closed rounds, and bonuses that were due, for which no settlement was recorded.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, opened_local, table_id, round_id, spot, hand, wager, bettor, expected_dollars,
    dealer_id, message
FROM findings
WHERE code = 'WAGER_UNSETTLED' AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR table_id = $table)
ORDER BY gaming_day, table_id, seq, spot, hand, wager
