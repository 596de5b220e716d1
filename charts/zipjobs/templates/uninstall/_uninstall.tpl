{{/* Annotations of objects that exist only during the uninstall. Takes a weight; objects with smaller weights are created first. */}}
{{- define "zipjobs.uninstallHook" -}}
helm.sh/hook: pre-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded,hook-failed
{{- end -}}
