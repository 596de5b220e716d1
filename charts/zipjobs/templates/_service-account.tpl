{{/* The service account of a component, unless it exists already. Takes (list . "api"). */}}
{{- define "zipjobs.serviceAccount" -}}
{{- $root := index . 0 -}}
{{- if not (index $root.Values (index . 1)).serviceAccountName -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "zipjobs.serviceAccountName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "zipjobs.marks" . | nindent 2 }}
{{- end -}}
{{- end -}}
