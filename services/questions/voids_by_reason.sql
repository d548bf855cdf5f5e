-- Voided rounds, by reason
--
-- How many rounds were voided, why, and who authorised it; a round that was voided wrongly counts
-- once.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT void_reason, voided_by, count(*) AS rounds, count(wrongly) AS wrongly_voided,
    string_agg(DISTINCT r.table_id, ' ' ORDER BY r.table_id) AS tables, max(closed_local) AS latest
FROM rounds AS r
LEFT JOIN (
    SELECT DISTINCT table_id, round_id, true AS wrongly FROM findings WHERE code = 'WRONGLY_VOIDED'
) AS w ON w.table_id = r.table_id AND w.round_id = r.round_id
WHERE status = 'VOIDED' AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR r.table_id = $table)
GROUP BY void_reason, voided_by
ORDER BY rounds DESC, void_reason, voided_by
