{{/* Whether finished jobs are recorded in PostgreSQL. Fails if its values contradict each other. */}}
{{- define "zipjobs.hasHistory" -}}
{{- with .Values.history.postgres -}}
{{- if .host -}}
{{- if not .existingSecret -}}
{{- fail "history.postgres.host is set: set history.postgres.existingSecret too, the Secret in the release namespace with the keys `owner-password`, `writer-password` and `reader-password`. To keep no history, empty history.postgres.host. See docs/history.md." -}}
{{- end -}}
{{- $authorities := list -}}
{{- range $name := list "caConfigMapKeyRef" "caSecretKeyRef" -}}
{{- if (index $.Values.history.postgres.tls $name).name -}}{{- $authorities = append $authorities $name -}}{{- end -}}
{{- end -}}
{{- if gt (len $authorities) 1 -}}
{{- fail "history.postgres.tls sets caConfigMapKeyRef.name and caSecretKeyRef.name: set only one of them" -}}
{{- end -}}
{{- if and $authorities (not .tls.enabled) -}}
{{- fail (printf "history.postgres.tls.enabled is false, so history.postgres.tls.%s.name has no effect: remove it, or enable TLS" (first $authorities)) -}}
{{- end -}}
{{- if lt (values .users | uniq | len) 3 -}}
{{- fail "history.postgres.users: owner, writer and reader must be three different users. With one user for two of them, a process has the permissions of both. See docs/history.md." -}}
{{- end -}}
{{- if and $.Values.networkPolicies.enabled (not $.Values.networkPolicies.historyEgress) -}}
{{- fail "history.postgres.host and networkPolicies.enabled are set: set networkPolicies.historyEgress to the rules that open PostgreSQL, for example [{to: [{ipBlock: {cidr: 10.20.0.0/24}}], ports: [{protocol: TCP, port: 5432}]}]" -}}
{{- end -}}
true
{{- end -}}
{{- end -}}
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
