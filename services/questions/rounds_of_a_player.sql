-- Rounds of a player
--
-- Every round in which a player put chips down, the latest first, with what was put down and what
-- was found in the round.
--
-- --player TEXT
--     the player's id
-- --rows NUMBER = 100
--     rows at most; 100 unless told

WITH played AS (
    SELECT table_id, round_id, string_agg(DISTINCT spot, ' ' ORDER BY spot) AS seats,
        sum(CASE WHEN kind = 'WagerPlaced' THEN amount_dollars ELSE -amount_dollars END)
            AS put_down_dollars
    FROM events
    WHERE player_id = $player AND standing AND kind IN ('WagerPlaced', 'WagerRemoved')
    GROUP BY table_id, round_id
),
found AS (
    SELECT table_id, round_id, count(*) AS findings
    FROM findings
    WHERE severity <> 'info'
    GROUP BY table_id, round_id
)
SELECT opened_local, table_id, round_id, seats, put_down_dollars, status,
    coalesce(findings, 0) AS findings
FROM played
JOIN rounds USING (table_id, round_id)
LEFT JOIN found USING (table_id, round_id)
ORDER BY opened_local DESC, table_id, round_id
LIMIT $rows
