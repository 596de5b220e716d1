{{/* The smallest number of pods of a component that the values ask for. Takes the component's values. */}}
{{- define "zipjobs.minReplicas" -}}
{{- if dig "autoscaling" "enabled" false . -}}{{ int .autoscaling.minReplicas }}{{- else -}}{{ int .replicas }}{{- end -}}
{{- end -}}

{{/* The largest one; at least 1. Takes the component's values. */}}
{{- define "zipjobs.maxReplicas" -}}
{{- if dig "autoscaling" "enabled" false . -}}{{ int .autoscaling.maxReplicas }}{{- else -}}{{ max 1 (int .replicas) }}{{- end -}}
{{- end -}}

{{/*
Replicas of a Deployment that an autoscaler scales, while Helm would remove the field: the API server would set it to 1. A client-side
upgrade removes what the previous release contained. A server-side apply removes what only Helm owns; once the autoscaler has scaled
the Deployment, it owns the field, and Helm must not apply it. The manager of an apply of Helm is "helm", or "helm-controller" in Flux.
Takes a list: the live Deployment, empty if there is none, and the smallest number.
*/}}
{{- define "zipjobs.keptReplicas" -}}
{{- $live := index . 0 -}}
{{- $applied := false -}}
{{- $owned := false -}}
{{- range dig "metadata" "managedFields" list $live -}}
{{- if and (eq .operation "Apply") (dig "manager" "" . | hasPrefix "helm") -}}
{{- $applied = true -}}
{{- $owned = or $owned (hasKey (dig "fieldsV1" "f:spec" dict .) "f:replicas") -}}
{{- end -}}
{{- end -}}
{{- if and $live (or $owned (not $applied)) -}}{{ max (index . 1 | int) (dig "spec" "replicas" 1 $live | int) }}{{- end -}}
{{- end -}}

{{/*
The PodDisruptionBudget of a component with several pods. With one pod, it would block every drain of its node.
Takes (list . "api").
*/}}
{{- define "zipjobs.podDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{- $budget := $values.podDisruptionBudget -}}
{{- if gt (include "zipjobs.minReplicas" $values | int) 1 -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "zipjobs.marks" . | nindent 2 }}
spec:
  {{- toYaml ($budget | default (dict "maxUnavailable" 1)) | nindent 2 }}
  # Pods that are not ready serve no requests, so they must not block a drain.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{- include "zipjobs.selectorLabels" . | nindent 6 }}
{{- end -}}
{{- end -}}
