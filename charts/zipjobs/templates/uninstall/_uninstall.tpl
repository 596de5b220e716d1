{{/* Annotations of what exists only while the release is being removed. Takes a weight: what has a smaller one comes first. */}}
{{- define "zipjobs.uninstallHook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end -}}
