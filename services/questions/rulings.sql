-- Rulings
--
-- What supervisors ruled, as it was recorded; a ruling never changes what the rules say is due.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT occurred_local, e.table_id, e.round_id, spot, ruling, authorised_by, note
FROM events AS e
JOIN rounds AS r ON r.table_id = e.table_id AND r.round_id = e.round_id
WHERE kind = 'RulingMade' AND standing AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR e.table_id = $table)
ORDER BY occurred_local, e.table_id
