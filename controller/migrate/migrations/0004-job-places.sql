-- Where a job is, for searches that do not know its day: by ID, and by key. Its partitions are months, so that a search of a year reads 13
-- indexes instead of 366. Triggers write it, so that it also has the jobs that the version before stores beside this one.

CREATE TABLE zipjobs.job_places (
  finished_at timestamptz NOT NULL,
  project_uid uuid NOT NULL,
  uid uuid NOT NULL,
  id uuid NOT NULL,
  -- The first 8 bytes of the SHA-256 of project_uid and key; runtime/history/job-places.ts calculates it too. Other jobs may have the same.
  key_hash bigint NOT NULL
) PARTITION BY RANGE (finished_at);
CREATE INDEX job_places_by_id ON zipjobs.job_places (project_uid, id);
CREATE INDEX job_places_by_key ON zipjobs.job_places (key_hash, finished_at, uid);

-- One row. Jobs that finished on the day `since` (UTC) or later are in job_places; -infinity: all jobs are. Of the day before it, those
-- up to this row of zipjobs.jobs are, in the order of its primary key.
CREATE TABLE zipjobs.job_places_progress (
  since date NOT NULL,
  project_uid uuid NOT NULL,
  finished_at timestamptz NOT NULL,
  uid uuid NOT NULL
);
INSERT INTO zipjobs.job_places_progress
VALUES ('infinity', '00000000-0000-0000-0000-000000000000', '-infinity', '00000000-0000-0000-0000-000000000000');

-- As before, and the months of job_places.
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
  IF first_day IS NULL OR last_day IS NULL OR last_day < first_day OR last_day - first_day > 100
     OR first_day < today - 3660 OR last_day > today + 31 THEN
    RAISE EXCEPTION 'make_partitions(%, %): at most 101 days, from 3,660 days ago to 31 days ahead', first_day, last_day
      USING ERRCODE = 'invalid_parameter_value';
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

-- As before, and the months of job_places of which every day is older.
CREATE OR REPLACE FUNCTION zipjobs.drop_oldest_partition(retention_days integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '5s'
AS $$
DECLARE
  parents CONSTANT oid[] :=
    ARRAY['zipjobs.jobs', 'zipjobs.job_details', 'zipjobs.usage_hours', 'zipjobs.job_places']::regclass[]::oid[];
  oldest text;
BEGIN
  IF retention_days IS NULL OR retention_days < 1 THEN
    RAISE EXCEPTION 'drop_oldest_partition(%): the retention must be at least one day', retention_days
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT t.name INTO oldest
    FROM (
      SELECT c.oid::regclass::text AS name, array_position(parents, i.inhparent) AS place,
        CASE
          WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD')
          WHEN c.relname ~ '_[0-9]{6}$' THEN (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' - interval '1 day')::date
        END AS last_day
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = ANY (parents)
    ) AS t
    WHERE t.last_day < now()::date - retention_days
    ORDER BY t.last_day, t.place
    LIMIT 1;
  IF oldest IS NOT NULL THEN
    EXECUTE format('DROP TABLE %s', oldest);
  END IF;
  RETURN oldest;
END
$$;

-- The months of the days that exist.
DO $$
DECLARE
  one_day date;
BEGIN
  FOR one_day IN
    SELECT min(to_date(right(c.relname, 8), 'YYYYMMDD'))
    FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'zipjobs.jobs'::regclass
    GROUP BY left(right(c.relname, 8), 6)
  LOOP
    PERFORM zipjobs.make_partitions(one_day, one_day);
  END LOOP;
END
$$;

CREATE FUNCTION zipjobs.add_job_places() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  INSERT INTO zipjobs.job_places (finished_at, project_uid, uid, id, key_hash)
    SELECT a.finished_at, a.project_uid, a.uid, a.id,
      ('x' || left(encode(sha256(convert_to(a.project_uid::text || a.key, 'UTF8')), 'hex'), 16))::bit(64)::bigint
    FROM added AS a;
  RETURN NULL;
END
$$;

-- Waits while places of old jobs are added, so that none of a deleted job is.
CREATE FUNCTION zipjobs.remove_job_places() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET lock_timeout = '5s'
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('zipjobs.job_places', 0));
  DELETE FROM zipjobs.job_places AS p USING removed AS r
    WHERE p.project_uid = r.project_uid AND p.id = r.id AND p.finished_at = r.finished_at AND p.uid = r.uid;
  RETURN NULL;
END
$$;

-- Adds the places of at most `most` jobs that were stored before these triggers existed, the newest days first. Returns true if all
-- jobs have their places.
CREATE FUNCTION zipjobs.add_old_job_places(most integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '5s'
AS $$
DECLARE
  progress zipjobs.job_places_progress;
  one_day date;
  last_job record;
BEGIN
  IF most IS NULL OR most NOT BETWEEN 1 AND 100000 THEN
    RAISE EXCEPTION 'add_old_job_places(%): a call adds from 1 to 100,000 jobs', most USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT * INTO progress FROM zipjobs.job_places_progress;
  IF progress.since = '-infinity' THEN
    RETURN true;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('zipjobs.job_places', 0));
  SELECT * INTO progress FROM zipjobs.job_places_progress;
  SELECT max(d.one_day) INTO one_day
    FROM (
      SELECT CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS one_day
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'zipjobs.jobs'::regclass
    ) AS d
    WHERE d.one_day < progress.since;
  IF one_day IS NULL THEN
    UPDATE zipjobs.job_places_progress SET since = '-infinity';
    RETURN true;
  END IF;
  -- The names of partitions, because a plan for any day would lock all of them.
  EXECUTE format(
    $query$
    WITH old AS MATERIALIZED (
      SELECT j.finished_at, j.project_uid, j.uid, j.id, j.key FROM zipjobs.%1$I AS j
      WHERE (j.project_uid, j.finished_at, j.uid) > ($1, $2, $3)
      ORDER BY j.project_uid, j.finished_at, j.uid LIMIT $4
    ), added AS (
      INSERT INTO zipjobs.job_places (finished_at, project_uid, uid, id, key_hash)
      SELECT o.finished_at, o.project_uid, o.uid, o.id,
        ('x' || left(encode(sha256(convert_to(o.project_uid::text || o.key, 'UTF8')), 'hex'), 16))::bit(64)::bigint
      FROM old AS o
      WHERE NOT EXISTS (
        SELECT FROM zipjobs.%2$I AS p
        WHERE p.project_uid = o.project_uid AND p.id = o.id AND p.finished_at = o.finished_at AND p.uid = o.uid
      )
    )
    SELECT count(*) OVER () AS counted, o.project_uid, o.finished_at, o.uid FROM old AS o
    ORDER BY o.project_uid DESC, o.finished_at DESC, o.uid DESC LIMIT 1
    $query$,
    'jobs_' || to_char(one_day, 'YYYYMMDD'), 'job_places_' || to_char(one_day, 'YYYYMM')
  ) INTO last_job USING progress.project_uid, progress.finished_at, progress.uid, most;
  IF coalesce(last_job.counted, 0) < most THEN
    UPDATE zipjobs.job_places_progress
      SET since = one_day, project_uid = '00000000-0000-0000-0000-000000000000', finished_at = '-infinity',
        uid = '00000000-0000-0000-0000-000000000000';
  ELSE
    UPDATE zipjobs.job_places_progress
      SET project_uid = last_job.project_uid, finished_at = last_job.finished_at, uid = last_job.uid;
  END IF;
  RETURN false;
END
$$;

CREATE TRIGGER add_places AFTER INSERT ON zipjobs.jobs
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION zipjobs.add_job_places();
CREATE TRIGGER remove_places AFTER DELETE ON zipjobs.jobs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION zipjobs.remove_job_places();
-- On an empty history, nothing is left to do.
SELECT zipjobs.add_old_job_places(1000);
