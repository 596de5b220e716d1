{{/* Settings of one proxy, as JSON. Takes (list . "sources" "SOURCE"): the purpose, and the prefix of its variables. */}}
{{- define "zipjobs.proxySettings" -}}
{{- $prefix := index . 2 -}}
{{- $settings := dict -}}
{{- with index (index . 0).Values.proxy (index . 1) -}}
{{- if .url -}}
{{- $_ := set $settings (printf "%s_PROXY_URL" $prefix) .url -}}
{{- $_ := set $settings (printf "%s_NO_PROXY" $prefix) .noProxy -}}
{{- end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* The Secret with the credentials of one proxy; empty for none. Takes (list . "sources"). */}}
{{- define "zipjobs.proxySecret" -}}
{{- with index (index . 0).Values.proxy (index . 1) -}}{{- if .url -}}{{- .credentialSecretRef -}}{{- end -}}{{- end -}}
{{- end -}}

{{/* The Secrets of the proxies of zippers, as JSON: prefix of the variables -> name. */}}
{{- define "zipjobs.zipperProxySecrets" -}}
{{- $secrets := dict -}}
{{- with include "zipjobs.proxySecret" (list . "sources") -}}{{- $_ := set $secrets "SOURCE" . -}}{{- end -}}
{{- with include "zipjobs.proxySecret" (list . "stores") -}}{{- $_ := set $secrets "STORE" . -}}{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{/* Variables with the credentials of the proxy for webhooks. */}}
{{- define "zipjobs.webhookProxyEnv" -}}
{{- with include "zipjobs.proxySecret" (list . "webhooks") }}
- name: WEBHOOK_PROXY_USERNAME
  valueFrom: { secretKeyRef: { name: {{ quote . }}, key: username } }
- name: WEBHOOK_PROXY_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ quote . }}, key: password } }
{{- end }}
{{- end -}}
