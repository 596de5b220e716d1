-- Every table with jobs is partitioned by day (UTC) and has no default partition, because a partition cannot be attached or detached
-- beside one without scanning it. Partitions are tables of their own, so retention drops a table instead of deleting rows.

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

-- GET by id, for which the day is not known.
CREATE INDEX jobs_by_id ON zipjobs.jobs (project_uid, id);

-- Long texts are apart from what lists read. Metadata is text, because jsonb refuses \u0000.
CREATE TABLE zipjobs.job_details (
  finished_at timestamptz NOT NULL,
  project_uid uuid NOT NULL,
  uid uuid NOT NULL,
  metadata text NOT NULL,
  detail text NOT NULL,
  PRIMARY KEY (project_uid, finished_at, uid)
) PARTITION BY RANGE (finished_at);

-- duration_counts: jobs by duration; runtime/history/duration-buckets.ts has the bounds.
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
