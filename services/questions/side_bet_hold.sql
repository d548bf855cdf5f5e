-- What the house holds of side bets
--
-- For each side bet of settled rounds: how many, what was staked, what the house kept of it, and that
-- in percent. Bonuses without a stake of their own are not among them.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

WITH days AS (
    SELECT table_id, round_id, game, opened_seq
    FROM rounds
    WHERE status = 'SETTLED' AND gaming_day BETWEEN $from AND $to
        AND ($table IS NULL OR table_id = $table)
),
moved AS (
    SELECT table_id, round_id, spot, hand, wager, bettor,
        CASE kind WHEN 'WagerPlaced' THEN amount_dollars ELSE -amount_dollars END AS stake_dollars,
        NULL AS outcome, 0 AS paid_dollars
    FROM events
    WHERE kind IN ('WagerPlaced', 'WagerRemoved') AND standing AND amount_cents > 0
        AND wager IN ('FIVE_CARD_BONUS', 'ULTIMATE_PAIRS', 'BIG_8', 'SHOOTOUT_BONUS')
    UNION ALL
    SELECT table_id, round_id, spot, hand, wager, bettor, 0, final_outcome, final_paid_dollars
    FROM payouts
    WHERE wager IN ('FIVE_CARD_BONUS', 'ULTIMATE_PAIRS', 'BIG_8', 'SHOOTOUT_BONUS')
),
bets AS (
    SELECT game, wager, sum(stake_dollars) AS stake_dollars, max(outcome) AS outcome,
        sum(paid_dollars) AS paid_dollars
    FROM moved
    JOIN days USING (table_id, round_id)
    GROUP BY table_id, opened_seq, game, spot, hand, wager, bettor
)
SELECT game, wager, count(*) AS bets, sum(stake_dollars) AS staked_dollars,
    sum(CASE outcome WHEN 'LOSE' THEN stake_dollars ELSE 0 END - paid_dollars) AS held_dollars,
    round(100.0 * held_dollars / staked_dollars, 2) AS held_percent
FROM bets
WHERE stake_dollars > 0
GROUP BY game, wager
ORDER BY game, wager
