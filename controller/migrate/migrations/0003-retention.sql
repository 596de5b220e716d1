-- Drops the oldest partition of which every row is older than retention_days, and returns its name; NULL without any. Only one in a
-- call, because a DROP blocks readers and writers of its table until the call commits, and one table cannot cause a deadlock. The
-- jobs of a day go before their details, so that no listed job lacks them.
CREATE FUNCTION zipjobs.drop_oldest_partition(retention_days integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '5s'
AS $$
DECLARE
  parents CONSTANT oid[] := ARRAY['zipjobs.jobs', 'zipjobs.job_details', 'zipjobs.usage_hours']::regclass[]::oid[];
  oldest text;
BEGIN
  IF retention_days IS NULL OR retention_days < 1 THEN
    RAISE EXCEPTION 'drop_oldest_partition(%): the retention must be at least one day', retention_days
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT c.oid::regclass::text INTO oldest
    FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = ANY (parents) AND c.relname ~ '_[0-9]{8}$'
      AND right(c.relname, 8) < to_char(now()::date - retention_days, 'YYYYMMDD')
    ORDER BY right(c.relname, 8), array_position(parents, i.inhparent)
    LIMIT 1;
  IF oldest IS NOT NULL THEN
    EXECUTE format('DROP TABLE %s', oldest);
  END IF;
  RETURN oldest;
END
$$;

-- Deletes the oldest jobs of a project that ended before a time, and after them its usage of hours that ended before it: about `most`
-- rows in one call, and no fewer than those of one second or hour. Returns the number of deleted rows of jobs or usage; zero: nothing
-- is left.
CREATE FUNCTION zipjobs.purge_project(project uuid, ended_before timestamptz, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '5s'
AS $$
DECLARE
  first_end timestamptz;
  last_end timestamptz;
  deleted bigint;
BEGIN
  IF project IS NULL OR ended_before IS NULL OR most IS NULL OR most NOT BETWEEN 1 AND 100000 THEN
    RAISE EXCEPTION 'purge_project(%, %, %): a call deletes from 1 to 100,000 rows', project, ended_before, most
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT min(o.finished_at), max(o.finished_at) INTO first_end, last_end FROM (
    SELECT j.finished_at FROM zipjobs.jobs AS j
    WHERE j.project_uid = project AND j.finished_at < ended_before
    ORDER BY j.finished_at LIMIT most
  ) AS o;
  IF first_end IS NULL THEN
    DELETE FROM zipjobs.usage_hours AS u WHERE u.project_uid = project AND u.hour IN (
      SELECT o.hour FROM zipjobs.usage_hours AS o
      WHERE o.project_uid = project AND o.hour <= ended_before - interval '1 hour'
      ORDER BY o.hour LIMIT most
    );
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
  END IF;
  DELETE FROM zipjobs.jobs AS j
    WHERE j.project_uid = project AND j.finished_at BETWEEN first_end AND last_end;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  DELETE FROM zipjobs.job_details AS d
    WHERE d.project_uid = project AND d.finished_at BETWEEN first_end AND last_end;
  RETURN deleted;
END
$$;

-- Deletes the records of projects that were deleted more than that many days ago, the retention of the installation: by then, the partitions of all their jobs are dropped.
-- Returns their number.
CREATE FUNCTION zipjobs.forget_deleted_projects(days integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '5s'
AS $$
DECLARE
  forgotten bigint;
BEGIN
  IF days IS NULL OR days < 1 THEN
    RAISE EXCEPTION 'forget_deleted_projects(%): the retention must be at least one day', days
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  DELETE FROM zipjobs.projects AS p WHERE p.deleted_at < now() - make_interval(days => forget_deleted_projects.days + 1);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END
$$;
