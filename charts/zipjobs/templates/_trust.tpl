{{/* The ConfigMap with certificate authorities, as JSON for the mounts: a list with at most one entry. Never a subPath, because the kubelet does not update such a file. */}}
{{- define "zipjobs.trustFiles" -}}
{{- $files := list -}}
{{- with .Values.trustBundle.configMapKeyRef -}}
{{- if .name -}}{{- $files = append $files (dict "name" "trust-bundle" "configMap" .name "key" .key "file" "ca.crt") -}}{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* Settings of the certificate authorities, as JSON. */}}
{{- define "zipjobs.trustSettings" -}}
{{- $settings := dict -}}
{{- if .Values.trustBundle.configMapKeyRef.name -}}{{- $_ := set $settings "TRUST_BUNDLE_FILE" "/etc/zipjobs/trust-bundle/ca.crt" -}}{{- end -}}
{{- toJson $settings -}}
{{- end -}}
