{{/*
URL of the dashboard for OpenID Connect, by default that of its first host; otherwise only a given one, because the dashboard then
accepts forms from that origin alone. Over plain HTTP it must be given. Takes the root context.
*/}}
{{- define "zipjobs.dashboardUrl" -}}
{{- with .Values.dashboard -}}
{{- $default := "" -}}
{{- if and .oidc.issuer (not .allowHttp) -}}{{- $default = include "zipjobs.publicUrl" . -}}{{- end -}}
{{- .url | default $default -}}
{{- end -}}
{{- end -}}

{{/* Settings of the dashboard, as JSON. */}}
{{- define "zipjobs.dashboardSettings" -}}
{{- $dashboard := .Values.dashboard -}}
{{- $settings := dict "DASHBOARD_ALLOW_HTTP" $dashboard.allowHttp "TRUSTED_PROXIES" .Values.trustedProxies "ERROR_HELP_URL" (include "zipjobs.errorHelpUrl" .) -}}
{{- with include "zipjobs.dashboardUrl" . -}}{{- $_ := set $settings "DASHBOARD_URL" . -}}{{- end -}}
{{- with $dashboard.links -}}{{- $_ := set $settings "DASHBOARD_LINKS_JSON" (toJson .) -}}{{- end -}}
{{- if not (hasKey $dashboard.settings "DASHBOARD_API_URL") -}}
{{- with include "zipjobs.publicUrl" .Values.api -}}{{- $_ := set $settings "DASHBOARD_API_URL" (print . $.Values.api.basePath) -}}{{- end -}}
{{- end -}}
{{- $_ := set $settings "DASHBOARD_API_TOKEN_FILE" "/etc/zipjobs/api-token/token" -}}
{{- if not (hasKey $dashboard.settings "DASHBOARD_API_ADMIN_URL") -}}
{{- $_ := set $settings "DASHBOARD_API_ADMIN_URL" (printf "%s://%s.%s.svc:9090" (include "zipjobs.scheme" (list . "api")) (include "zipjobs.componentName" (list . "api-admin")) .Release.Namespace) -}}
{{- end -}}
{{- with $dashboard.oidc -}}
{{- if .issuer -}}
{{- $settings = merge $settings (dict "DASHBOARD_OIDC_ISSUER" .issuer "DASHBOARD_OIDC_CLIENT_ID" .clientId "DASHBOARD_OIDC_SCOPES" .scopes) -}}
{{- if .clientSecret -}}{{- $_ := set $settings "DASHBOARD_OIDC_CLIENT_SECRET_FILE" "/etc/zipjobs/oidc-client/client-secret" -}}{{- end -}}
{{- if .caSecret -}}{{- $_ := set $settings "DASHBOARD_OIDC_CA_FILE" "/etc/zipjobs/oidc-ca/ca.crt" -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $settings -}}
{{- end -}}

{{/* Secrets that the dashboard's pods mount, and the token for the API. */}}
{{- define "zipjobs.dashboardSecrets" -}}
{{- $secrets := append (include "zipjobs.redisSecrets" . | fromJsonArray) (dict "name" "api-token" "audience" "zipjobs-api") -}}
{{- with .Values.dashboard.oidc -}}
{{- if .issuer -}}
{{- with .clientSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-client" "secret" . "key" "client-secret") -}}{{- end -}}
{{- with .caSecret -}}{{- $secrets = append $secrets (dict "name" "oidc-ca" "secret" . "key" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $secrets -}}
{{- end -}}
