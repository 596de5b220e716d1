{{/* Label `job` of the series of this release: that of its PodMonitor or ServiceMonitor, unless the values name another. */}}
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

{{/* The alerts by name, as YAML: prometheus/alerts.yaml with the thresholds of the values. */}}
{{- define "zipjobs.alerts" -}}
{{- $alerts := .Files.Get "prometheus/alerts.yaml" | fromYaml -}}
{{- $thresholds := .Values.monitoring.prometheusRule.thresholds -}}
{{- range $name, $alert := $alerts -}}
{{- if hasKey $alert "threshold" -}}
{{- if hasKey $thresholds $name -}}{{- $_ := set $alert "threshold" (get $thresholds $name) -}}{{- end -}}
{{- $_ := set $alert "expr" ($alert.expr | replace "$threshold" (toString $alert.threshold)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $alerts -}}
{{- end -}}

{{/* The text of an annotation, with the names of this release and the project of the alert. Takes (list . text). */}}
{{- define "zipjobs.alertText" -}}
{{- $root := index . 0 -}}
{{- $project := `{{ if eq $labels.project "_other" }}A project without figures of its own{{ else if $labels.project }}Project {{ $labels.project }}{{ else }}A project{{ end }}` -}}
{{- $scope := `{{ if or (not $labels.project) (eq $labels.project "_other") }}-A{{ else }}-n {{ $labels.project }}{{ end }}` -}}
{{- index . 1 | replace "$project" $project | replace "$scope" $scope | replace "$namespace" $root.Release.Namespace | replace "$lease" (include "zipjobs.leaseName" $root) -}}
{{- end -}}

{{/* The annotations of an alert, as YAML. Takes (list . name alert). */}}
{{- define "zipjobs.alertAnnotations" -}}
{{- $root := index . 0 -}}
{{- $anchor := lower (index . 1) -}}
{{- $annotations := dict "runbook" (printf "docs/on-call.md#%s" $anchor) -}}
{{- range $field := list "summary" "description" "impact" "command" -}}
{{- $_ := set $annotations $field (include "zipjobs.alertText" (list $root (get (index $ 2) $field))) -}}
{{- end -}}
{{- with include "zipjobs.runbookUrl" $root -}}
{{- $_ := set $annotations "runbook_url" (printf "%s#%s" . $anchor) -}}
{{- end -}}
{{- with include "zipjobs.webDashboardUrl" $root -}}
{{- $path := ternary `{{ if and $labels.project (ne $labels.project "_other") }}/projects/{{ $labels.project }}{{ end }}` "" (contains "$project" (index $ 2).description) -}}
{{- $_ := set $annotations "dashboard_url" (print . $path) -}}
{{- end -}}
{{- toYaml $annotations -}}
{{- end -}}

{{/* URL of docs/on-call.md for links; empty without one. A chart from the source code names no repository. */}}
{{- define "zipjobs.runbookUrl" -}}
{{- with .Values.monitoring.prometheusRule.runbookUrl -}}
{{- if not (contains "OWNER/REPO" .) -}}{{- . -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Public URL of the web dashboard, as far as the chart knows it; empty without one. */}}
{{- define "zipjobs.webDashboardUrl" -}}
{{- with .Values.dashboard -}}
{{- if .enabled -}}{{- .url | default (include "zipjobs.publicUrl" .) | trimSuffix "/" -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The recording rules, as YAML. */}}
{{- define "zipjobs.recordingRules" -}}
{{- $slo := .Values.monitoring.slo -}}
{{- $rules := .Files.Get "prometheus/recording-rules.yaml" | fromYamlArray -}}
{{- range $rule := $rules -}}
{{- $expr := $rule.expr | replace "$startSeconds" (toString $slo.start.seconds) | replace "$webhookSeconds" (toString $slo.webhook.seconds) -}}
{{- range $name := list "success" "start" "webhook" -}}
{{- $expr = $expr | replace (printf "$%sTarget" $name) (toString (get $slo $name).target) -}}
{{- end -}}
{{- $_ := set $rule "expr" (include "zipjobs.ownSeries" (list $ $expr)) -}}
{{- $_ := set $rule "labels" (merge (dict "job" (include "zipjobs.metricsJob" $)) ($rule.labels | default dict)) -}}
{{- end -}}
{{- toYaml $rules -}}
{{- end -}}
