-- Findings by table and day
--
-- How many findings of each kind a table has on a gaming day, and what they come to.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT gaming_day, table_id, code, severity, count(*) AS findings,
    coalesce(sum(delta_dollars) FILTER (delta_cents > 0), 0) AS too_much_dollars,
    coalesce(sum(delta_dollars) FILTER (delta_cents < 0), 0) AS too_little_dollars
FROM findings
WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
GROUP BY ALL
ORDER BY gaming_day, table_id, code
