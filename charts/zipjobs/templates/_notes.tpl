{{/* URL of a component without path, from outside the cluster. ADDRESS if only the cluster knows it. Takes (list . "api" 8080): local port. */}}
{{- define "zipjobs.url" -}}
{{- $root := index . 0 -}}
{{- $values := index $root.Values (index . 1) -}}
{{- if or $values.ingress.enabled $values.httpRoute.enabled -}}
{{ include "zipjobs.publicUrl" $values | default "https://ADDRESS" }}
{{- else -}}
{{ include "zipjobs.scheme" . }}://localhost:{{ index . 2 }}
{{- end -}}
{{- end -}}

{{/* The command that this URL needs, if any. Takes (list . "api" 8080). */}}
{{- define "zipjobs.urlCommand" -}}
{{- $root := index . 0 -}}
{{- $values := index $root.Values (index . 1) -}}
{{- $name := include "zipjobs.componentName" . -}}
{{- $namespace := $root.Release.Namespace -}}
{{- if not (or $values.ingress.enabled $values.httpRoute.enabled) }}
To make it reachable at this address, run:
  kubectl port-forward -n {{ $namespace }} service/{{ $name }} {{ index . 2 }}:{{ $values.service.port }}
{{- else if not (include "zipjobs.publicHost" $values) }}
To see ADDRESS, run:
{{- if $values.ingress.enabled }}
  kubectl get ingress -n {{ $namespace }} {{ $name }}
{{- else }}
{{- with first $values.httpRoute.parentRefs }}
  kubectl get {{ default "gateway" .kind | lower }} -n {{ default $namespace .namespace }} {{ .name }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* What a component lacks for production: one line each. Takes (list . "api" "API"). */}}
{{- define "zipjobs.componentWarnings" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{- if and $values.ingress.enabled (not $values.ingress.tlsSecretName) }}
- No TLS for the {{ index . 2 }}: set {{ $component }}.ingress.tlsSecretName, unless your load balancer terminates TLS. Requests over plain HTTP are refused.
{{- end }}
{{- if and (ne $values.service.type "ClusterIP") (not (include "zipjobs.hasTls" .)) (not $values.ingress.enabled) (not $values.httpRoute.enabled) }}
- No TLS for the {{ index . 2 }}: its Service of type {{ $values.service.type }} is plain HTTP. Set {{ $component }}.ingress or {{ $component }}.httpRoute, or terminate TLS in your load balancer.
{{- end }}
{{- if and (eq (int $values.replicas) 1) (not (dig "autoscaling" "enabled" false $values)) }}
- One replica of the {{ index . 2 }}: it does not respond while its pod restarts. Set {{ $component }}.replicas to 2{{ if eq $component "dashboard" }}, and redis.url{{ end }}.
{{- end }}
{{- end -}}

{{/* A number of seconds as whole days. */}}
{{- define "zipjobs.days" -}}
{{- $days := div . 86400 -}}
{{ $days }} day{{ if ne $days 1 }}s{{ end }}
{{- end -}}

{{/* How long a finished job can be read. The numbers are the defaults of the controller's settings; a test compares them. */}}
{{- define "zipjobs.historyNote" -}}
{{- if include "zipjobs.hasHistory" . }}
{{- $days := dig "HISTORY_RETENTION_DAYS" 90 .Values.controller.settings | int }}
{{- with .Values.history.postgres }}
History: finished jobs are recorded in the database "{{ .database }}" at {{ .host }}:{{ .port }} for {{ $days }} day{{ if ne $days 1 }}s{{ end }}, with their state, times, keys and metadata, but never source URLs or headers. To change the retention, set HISTORY_RETENTION_DAYS in controller.settings. See docs/history.md.
{{- end }}
{{- else }}
{{- $succeeded := include "zipjobs.days" (dig "SUCCEEDED_TTL_SECONDS" 604800 .Values.controller.settings | int) }}
{{- $failed := include "zipjobs.days" (dig "FAILED_TTL_SECONDS" 604800 .Values.controller.settings | int) }}
No history: a finished job is deleted after {{ $succeeded }}{{ if ne $succeeded $failed }} if it succeeded and after {{ $failed }} otherwise{{ end }}, and its status with it. To keep a record in PostgreSQL, set history.postgres. See docs/history.md.
{{- end }}
{{- end -}}

{{/* What the release lacks for production: one line each, with the value to set. */}}
{{- define "zipjobs.warnings" -}}
{{- include "zipjobs.componentWarnings" (list . "api" "API") }}
{{- if .Values.dashboard.enabled }}
{{- include "zipjobs.componentWarnings" (list . "dashboard" "dashboard") }}
{{- end }}
{{- if not .Values.trustedProxies }}
- No trusted proxies: set trustedProxies to the CIDRs of the proxy or load balancer in front of zipjobs. Without it, all clients share one address and its limits.
{{- end }}
{{- if and .Values.monitoring.prometheusRule.enabled (not (include "zipjobs.runbookUrl" .)) }}
- No links in alerts: set monitoring.prometheusRule.runbookUrl to a URL of docs/on-call.md that your team can open.
{{- end }}
{{- if and (include "zipjobs.hasHistory" .) (not .Values.history.postgres.tls.enabled) }}
- No TLS to PostgreSQL: metadata and keys of jobs are sent in plain text. Enable TLS on the server and set history.postgres.tls.enabled to true.
{{- end }}
{{- if not .Values.egress.clusterCidrs }}
{{- if .Capabilities.APIVersions.Has "networking.k8s.io/v1/ServiceCIDR" }}
- No cluster ranges: if your nodes or pods have public addresses, add their ranges to egress.clusterCidrs. Otherwise the URLs of callers can reach them.
{{- else }}
- No cluster ranges: this cluster does not report its service ranges (Kubernetes 1.33 and newer do). If services, nodes or pods have addresses that look public, as on GKE (34.118.224.0/20), the URLs of callers can reach them. Set egress.clusterCidrs to the ranges of your services, nodes and pods.
{{- end }}
{{- end }}
{{- end -}}
