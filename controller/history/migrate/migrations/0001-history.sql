-- Every table with jobs is partitioned by month (UTC) and has no default partition, because a partition cannot be attached or detached
-- beside one without scanning it. Partitions are tables of their own, so retention drops most rows with their table.

CREATE TABLE zipjobs.jobs (
  finished_at timestamptz NOT NULL,
  project_uid uuid NOT NULL,
  uid uuid NOT NULL,
  id uuid NOT NULL,
  cluster_uid uuid NOT NULL,
  namespace text NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  phase text NOT NULL,
  reason text NOT NULL,
  service text NOT NULL,
  bucket text NOT NULL,
  key text NOT NULL,
  files integer NOT NULL,
  bytes bigint NOT NULL,
  duration_ms bigint,
  created_by text,
  webhook_state text,
  run_again_of text,
  request_sha256 text,
  PRIMARY KEY (project_uid, finished_at, uid)
) PARTITION BY RANGE (finished_at);

CREATE INDEX jobs_by_id ON zipjobs.jobs (project_uid, id);

-- For each filter, the jobs of a project that have a value, in the order of the list, as a hash of both: 28 bytes of an index for each
-- job, instead of up to a kilobyte. A search compares the values too. It reads the jobs of this index in their order, whatever the
-- statistics say, because its condition fits no other index: with (project_uid, reason), PostgreSQL could look for a reason that is
-- frequent in the table by reading all jobs of a project, which may have none. Most jobs succeed, so those of phase and reason leave
-- out what success has: each index doubles what a job writes right after a checkpoint, and the list finds these jobs by itself.
CREATE INDEX jobs_by_key ON zipjobs.jobs (hashtextextended(project_uid::text || key, 0), finished_at);
CREATE INDEX jobs_by_phase ON zipjobs.jobs (hashtextextended(project_uid::text || phase, 0), finished_at)
  WHERE phase <> 'Succeeded';
CREATE INDEX jobs_by_reason ON zipjobs.jobs (hashtextextended(project_uid::text || reason, 0), finished_at)
  WHERE reason <> 'Uploaded';
CREATE INDEX jobs_by_bucket ON zipjobs.jobs (hashtextextended(project_uid::text || service || '/' || bucket, 0), finished_at);

-- Long texts are apart from what lists read. Metadata is text, because jsonb refuses \u0000.
CREATE TABLE zipjobs.job_details (
  finished_at timestamptz NOT NULL,
  project_uid uuid NOT NULL,
  uid uuid NOT NULL,
  metadata text NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (project_uid, finished_at, uid)
) PARTITION BY RANGE (finished_at);

-- Sums for statistics. duration_counts: jobs by duration; runtime/history/duration-buckets.ts has the bounds.
CREATE TABLE zipjobs.usage_hours (
  hour timestamptz NOT NULL,
  project_uid uuid NOT NULL,
  service text NOT NULL,
  bucket text NOT NULL,
  phase text NOT NULL,
  reason text NOT NULL,
  jobs bigint NOT NULL,
  files bigint NOT NULL,
  bytes bigint NOT NULL,
  duration_ms bigint NOT NULL,
  duration_counts bigint[] NOT NULL,
  PRIMARY KEY (project_uid, hour, service, bucket, phase, reason)
) PARTITION BY RANGE (hour);

-- retention_days: NULL for that of the installation.
CREATE TABLE zipjobs.projects (
  project_uid uuid PRIMARY KEY,
  cluster_uid uuid NOT NULL,
  namespace text NOT NULL,
  retention_days integer,
  deleted_at timestamptz
);

-- Functions that the writer may call run with the permissions of the owner. So each fixes the search path, with temporary objects last,
-- and every session setting that its result depends on.

-- Makes the partitions of the months of these days (UTC, both included) of all tables, unless they exist. Returns their number. CREATE
-- TABLE and ATTACH let writers and readers continue; CREATE TABLE ... PARTITION OF would block them. A day that is too far from the clock
-- of the server has an error code of its own, ZJ001: jobs have the clock of the API server, and both clocks can be corrected.
-- runtime/history/history-error.ts has the code too.
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
    SELECT p.parent, p.parent || '_' || to_char(m.first_of, 'YYYYMM') AS child, m.first_of::date AS first_of,
      (m.first_of + interval '1 month')::date AS end_of
    FROM generate_series(date_trunc('month', first_day::timestamp), last_day::timestamp, interval '1 month') AS m (first_of)
    CROSS JOIN unnest(ARRAY['jobs', 'job_details', 'usage_hours']) AS p (parent)
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

-- Drops the oldest partition of which every day is older than retention_days, and returns its name; NULL without any. Only one in a
-- call, because a DROP blocks readers and writers of its table until the call commits, and one table cannot cause a deadlock. The jobs
-- of a month go before their details, so that no listed job lacks them. A DROP that waits for a reader blocks all that come after it,
-- so it gives up soon and is tried again every minute.
CREATE FUNCTION zipjobs.drop_oldest_partition(retention_days integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '300ms'
AS $$
DECLARE
  parents CONSTANT oid[] := ARRAY['zipjobs.jobs', 'zipjobs.job_details', 'zipjobs.usage_hours']::regclass[]::oid[];
  oldest text;
BEGIN
  IF retention_days IS NULL OR retention_days < 1 THEN
    RAISE EXCEPTION 'drop_oldest_partition(%): the retention must be at least one day', retention_days
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT t.name INTO oldest
    FROM (
      SELECT c.oid::regclass::text AS name, array_position(parents, i.inhparent) AS place,
        CASE WHEN c.relname ~ '_[0-9]{6}$' THEN to_date(right(c.relname, 6), 'YYYYMM') END AS first_of
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = ANY (parents)
    ) AS t
    WHERE (t.first_of + interval '1 month')::date <= now()::date - retention_days
    ORDER BY t.first_of, t.place
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

-- Deletes the records of projects that were deleted so long ago that the partitions of all their jobs are dropped: the retention of the
-- installation, and the month that they began. Returns their number.
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
  DELETE FROM zipjobs.projects AS p WHERE p.deleted_at < now() - make_interval(days => forget_deleted_projects.days + 32);
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END
$$;
