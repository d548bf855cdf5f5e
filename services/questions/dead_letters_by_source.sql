-- Records that could not be read, by source
--
-- How many records of each file or partition were put aside, and what was wrong with the first;
-- of some the events came in after all.
--

SELECT source, count(*) AS records, count_if(redriven) AS redriven, min(position) AS first_position,
    max(position) AS last_position, arg_min(error, position) AS first_error
FROM dead_letters
GROUP BY source
ORDER BY records DESC, source
