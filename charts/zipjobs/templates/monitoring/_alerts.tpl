{{/* Label `job` of the series of this release: that of its PodMonitor, unless the values name another. */}}
{{- define "zipjobs.metricsJob" -}}
{{- default (printf "%s/%s" .Release.Namespace (include "zipjobs.fullname" .)) .Values.monitoring.job -}}
{{- end -}}

{{/*
Replaces `$own` in an expression with the matcher of our series, because other operators export metrics of the same names, and
`$lease` with the name of the controllers' Lease. Takes (list . expression).
*/}}
{{- define "zipjobs.ownSeries" -}}
{{- $root := index . 0 -}}
{{- index . 1 | replace "$own" (printf "job=%q" (include "zipjobs.metricsJob" $root)) | replace "$lease" (include "zipjobs.leaseName" $root) -}}
{{- end -}}

{{/*
Alerts by name. All replicas of the controller export gauges of jobs, so use max; only the leader increments counters, so use sum.
Every selector contains `$own`.
*/}}
{{- define "zipjobs.alerts" -}}
ZipjobsFailureRatio:
  expr: sum(rate(zip_jobs_finished_total{fault="operator",$own}[30m])) / sum(rate(zip_jobs_finished_total{fault!="caller",$own}[30m])) > 0.2 and sum(increase(zip_jobs_finished_total{fault!="caller",$own}[30m])) > 10
  for: 10m
  severity: warning
  summary: More than 20 % of jobs failed in the last 30 minutes, not counting failures that callers caused.
# The age of a job includes a pause. After it, the queue has 30 minutes to become shorter.
ZipjobsQueueWaits:
  expr: max(zip_jobs_oldest_queued_seconds{$own}) > 1800 unless max(max_over_time(zip_paused{$own}[30m])) > 0
  for: 5m
  severity: warning
  summary: A job has been queued for more than 30 minutes.
ZipjobsStuck:
  expr: max by (reason) (zip_jobs_stuck{reason!="AwaitingQueue",$own}) > 0 unless on () max(zip_paused{$own}) > 0
  for: 15m
  severity: warning
  summary: "Something outside zipjobs blocks jobs: {{ "{{" }} $labels.reason {{ "}}" }}."
ZipjobsOverdue:
  expr: max(zip_jobs_overdue{$own}) > 0
  for: 5m
  severity: critical
  summary: A job is still running after its deadline.
# The range bridges the restart of a controller, which reads the Lease after its first scrape.
ZipjobsPaused:
  expr: max(max_over_time(zip_paused{$own}[15m])) > 0
  for: 240m
  severity: warning
  summary: All jobs have been paused for more than 4 hours.
ZipjobsNoLeader:
  expr: absent(leader_election_master_status{name="$lease",$own} == 1)
  for: 2m
  severity: critical
  summary: No controller is the leader. No job starts and no webhook is sent.
ZipjobsApiDown:
  expr: absent(zip_api_requests_in_flight{$own})
  for: 2m
  severity: critical
  summary: No replica of the API exports metrics. Requests probably fail.
ZipjobsWatchSilent:
  expr: max by (pod, kind) (zip_reflector_last_event_age_seconds{$own}) > 120
  for: 1m
  severity: warning
  summary: A process has received nothing from the API server for 2 minutes.
# A complete watch lasts 30 seconds. An API server that restarts ends each watch once.
ZipjobsWatchesCutShort:
  expr: sum by (pod, kind) (rate(zip_reflector_watch_ends_total{reason="cut short",$own}[5m])) > 0.1
  for: 5m
  severity: warning
  summary: "The API server keeps ending the watches of a process early, so the process receives changes late: {{ "{{" }} $labels.kind {{ "}}" }}."
ZipjobsWebhooksLate:
  expr: max(zip_webhook_oldest_pending_seconds{$own}) > 21600
  for: 10m
  severity: warning
  summary: A webhook could not be delivered for 6 hours.
ZipjobsWebhooksLost:
  expr: sum(increase(zip_webhooks_exhausted_total{$own}[1h])) > 0
  for: 0m
  severity: warning
  summary: Some webhooks could not be delivered, and their retries are used up.
ZipjobsUploadsRemain:
  expr: sum(increase(zip_upload_abort_failures_total{$own}[1h])) > 0
  for: 0m
  severity: warning
  summary: Uploads of failed jobs could not be aborted, so their parts remain in the store.
ZipjobsReconcilesFail:
  expr: sum by (controller) (rate(controller_runtime_reconcile_errors_total{$own}[15m])) > 0.1
  for: 15m
  severity: warning
  summary: The controller keeps failing to reconcile objects.
ZipjobsApiFails:
  expr: sum(rate(zip_api_request_duration_seconds_count{status="5xx",$own}[10m])) / sum(rate(zip_api_request_duration_seconds_count{$own}[10m])) > 0.05
  for: 10m
  severity: critical
  summary: More than 5 % of API requests return a 5xx status.
ZipjobsRateLimitsSkipped:
  expr: sum(rate(zip_api_rate_limits_skipped_total{$own}[5m])) > 0 or sum(rate(zip_dashboard_rate_limits_skipped_total{$own}[5m])) > 0
  for: 5m
  severity: warning
  summary: Redis does not count requests, so they are accepted without rate limits.
ZipjobsProjectFull:
  expr: max by (project, limit) (zip_api_project_limit_ratio{$own}) > 0.95
  for: 15m
  severity: warning
  summary: "A project uses more than 95 % of its limit: {{ "{{" }} $labels.limit {{ "}}" }}."
ZipjobsHistoryLate:
  expr: max(zip_history_oldest_pending_seconds{$own}) > 900
  for: 5m
  severity: warning
  summary: Finished jobs have waited for the history database for more than 15 minutes.
ZipjobsHistoryIncomplete:
  expr: sum(increase(zip_history_unstored_total{$own}[1h])) > 0
  for: 0m
  severity: warning
  summary: "Some finished jobs will never be in the history: they were deleted too early, or the database rejected them."
ZipjobsHistoryPartitions:
  expr: max(zip_history_partition_days_ahead{$own}) < 7 and max(zip_history_partition_days_ahead{$own}) >= 0
  for: 15m
  severity: warning
  summary: The history database has partitions for fewer than the next 7 days.
# A round that fails is repeated after a minute, and one that succeeds after an hour. So this is silent if the repetition succeeds.
ZipjobsHistoryRetentionFails:
  expr: sum(increase(zip_history_retention_failures_total{$own}[30m])) > 0
  for: 60m
  severity: warning
  summary: The history retention has failed for an hour, so old records may be kept and new partitions may be missing.
ZipjobsDashboardFails:
  expr: sum(rate(zip_dashboard_request_duration_seconds_count{status="5xx",$own}[10m])) / sum(rate(zip_dashboard_request_duration_seconds_count{$own}[10m])) > 0.05
  for: 10m
  severity: warning
  summary: More than 5 % of dashboard requests return a 5xx status.
{{- end -}}
