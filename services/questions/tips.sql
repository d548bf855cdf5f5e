-- Tips bet for the dealer
--
-- Chips bet for the dealer, by dealer: what was bet, and what the bets won.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH dealers AS (
    SELECT table_id, round_id, dealer_id
    FROM rounds
    WHERE gaming_day BETWEEN $from AND $to AND ($table IS NULL OR table_id = $table)
),
bet AS (
    SELECT dealer_id, count(*) AS bets, sum(stake_dollars) AS bet_dollars
    FROM wagers
    JOIN dealers USING (table_id, round_id)
    WHERE bettor = 'DEALER'
    GROUP BY dealer_id
),
won AS (
    SELECT dealer_id, count_if(final_outcome = 'WIN') AS wins,
        sum(final_paid_dollars) AS won_dollars
    FROM payouts
    JOIN dealers USING (table_id, round_id)
    WHERE bettor = 'DEALER'
    GROUP BY dealer_id
)
SELECT bet.dealer_id, bets, bet_dollars, coalesce(wins, 0) AS wins,
    coalesce(won_dollars, 0) AS won_dollars
FROM bet
LEFT JOIN won ON won.dealer_id IS NOT DISTINCT FROM bet.dealer_id
ORDER BY bet_dollars DESC, bet.dealer_id
