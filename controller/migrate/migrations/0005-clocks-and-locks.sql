-- As before, but a day that is too far from the clock of the server has an error code of its own, ZJ001: jobs have the clock of the API
-- server, and both clocks can be corrected. runtime/history/history-error.ts has the code too.
CREATE OR REPLACE FUNCTION zipjobs.make_partitions(first_day date, last_day date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO'
SET lock_timeout = '5s'
SET default_tablespace = ''
AS $$
DECLARE
  today CONSTANT date := now()::date;
  made integer := 0;
  wanted record;
BEGIN
  IF first_day IS NULL OR last_day IS NULL OR last_day < first_day OR last_day - first_day > 100 THEN
    RAISE EXCEPTION 'make_partitions(%, %): at most 101 days', first_day, last_day USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF last_day > today + 31 THEN
    RAISE EXCEPTION 'the day % is more than 31 days ahead of the clock of PostgreSQL (%)', last_day, now() USING ERRCODE = 'ZJ001';
  END IF;
  IF first_day < today - 3660 THEN
    RAISE EXCEPTION 'the day % is more than 3,660 days behind the clock of PostgreSQL (%)', first_day, now() USING ERRCODE = 'ZJ001';
  END IF;
  -- Two callers would create the same table.
  PERFORM pg_advisory_xact_lock(hashtextextended('zipjobs.make_partitions', 0));
  FOR wanted IN
    SELECT p.parent, p.parent || '_' || to_char(d.one_day, 'YYYYMMDD') AS child, d.one_day AS first_of, d.one_day + 1 AS end_of
      FROM (SELECT first_day + n AS one_day FROM generate_series(0, last_day - first_day) AS n) AS d
      CROSS JOIN unnest(ARRAY['jobs', 'job_details', 'usage_hours']) AS p (parent)
    UNION
    SELECT 'job_places', 'job_places_' || to_char(m.one_month, 'YYYYMM'), m.one_month::date,
      (m.one_month + interval '1 month')::date
      FROM (SELECT date_trunc('month', first_day + n) AS one_month FROM generate_series(0, last_day - first_day) AS n) AS m
    ORDER BY 3, 2
  LOOP
    CONTINUE WHEN EXISTS (
      SELECT FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = format('zipjobs.%I', wanted.parent)::regclass AND c.relname = wanted.child
    );
    EXECUTE format('CREATE TABLE zipjobs.%I (LIKE zipjobs.%I INCLUDING ALL)', wanted.child, wanted.parent);
    EXECUTE format(
      'ALTER TABLE zipjobs.%I ATTACH PARTITION zipjobs.%I FOR VALUES FROM (%L) TO (%L)',
      wanted.parent, wanted.child, wanted.first_of || ' 00:00:00+00', wanted.end_of || ' 00:00:00+00'
    );
    made := made + 1;
  END LOOP;
  RETURN made;
END
$$;

-- A DROP that waits for a reader blocks all that come after it, and is tried again every minute.
ALTER FUNCTION zipjobs.drop_oldest_partition(integer) SET lock_timeout = '300ms';
