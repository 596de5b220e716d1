{{/* Settings of the dashboard, as JSON. */}}
{{- define "zipjobs.dashboardSettings" -}}
{{- $dashboard := .Values.dashboard -}}
{{- $settings := dict "DASHBOARD_ALLOW_HTTP" $dashboard.allowHttp "TRUSTED_PROXIES" .Values.trustedProxies -}}
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

{{/* Secrets that the dashboard's pods mount. */}}
{{- define "zipjobs.dashboardSecrets" -}}
{{- $secrets := include "zipjobs.redisSecrets" . | fromJsonArray -}}
{{- with .Values.dashboard.oidc -}}
{{- if .issuer -}}
{{- with .clientSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-client" "secret" . "key" "client-secret") -}}{{- end -}}
{{- with .caSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-ca" "secret" . "key" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}
