-- Paid too much, by dealer
--
-- How often, and how much in all, players got too much in the rounds of each dealer; a wager never
-- settled counts as nothing paid. Mispays that were put right in time are not among them.
--
-- --from DAY = FIRST_OF_MONTH
--     first gaming day; unless told, the first of the month of the last day held
-- --to DAY = LAST_DAY
--     last gaming day, included; unless told, the last one held
-- --table TABLE = NULL
--     one table only

SELECT dealer_id, count(*) AS wagers, sum(off_dollars) AS delta_dollars,
    max(off_dollars) AS largest_dollars, count(DISTINCT round_id) AS rounds,
    string_agg(DISTINCT table_id, ' ' ORDER BY table_id) AS tables
FROM (SELECT *, coalesce(delta_dollars, -expected_dollars) AS off_dollars FROM findings)
WHERE off_dollars > 0 AND severity <> 'info'
    AND gaming_day BETWEEN $from AND $to
    AND ($table IS NULL OR table_id = $table)
GROUP BY dealer_id
ORDER BY delta_dollars DESC, dealer_id
