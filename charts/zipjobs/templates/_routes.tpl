{{/* The Ingress of a component. Takes (list . "api"). */}}
{{- define "zipjobs.ingress" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index $root.Values $component -}}
{{- $ingress := $values.ingress -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "zipjobs.marks" (append . $ingress.annotations) | nindent 2 }}
spec:
  {{- with $ingress.className }}
  ingressClassName: {{ quote . }}
  {{- end }}
  {{- with $ingress.tlsSecretName }}
  tls:
    - hosts: [{{ $ingress.host | quote }}]
      secretName: {{ quote . }}
  {{- end }}
  rules:
    - http:
        paths:
          - path: {{ default "/" $values.basePath | quote }}
            pathType: Prefix
            backend:
              service:
                name: {{ include "zipjobs.componentName" . | quote }}
                port: { name: http }
      {{- with $ingress.host }}
      host: {{ . | quote }}
      {{- end }}
{{- end -}}

{{/* The HTTPRoute of a component. Takes (list . "api"). */}}
{{- define "zipjobs.httpRoute" -}}
{{- $root := index . 0 -}}
{{- $values := index $root.Values (index . 1) -}}
{{- $route := $values.httpRoute -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "zipjobs.marks" (append . $route.annotations) | nindent 2 }}
spec:
  parentRefs: {{- toYaml $route.parentRefs | nindent 4 }}
  {{- with $route.hostnames }}
  hostnames: {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        - path: { type: PathPrefix, value: {{ default "/" $values.basePath | quote }} }
      {{- with $route.filters }}
      filters: {{- toYaml . | nindent 8 }}
      {{- end }}
      backendRefs:
        - name: {{ include "zipjobs.componentName" . | quote }}
          port: {{ $values.service.port }}
      {{- with $route.timeouts }}
      timeouts: {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}

{{/* Host of a component's Ingress or HTTPRoute; without wildcard; empty if there is none. Takes the component's values. */}}
{{- define "zipjobs.publicHost" -}}
{{- $hosts := list -}}
{{- if .ingress.enabled -}}{{- $hosts = list .ingress.host -}}
{{- else if .httpRoute.enabled -}}{{- $hosts = .httpRoute.hostnames -}}
{{- end -}}
{{- $host := "" -}}
{{- range $hosts -}}{{- if and (not $host) (not (hasPrefix "*" .)) -}}{{- $host = . -}}{{- end -}}{{- end -}}
{{- $host -}}
{{- end -}}

{{/* URL of a component for its users, from its first host; empty if the values name none. Only HTTPS works there. Takes the component's values. */}}
{{- define "zipjobs.publicUrl" -}}
{{- with include "zipjobs.publicHost" . -}}https://{{ . }}{{- end -}}
{{- end -}}

{{/* URL of the page that explains failure codes, as the API makes it (readApiConfig). Takes the root context. */}}
{{- define "zipjobs.errorHelpUrl" -}}
{{- $settings := .Values.api.settings -}}
{{- $url := get $settings "PUBLIC_URL" -}}
{{- if not (hasKey $settings "PUBLIC_URL") -}}{{- $url = include "zipjobs.publicUrl" .Values.api -}}{{- end -}}
{{- get $settings "HELP_URL" | default (print $url .Values.api.basePath "/docs") -}}
{{- end -}}
