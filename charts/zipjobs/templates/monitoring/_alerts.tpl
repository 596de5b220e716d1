{{/* Alerts by name. All replicas of the controller export gauges of jobs, so use max; only the leader increments counters, so use sum. */}}
{{- define "zipjobs.alerts" -}}
ZipjobsFailureRatio:
  expr: sum(rate(zip_jobs_finished_total{result="failed"}[30m])) / sum(rate(zip_jobs_finished_total[30m])) > 0.2 and sum(increase(zip_jobs_finished_total[30m])) > 10
  for: 10m
  severity: warning
  summary: More than 20 % of jobs failed in the last 30 minutes.
ZipjobsQueueWaits:
  expr: max(zip_jobs_oldest_queued_seconds) > 1800
  for: 5m
  severity: warning
  summary: A job has been queued for more than 30 minutes.
ZipjobsStuck:
  expr: max by (reason) (zip_jobs_stuck) > 0
  for: 15m
  severity: warning
  summary: "Jobs are stuck for a reason outside zipjobs: {{ "{{" }} $labels.reason {{ "}}" }}."
ZipjobsOverdue:
  expr: max(zip_jobs_overdue) > 0
  for: 5m
  severity: critical
  summary: A job is still running after its deadline.
ZipjobsNoLeader:
  expr: absent(leader_election_master_status == 1)
  for: 2m
  severity: critical
  summary: No controller is the leader. No job starts and no webhook is sent.
ZipjobsWatchSilent:
  expr: max by (pod, kind) (zip_reflector_last_event_age_seconds) > 120
  for: 1m
  severity: warning
  summary: A process has received nothing from the API server for 2 minutes.
ZipjobsWebhooksLate:
  expr: max(zip_webhook_oldest_pending_seconds) > 21600
  for: 10m
  severity: warning
  summary: A webhook has been undeliverable for 6 hours.
ZipjobsWebhooksLost:
  expr: sum(increase(zip_webhooks_exhausted_total[1h])) > 0
  for: 0m
  severity: warning
  summary: Webhooks failed and will not be retried.
ZipjobsReconcilesFail:
  expr: sum by (controller) (rate(controller_runtime_reconcile_errors_total[15m])) > 0.1
  for: 15m
  severity: warning
  summary: Reconciles of the controller keep failing.
ZipjobsApiFails:
  expr: sum(rate(zip_api_request_duration_seconds_count{status="5xx"}[10m])) / sum(rate(zip_api_request_duration_seconds_count[10m])) > 0.05
  for: 10m
  severity: critical
  summary: More than 5 % of API requests return a 5xx status.
ZipjobsProjectFull:
  expr: max by (limit) (zip_api_fullest_project_ratio) > 0.95
  for: 15m
  severity: warning
  summary: "A project uses more than 95 % of its limit: {{ "{{" }} $labels.limit {{ "}}" }}."
ZipjobsDashboardFails:
  expr: sum(rate(zip_dashboard_request_duration_seconds_count{status="5xx"}[10m])) / sum(rate(zip_dashboard_request_duration_seconds_count[10m])) > 0.05
  for: 10m
  severity: warning
  summary: More than 5 % of dashboard requests return a 5xx status.
{{- end -}}
