{{/* Settings of the dashboard, as JSON. */}}
{{- define "zipjobs.dashboardSettings" -}}
{{- $dashboard := .Values.dashboard -}}
{{- $settings := dict "DASHBOARD_ENABLED" true "DASHBOARD_PORT" 8081 "DASHBOARD_ALLOW_HTTP" $dashboard.allowHttp -}}
{{- with $dashboard.url -}}{{- $_ := set $settings "DASHBOARD_URL" . -}}{{- end -}}
{{- with $dashboard.oidc -}}
{{- if .issuer -}}
{{- if not $dashboard.url -}}{{- fail "dashboard.oidc.issuer is set: the identity provider sends browsers back to dashboard.url, so set that too" -}}{{- end -}}
{{- if not .clientId -}}{{- fail "dashboard.oidc.issuer is set, so dashboard.oidc.clientId is needed too" -}}{{- end -}}
{{- $settings = merge $settings (dict "DASHBOARD_OIDC_ISSUER" .issuer "DASHBOARD_OIDC_CLIENT_ID" .clientId "DASHBOARD_OIDC_SCOPES" .scopes) -}}
{{- if .clientSecret -}}{{- $_ := set $settings "DASHBOARD_OIDC_CLIENT_SECRET_FILE" "/etc/zipjobs/oidc-client/client-secret" -}}{{- end -}}
{{- if .caSecret -}}{{- $_ := set $settings "DASHBOARD_OIDC_CA_FILE" "/etc/zipjobs/oidc-ca/ca.crt" -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* Secrets that the API's pods mount: name of the volume, Secret, key. */}}
{{- define "zipjobs.apiSecrets" -}}
{{- $secrets := list -}}
{{- with .Values.redis.caSecret -}}{{- $secrets = append $secrets (dict "name" "redis-ca" "secret" . "key" "ca.crt") -}}{{- end -}}
{{- if and .Values.dashboard.enabled .Values.dashboard.oidc.issuer -}}
{{- with .Values.dashboard.oidc.clientSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-client" "secret" . "key" "client-secret") -}}{{- end -}}
{{- with .Values.dashboard.oidc.caSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-ca" "secret" . "key" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}

{{- define "zipjobs.apiMounts" -}}
{{- range include "zipjobs.apiSecrets" . | fromJsonArray }}
- { name: {{ .name }}, mountPath: /etc/zipjobs/{{ .name }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "zipjobs.apiVolumes" -}}
{{- range include "zipjobs.apiSecrets" . | fromJsonArray }}
- name: {{ .name }}
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: {{ .key }} }] }
{{- end }}
{{- end -}}
