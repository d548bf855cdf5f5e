-- Money over and under, by game
--
-- For each game: rounds, what was staked, what was due to the players and what they got, and the
-- findings of too much and too little; a wager never settled counts as nothing paid. A mispay that
-- was put right in time is in neither.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --game GAME = NULL
--     one game only

WITH played AS (
    SELECT game, count(*) AS rounds, sum(staked_dollars) AS staked_dollars,
        sum(net_expected_dollars) AS due_dollars, sum(net_actual_dollars) AS settled_dollars
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($game IS NULL OR game = $game)
    GROUP BY game
),
wrong AS (
    SELECT game, sum(off_dollars) FILTER (off_dollars > 0) AS too_much_dollars,
        sum(off_dollars) FILTER (off_dollars < 0) AS too_little_dollars
    FROM (
        SELECT game, coalesce(delta_dollars, -expected_dollars) AS off_dollars
        FROM findings
        WHERE severity <> 'info' AND gaming_day BETWEEN $from AND $to
    )
    GROUP BY game
)
SELECT played.*, coalesce(too_much_dollars, 0) AS too_much_dollars,
    coalesce(too_little_dollars, 0) AS too_little_dollars
FROM played
LEFT JOIN wrong USING (game)
ORDER BY game
