{{/* Variables for Redis. Credentials come from the Secret; the pod's spec contains only the URL without them. */}}
{{- define "zipjobs.redisEnv" -}}
{{- if .Values.redis.url }}
- { name: REDIS_URL, value: {{ .Values.redis.url | quote }} }
{{- end }}
{{- with .Values.redis.existingSecret }}
{{- if not $.Values.redis.url }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ quote . }}, key: url } }
{{- end }}
- name: REDIS_USERNAME
  valueFrom: { secretKeyRef: { name: {{ quote . }}, key: username, optional: true } }
- name: REDIS_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ quote . }}, key: password, optional: true } }
{{- end }}
{{- if .Values.redis.caSecret }}
- { name: REDIS_CA_FILE, value: /etc/zipjobs/redis-ca/ca.crt }
{{- end }}
{{- end -}}

{{/* Secrets of Redis that pods mount, as JSON: name of the volume, Secret, key. */}}
{{- define "zipjobs.redisSecrets" -}}
{{- $secrets := list -}}
{{- with .Values.redis.caSecret -}}{{- $secrets = append $secrets (dict "name" "redis-ca" "secret" . "key" "ca.crt") -}}{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{/* Whether replicas share counts and sessions in Redis. */}}
{{- define "zipjobs.hasRedis" -}}
{{- if or .Values.redis.url .Values.redis.existingSecret -}}true{{- end -}}
{{- end -}}
