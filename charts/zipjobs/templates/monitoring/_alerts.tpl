{{/* Every alert by its name. Gauges of jobs are told by all replicas of the controller, so they are read by max; counters are the leader's. */}}
{{- define "zipjobs.alerts" -}}
ZipjobsFailureRatio:
  expr: sum(rate(zip_jobs_finished_total{result="failed"}[30m])) / sum(rate(zip_jobs_finished_total[30m])) > 0.2 and sum(increase(zip_jobs_finished_total[30m])) > 10
  for: 10m
  severity: warning
  summary: More than a fifth of the jobs fail.
ZipjobsQueueWaits:
  expr: max(zip_jobs_oldest_queued_seconds) > 1800
  for: 5m
  severity: warning
  summary: A job has waited for more than half an hour to begin.
ZipjobsStuck:
  expr: max by (reason) (zip_jobs_stuck) > 0
  for: 15m
  severity: warning
  summary: "Something outside keeps jobs from running: {{ "{{" }} $labels.reason {{ "}}" }}."
ZipjobsOverdue:
  expr: max(zip_jobs_overdue) > 0
  for: 5m
  severity: critical
  summary: A job goes on although its deadline has passed.
ZipjobsNoLeader:
  expr: absent(leader_election_master_status == 1)
  for: 2m
  severity: critical
  summary: No controller leads; no job begins and no webhook is sent.
ZipjobsWatchSilent:
  expr: max by (pod, kind) (zip_reflector_last_event_age_seconds) > 120
  for: 1m
  severity: warning
  summary: A process hears nothing from the API server.
ZipjobsWebhooksLate:
  expr: max(zip_webhook_oldest_pending_seconds) > 21600
  for: 10m
  severity: warning
  summary: A webhook could not be delivered for six hours.
ZipjobsWebhooksLost:
  expr: sum(increase(zip_webhooks_exhausted_total[1h])) > 0
  for: 0m
  severity: warning
  summary: Webhooks were given up.
ZipjobsPassesFail:
  expr: sum by (controller) (rate(controller_runtime_reconcile_errors_total[15m])) > 0.1
  for: 15m
  severity: warning
  summary: Passes of the controller keep failing.
ZipjobsApiFails:
  expr: sum(rate(zip_api_request_duration_seconds_count{status="5xx"}[10m])) / sum(rate(zip_api_request_duration_seconds_count[10m])) > 0.05
  for: 10m
  severity: critical
  summary: More than a twentieth of the requests are answered with 5xx.
{{- end -}}
