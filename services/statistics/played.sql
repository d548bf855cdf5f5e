-- Rounds in each part of the tables' streams, by shift: what became of them, and what the players
-- won of those that were judged, as it was settled. Of gaming days from $1 to $2.

WITH placed AS (
    SELECT part_no, gaming_day, part_shift, epoch_us(opened_at) AS micros, status,
        net_actual_cents, epoch_us(opened_at) NOT BETWEEN day_from AND day_to - 1 AS is_outside
    FROM (
        SELECT table_id, opened_seq, opened_at, status, net_actual_cents
        FROM rounds WHERE gaming_day BETWEEN $1 AND $2
    ) AS played
    ASOF JOIN statistics_parts AS parts
        ON played.table_id = parts.table_id AND opened_seq >= from_seq
    WHERE part_no IS NOT NULL
)
SELECT part_no, coalesce(part_shift, shift_no) AS shift_no,
    count(*) AS rounds,
    count_if(status = 'HELD') AS held,
    count_if(status = 'NOT_SETTLED') AS not_settled,
    count_if(status = 'OPEN') AS still_open,
    count_if(is_outside) AS outside_day,
    sum(net_actual_cents) AS net_cents
FROM placed
ASOF JOIN statistics_shifts AS shifts
    ON placed.gaming_day = shifts.gaming_day AND micros >= from_micros
GROUP BY ALL
