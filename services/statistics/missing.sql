-- Events that are missing in each part of the tables' streams: first and last number.

SELECT part_no, first_missing_seq, last_missing_seq
FROM (
    SELECT table_id, first_missing_seq, last_missing_seq
    FROM findings WHERE code = 'SEQUENCE_GAP'
) AS gaps
ASOF JOIN statistics_parts AS parts
    ON gaps.table_id = parts.table_id AND first_missing_seq >= from_seq
WHERE part_no IS NOT NULL
ORDER BY part_no, first_missing_seq
