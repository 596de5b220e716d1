{{/* Settings of a process for traces, as JSON; empty without a collector. */}}
{{- define "zipjobs.tracingSettings" -}}
{{- $settings := dict -}}
{{- with .Values.tracing -}}
{{- if .endpoint -}}
{{- $settings = dict "TRACING_ENDPOINT" .endpoint "TRACING_SAMPLE_RATIO" .sampleRatio -}}
{{- if .existingSecret -}}{{- $_ := set $settings "TRACING_HEADERS_FILE" "/etc/zipjobs/tracing/headers" -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* The Secret with the headers for the collector that pods mount, as JSON: a list with at most one entry. */}}
{{- define "zipjobs.tracingFiles" -}}
{{- $files := list -}}
{{- with .Values.tracing -}}
{{- if and .endpoint .existingSecret -}}{{- $files = append $files (dict "name" "tracing" "secret" .existingSecret "key" "headers") -}}{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}
