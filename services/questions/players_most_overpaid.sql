-- Players most often paid too much
--
-- Players by how often they got too much, with how much in all, in how many rounds and by how many
-- dealers; a wager never settled counts as nothing paid.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --rows NUMBER = 50
--     rows at most; 50 unless told

WITH wrong AS (
    SELECT *, coalesce(delta_dollars, -expected_dollars) AS off_dollars
    FROM findings
    WHERE off_dollars > 0 AND severity <> 'info' AND gaming_day BETWEEN $from AND $to
),
players AS (
    SELECT DISTINCT ON (table_id, round_id, spot, hand, wager, bettor)
        table_id, round_id, spot, hand, wager, bettor, player_id
    FROM events
    SEMI JOIN wrong USING (table_id, round_id)
    WHERE kind = 'WagerPlaced' AND standing AND player_id IS NOT NULL
)
SELECT player_id, count(*) AS times, sum(off_dollars) AS too_much_dollars,
    count(DISTINCT round_id) AS rounds, count(DISTINCT dealer_id) AS dealers,
    string_agg(DISTINCT table_id, ' ' ORDER BY table_id) AS tables
FROM wrong
JOIN players USING (table_id, round_id, spot, hand, wager, bettor)
GROUP BY player_id
ORDER BY times DESC, too_much_dollars DESC, player_id
LIMIT $rows
