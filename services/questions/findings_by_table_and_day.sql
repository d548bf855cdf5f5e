-- Findings by table and day
--
-- How many findings of each kind a table has on a gaming day, and what they come to; a wager never
-- settled counts as nothing paid.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, table_id, code, severity, count(*) AS findings,
    coalesce(sum(off_dollars) FILTER (off_dollars > 0), 0) AS too_much_dollars,
    coalesce(sum(off_dollars) FILTER (off_dollars < 0), 0) AS too_little_dollars
FROM (SELECT *, coalesce(delta_dollars, -expected_dollars) AS off_dollars FROM findings)
WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
GROUP BY ALL
ORDER BY gaming_day, table_id, code
