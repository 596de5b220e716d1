{{/* URL of the Service of a component. Takes (list . "api" 80). */}}
{{- define "zipjobs.serviceUrl" -}}
{{- $root := index . 0 -}}
{{ include "zipjobs.scheme" . }}://{{ include "zipjobs.componentName" . }}.{{ $root.Release.Namespace }}.svc:{{ index . 2 }}
{{- end -}}
