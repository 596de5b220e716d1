{{/* Variables for Redis. Credentials come from the Secret; the pod's spec contains only the URL without them. */}}
{{- define "zipjobs.redisEnv" -}}
{{- if .Values.redis.url }}
- { name: REDIS_URL, value: {{ .Values.redis.url | quote }} }
{{- end }}
{{- with .Values.redis.existingSecret }}
{{- if not $.Values.redis.url }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ . }}, key: url } }
{{- end }}
- name: REDIS_USERNAME
  valueFrom: { secretKeyRef: { name: {{ . }}, key: username, optional: true } }
- name: REDIS_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ . }}, key: password, optional: true } }
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

{{/* Fails if a component has several replicas and no Redis. Takes (list . "api" "rate limits"). */}}
{{- define "zipjobs.requireRedis" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $replicas := int (index $root.Values $component).replicas -}}
{{- if and (gt $replicas 1) (not $root.Values.redis.url) (not $root.Values.redis.existingSecret) -}}
{{- fail (printf "%s.replicas is more than 1, but replicas share their %s in Redis: set redis.url (or redis.existingSecret), or run one replica" $component (index . 2)) -}}
{{- end -}}
{{- end -}}
