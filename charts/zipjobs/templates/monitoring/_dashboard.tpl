{{/* One panel, half a row wide. Takes (list . place title unit (list of (list legend expression))). */}}
{{- define "zipjobs.panel" -}}
{{- $root := index . 0 -}}
{{- $place := index . 1 -}}
{{- $targets := list -}}
{{- range index . 4 -}}
{{- $targets = append $targets (dict "legendFormat" (index . 0) "expr" (include "zipjobs.ownSeries" (list $root (index . 1)))) -}}
{{- end -}}
{{- dict
  "type" "timeseries"
  "title" (index . 2)
  "datasource" (dict "type" "prometheus" "uid" "${datasource}")
  "gridPos" (dict "w" 12 "h" 8 "x" (mul 12 (mod $place 2)) "y" (mul 8 (div $place 2)))
  "fieldConfig" (dict "defaults" (dict "unit" (index . 3)))
  "targets" $targets | toJson -}}
{{- end -}}

{{- define "zipjobs.dashboard" -}}
{{- $panels := list
  (list "Jobs by phase" "short" (list (list "{{phase}}" "max by (phase) (zip_jobs{$own})")))
  (list "Finished jobs per minute" "short" (list (list "{{result}} {{reason}} {{fault}}" "60 * sum by (result, reason, fault) (rate(zip_jobs_finished_total{$own}[5m]))")))
  (list "Queue time" "s" (list (list "oldest" "max(zip_jobs_oldest_queued_seconds{$own})") (list "p95" "histogram_quantile(0.95, sum by (le) (rate(zip_job_queue_seconds_bucket{$own}[15m])))")))
  (list "Start and duration, p95" "s" (list (list "start" "histogram_quantile(0.95, sum by (le) (rate(zip_job_start_latency_seconds_bucket{$own}[15m])))") (list "duration {{result}}" "histogram_quantile(0.95, sum by (le, result) (rate(zip_job_duration_seconds_bucket{$own}[15m])))")))
  (list "Stuck jobs" "short" (list (list "{{reason}}" "max by (reason) (zip_jobs_stuck{$own})") (list "overdue" "max(zip_jobs_overdue{$own})")))
  (list "Attempts per minute" "short" (list (list "{{class}}" "60 * sum by (class) (rate(zip_job_attempts_total{$own}[5m]))")))
  (list "Webhooks" "short" (list (list "pending" "max(zip_webhooks_pending{$own})") (list "{{outcome}} per minute" "60 * sum by (outcome) (rate(zip_webhook_deliveries_total{$own}[5m]))")))
  (list "Archived bytes per minute" "bytes" (list (list "bytes" "60 * sum(rate(zip_job_archive_bytes_sum{$own}[15m]))")))
  (list "API requests" "reqps" (list (list "{{route}} {{status}}" "sum by (route, status) (rate(zip_api_request_duration_seconds_count{$own}[5m]))")))
  (list "Dashboard requests" "reqps" (list (list "{{route}} {{status}}" "sum by (route, status) (rate(zip_dashboard_request_duration_seconds_count{$own}[5m]))")))
  (list "Reconciles" "ops" (list (list "{{controller}} {{result}}" "sum by (controller, result) (rate(controller_runtime_reconcile_total{$own}[5m]))") (list "depth {{name}}" "max by (name) (workqueue_depth{$own})")))
-}}
{{- $rendered := list -}}
{{- range $place, $panel := $panels -}}
{{- $rendered = append $rendered (include "zipjobs.panel" (prepend (prepend $panel $place) $) | fromJson) -}}
{{- end -}}
{{- $datasource := dict "name" "datasource" "type" "datasource" "query" "prometheus" -}}
{{- dict
  "title" "zipjobs"
  "uid" "zipjobs"
  "schemaVersion" 39
  "refresh" "30s"
  "time" (dict "from" "now-6h" "to" "now")
  "templating" (dict "list" (list $datasource))
  "panels" $rendered | toJson -}}
{{- end -}}
