-- Dealer's hands not by the house way
--
-- Rounds in which the dealer kept other cards than the posted house way says.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, opened_local, table_id, round_id, dealer_id, message
FROM findings
WHERE code = 'HOUSE_WAY_MISSET' AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR table_id = $table)
ORDER BY gaming_day, table_id, opened_local
