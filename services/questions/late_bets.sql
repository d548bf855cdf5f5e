-- Late bets, by player and seat
--
-- Who put chips down, or took them back, after their moment: by player where the table knows who
-- sat there, else by seat.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH wrong AS (
    SELECT *
    FROM findings
    WHERE code IN ('WAGER_LATE', 'WAGER_CHANGED') AND gaming_day BETWEEN $from AND $to
        AND ($table IS NULL OR table_id = $table)
),
players AS (
    SELECT DISTINCT ON (table_id, round_id, spot, hand, wager, bettor)
        table_id, round_id, spot, hand, wager, bettor, player_id
    FROM events
    SEMI JOIN wrong USING (table_id, round_id)
    WHERE kind = 'WagerPlaced' AND standing AND player_id IS NOT NULL
)
SELECT player_id, table_id, spot, code, count(*) AS bets,
    string_agg(DISTINCT wager, ' ' ORDER BY wager) AS wagers, max(opened_local) AS latest
FROM wrong
LEFT JOIN players USING (table_id, round_id, spot, hand, wager, bettor)
GROUP BY ALL
ORDER BY bets DESC, player_id, table_id, spot, code
