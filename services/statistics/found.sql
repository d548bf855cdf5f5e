-- Money that findings name ($3: their codes), in each part of the tables' streams, by shift: what
-- players got too much and too little; and what was settled on wagers that the sums of judged rounds
-- leave out, because what is due is not exactly known, or because the round was voided. Of gaming
-- days from $1 to $2.

WITH wrong AS (
    SELECT table_id, round_id, code, coalesce(actual_cents, 0)::HUGEINT AS actual_cents,
        coalesce(actual_cents, 0)::HUGEINT - expected_cents AS off_cents,
        code = 'UNDETERMINED' OR code IN ('UNDERPAID', 'OVERPAID')
            AND (expected_low_cents IS NOT NULL OR expected_high_cents IS NOT NULL) AS is_open
    FROM findings
    WHERE gaming_day BETWEEN $1 AND $2 AND (code IN (SELECT unnest($3)) OR code = 'UNDETERMINED')
),
of_rounds AS (
    SELECT table_id, round_id, min(opened_seq) AS opened_seq,
        arg_min(opened_at, opened_seq) AS opened_at, arg_min(status, opened_seq) AS status
    FROM rounds SEMI JOIN wrong USING (table_id, round_id)
    GROUP BY table_id, round_id
),
placed AS (
    SELECT part_no, gaming_day, part_shift, epoch_us(opened_at) AS micros,
        CASE WHEN code <> 'UNDETERMINED' THEN off_cents END AS off_cents,
        CASE WHEN status = 'VOIDED' OR status = 'SETTLED' AND is_open THEN actual_cents ELSE 0 END
            AS net_cents
    FROM (SELECT * FROM wrong JOIN of_rounds USING (table_id, round_id)) AS judged
    ASOF JOIN statistics_parts AS parts
        ON judged.table_id = parts.table_id AND opened_seq >= from_seq
    WHERE part_no IS NOT NULL
)
SELECT part_no, coalesce(part_shift, shift_no) AS shift_no,
    coalesce(sum(greatest(off_cents, 0)), 0) AS too_much_cents,
    coalesce(sum(greatest(-off_cents, 0)), 0) AS too_little_cents,
    sum(net_cents) AS net_cents
FROM placed
ASOF JOIN statistics_shifts AS shifts
    ON placed.gaming_day = shifts.gaming_day AND micros >= from_micros
GROUP BY ALL
