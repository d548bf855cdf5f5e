-- Chips moved in each part of the tables' streams, by shift.

WITH placed AS (
    SELECT part_no, gaming_day, part_shift, epoch_us(occurred_at) AS micros, movement, amount_cents
    FROM (
        SELECT table_id, seq, occurred_at, movement, amount_cents
        FROM events WHERE kind = 'ChipsMoved' AND standing
    ) AS moved
    ASOF JOIN statistics_parts AS parts
        ON moved.table_id = parts.table_id AND moved.seq >= parts.from_seq
    WHERE part_no IS NOT NULL
)
SELECT part_no, coalesce(part_shift, shift_no) AS shift_no,
    coalesce(sum(amount_cents) FILTER (movement = 'BUY_IN'), 0) AS drop_cents,
    coalesce(sum(amount_cents) FILTER (movement = 'FILL'), 0) AS fills_cents,
    coalesce(sum(amount_cents) FILTER (movement = 'CREDIT'), 0) AS credits_cents
FROM placed
ASOF JOIN statistics_shifts AS shifts
    ON placed.gaming_day = shifts.gaming_day AND micros >= from_micros
GROUP BY ALL
