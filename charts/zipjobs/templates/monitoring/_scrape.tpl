{{/*
The endpoint of a PodMonitor or ServiceMonitor. Both set the same labels, by which the alerts select. Takes the root context and the
values of the monitor.
*/}}
{{- define "zipjobs.scrapeEndpoint" -}}
{{- $root := index . 0 -}}
{{- $monitor := index . 1 -}}
port: admin
path: /metrics
interval: {{ quote $monitor.interval }}
relabelings:
  - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
    regex: api|controller|dashboard
    action: keep
  - targetLabel: job
    replacement: {{ include "zipjobs.metricsJob" $root | quote }}
  - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
    targetLabel: component
  {{- range $component := list "api" "dashboard" }}
  {{- if include "zipjobs.hasTls" (list $root $component) }}
  - sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
    regex: {{ $component }}
    targetLabel: __scheme__
    replacement: https
  {{- end }}
  {{- end }}
  {{- with $monitor.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $monitor.metricRelabelings }}
metricRelabelings: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if or (include "zipjobs.hasTls" (list $root "api")) (include "zipjobs.hasTls" (list $root "dashboard")) }}
# Prometheus connects to the address of a pod, which its certificate does not contain.
tlsConfig: { insecureSkipVerify: true }
{{- end }}
{{- end -}}

{{/* The metadata of an object of the monitoring, with labels that Prometheus selects. Takes (list . name labels). */}}
{{- define "zipjobs.monitoringMetadata" -}}
{{- $root := index . 0 -}}
name: {{ index . 1 | quote }}
namespace: {{ $root.Release.Namespace | quote }}
labels: {{- mustMerge (include "zipjobs.labels" (list $root "monitoring") | fromYaml) (index . 2) | toYaml | nindent 2 }}
{{ include "zipjobs.annotations" (list $root dict) }}
{{- end -}}
