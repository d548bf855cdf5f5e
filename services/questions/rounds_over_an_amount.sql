-- Rounds with much at stake
--
-- Settled rounds in which at least so many dollars stood on the layout, the most first.
--
-- --amount DOLLARS = 1000
--     staked in all; 1000 unless told
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only
-- --rows NUMBER = 100
--     rows at most; 100 unless told

SELECT staked_dollars, net_actual_dollars, opened_local, table_id, round_id, game, wagers, dealer_id
FROM rounds
WHERE staked_dollars >= $amount AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR table_id = $table)
ORDER BY staked_dollars DESC, opened_local, table_id, round_id
LIMIT $rows
