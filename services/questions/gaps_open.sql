-- Gaps in the events
--
-- Events that never came, and how many rounds are held because of it at that table and day.
--
-- --table TABLE = NULL
--     one table only

SELECT f.table_id, f.gaming_day, first_missing_seq, last_missing_seq,
    last_missing_seq - first_missing_seq + 1 AS missing, count(r.round_id) AS rounds_held,
    min(r.opened_local) AS first_held_local
FROM findings AS f
LEFT JOIN rounds AS r
    ON r.table_id = f.table_id AND r.status = 'HELD'
    AND r.gaming_day IS NOT DISTINCT FROM f.gaming_day
WHERE code = 'SEQUENCE_GAP' AND ($table IS NULL OR f.table_id = $table)
GROUP BY ALL
ORDER BY f.table_id, first_missing_seq
