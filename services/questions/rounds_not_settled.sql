-- Rounds that are held or not settled
--
-- Rounds that are kept back for a gap, or may not be settled at all, with what was found in them.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT r.gaming_day, r.opened_local, r.table_id, r.round_id, status, r.dealer_id,
    string_agg(DISTINCT code, ' ' ORDER BY code) AS found
FROM rounds AS r
LEFT JOIN findings AS f ON f.table_id = r.table_id AND f.round_id = r.round_id
WHERE status IN ('HELD', 'NOT_SETTLED') AND r.gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR r.table_id = $table)
GROUP BY ALL
ORDER BY r.gaming_day, r.table_id, r.opened_local
