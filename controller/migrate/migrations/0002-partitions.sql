-- Functions that the writer may call run with the permissions of the owner. So each fixes the search path, with temporary objects last,
-- and every session setting that its result depends on.

-- Makes the partitions of these days (UTC, both included) of all tables, unless they exist. Returns their number. CREATE TABLE and ATTACH
-- let writers and readers continue; CREATE TABLE ... PARTITION OF would block them.
CREATE FUNCTION zipjobs.make_partitions(first_day date, last_day date) RETURNS integer
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
  one_day date;
  parent text;
  child text;
BEGIN
  IF first_day IS NULL OR last_day IS NULL OR last_day < first_day OR last_day - first_day > 100
     OR first_day < today - 3660 OR last_day > today + 31 THEN
    RAISE EXCEPTION 'make_partitions(%, %): at most 101 days, from 3,660 days ago to 31 days ahead', first_day, last_day
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Two callers would create the same table.
  PERFORM pg_advisory_xact_lock(hashtextextended('zipjobs.make_partitions', 0));
  FOR n IN 0 .. last_day - first_day LOOP
    one_day := first_day + n;
    FOREACH parent IN ARRAY ARRAY['jobs', 'job_details', 'usage_hours'] LOOP
      child := parent || '_' || to_char(one_day, 'YYYYMMDD');
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = format('zipjobs.%I', parent)::regclass AND c.relname = child
      );
      EXECUTE format('CREATE TABLE zipjobs.%I (LIKE zipjobs.%I INCLUDING ALL)', child, parent);
      EXECUTE format(
        'ALTER TABLE zipjobs.%I ATTACH PARTITION zipjobs.%I FOR VALUES FROM (%L) TO (%L)',
        parent, child, one_day || ' 00:00:00+00', one_day + 1 || ' 00:00:00+00'
      );
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END
$$;
