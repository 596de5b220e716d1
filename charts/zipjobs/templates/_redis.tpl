{{/* How the API reaches Redis; nothing of it is in the pod's spec but the URL without credentials. */}}
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
