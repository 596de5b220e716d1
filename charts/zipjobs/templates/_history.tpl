{{/* Whether finished jobs are recorded in PostgreSQL. */}}
{{- define "zipjobs.hasHistory" -}}
{{- if .Values.history.postgres.host -}}true{{- end -}}
{{- end -}}

{{/* Settings of a process for the history, as JSON; empty without history. Takes (list . "reader"): the user. */}}
{{- define "zipjobs.historySettings" -}}
{{- $root := index . 0 -}}
{{- $user := index . 1 -}}
{{- $settings := dict -}}
{{- if include "zipjobs.hasHistory" $root -}}
{{- with $root.Values.history.postgres -}}
{{- $settings = dict
  "HISTORY_HOST" .host
  "HISTORY_PORT" .port
  "HISTORY_DATABASE" .database
  "HISTORY_USER" (index .users $user)
  "HISTORY_PASSWORD_FILE" (printf "/etc/zipjobs/history/%s-password" $user)
  "HISTORY_TLS" (ternary "verify-full" "disable" .tls.enabled)
-}}
{{- if or .tls.caConfigMapKeyRef.name .tls.caSecretKeyRef.name -}}
{{- $_ := set $settings "HISTORY_CA_FILE" "/etc/zipjobs/history-ca/ca.crt" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/*
Files of the history that a pod mounts, as JSON: the password of its own user only, and the certificate authority. Never a
subPath, because the kubelet does not update such a file. Takes the same list.
*/}}
{{- define "zipjobs.historyFiles" -}}
{{- $root := index . 0 -}}
{{- $files := list -}}
{{- if include "zipjobs.hasHistory" $root -}}
{{- with $root.Values.history.postgres -}}
{{- $files = append $files (dict "name" "history" "secret" .existingSecret "key" (printf "%s-password" (index $ 1))) -}}
{{- with .tls.caConfigMapKeyRef -}}
{{- if .name -}}{{- $files = append $files (dict "name" "history-ca" "configMap" .name "key" .key "file" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- with .tls.caSecretKeyRef -}}
{{- if .name -}}{{- $files = append $files (dict "name" "history-ca" "secret" .name "key" .key "file" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* Annotations of what migrates the schema before an installation or upgrade. Takes a weight; smaller ones are created first. */}}
{{- define "zipjobs.migrationHook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
# Not hook-failed: the log of a failed migration stays readable until the next one.
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}
