-- Opening hours of the tables
--
-- When each table was opened and closed, and how long it was open.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, table_id, game, opened_local, closed_local,
    round(epoch(closed_at - opened_at) / 3600, 2) AS hours, close_reason
FROM tables
WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
ORDER BY gaming_day, table_id, opened_local
