-- What the players won by the record alone, where nothing was judged: rounds still open, held or not
-- settled again, and wagers whose posted paytable is not in the rule. A win is what was paid, a loss
-- all chips that lay there. By part of the tables' streams and shift; of gaming days from $1 to $2.

WITH placed AS (
    SELECT played.table_id, round_id, opened_seq, ended_seq, status, part_no, opening_seq,
        parts.gaming_day, part_shift, epoch_us(opened_at) AS micros
    FROM (SELECT * FROM rounds WHERE gaming_day BETWEEN $1 AND $2) AS played
    ASOF JOIN statistics_parts AS parts
        ON played.table_id = parts.table_id AND opened_seq >= from_seq
    WHERE part_no IS NOT NULL
),
unjudged AS (
    SELECT *, NULL AS wager
    FROM placed WHERE status IN ('OPEN', 'HELD', 'NOT_SETTLED')
    UNION ALL
    SELECT placed.*, unknown.wager
    FROM placed JOIN (
        SELECT table_id, seq AS opening_seq, wager FROM findings WHERE code = 'PAYTABLE_UNKNOWN'
    ) AS unknown USING (table_id, opening_seq)
    WHERE status = 'SETTLED'
),
asked AS (
    SELECT unjudged.*,
        coalesce(unjudged.ended_seq, next.opened_seq - 1, 9223372036854775807) AS last_seq
    FROM unjudged
    ASOF LEFT JOIN rounds AS next
        ON unjudged.table_id = next.table_id AND unjudged.opened_seq < next.opened_seq
),
told AS MATERIALIZED (
    SELECT asked.table_id, opened_seq, part_no, asked.gaming_day, part_shift, micros, event_no,
        kind, spot, hand, events.wager, bettor, amount_cents, paid_cents, outcome
    FROM events JOIN asked
        ON events.table_id = asked.table_id AND events.round_id = asked.round_id
        AND seq BETWEEN opened_seq AND last_seq
        AND (asked.wager IS NULL OR asked.wager = events.wager::VARCHAR)
    WHERE standing AND kind IN ('WagerPlaced', 'WagerRemoved', 'WagerSettled')
),
bets AS (
    SELECT table_id, opened_seq, spot, hand, wager, bettor,
        greatest(0, sum(if(kind = 'WagerPlaced', amount_cents, -amount_cents))) AS stake_cents
    FROM told
    WHERE kind <> 'WagerSettled' AND amount_cents > 0
    GROUP BY ALL
),
put_right AS (
    SELECT target_no, arg_max(outcome, seq) AS outcome, arg_max(paid_cents, seq) AS paid_cents
    FROM corrections
    WHERE kind = 'PayoutCorrected' AND standing AND target_no IS NOT NULL
    GROUP BY target_no
),
nets AS (
    SELECT part_no, gaming_day, part_shift, micros,
        CASE coalesce(put_right.outcome, told.outcome)
            WHEN 'WIN' THEN coalesce(put_right.paid_cents, told.paid_cents)::HUGEINT
            WHEN 'LOSE' THEN -coalesce(stake_cents, 0)
            ELSE 0
        END AS net_cents
    FROM told
    LEFT JOIN put_right ON put_right.target_no = told.event_no
    LEFT JOIN bets USING (table_id, opened_seq, spot, hand, wager, bettor)
    WHERE kind = 'WagerSettled'
)
SELECT part_no, coalesce(part_shift, shift_no) AS shift_no, sum(net_cents) AS net_cents
FROM nets
ASOF JOIN statistics_shifts AS shifts
    ON nets.gaming_day = shifts.gaming_day AND micros >= from_micros
GROUP BY ALL
