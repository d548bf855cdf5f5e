-- Cards that were there too often
--
-- Rounds in which a card came up more often than the deck or shoe holds it.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, opened_local, table_id, round_id, dealer_id, message
FROM findings
WHERE code = 'DUPLICATE_CARD' AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR table_id = $table)
ORDER BY gaming_day, table_id, opened_local, message
