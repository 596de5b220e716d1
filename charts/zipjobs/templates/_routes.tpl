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
  labels: {{- include "zipjobs.labels" . | nindent 4 }}
  {{- with $ingress.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $ingress.className }}
  ingressClassName: {{ quote . }}
  {{- end }}
  {{- with $ingress.tlsSecretName }}
  tls:
    - hosts: [{{ required (printf "%s.ingress.host is needed for TLS" $component) $ingress.host | quote }}]
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
  labels: {{- include "zipjobs.labels" . | nindent 4 }}
  {{- with $route.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
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

{{/* Fails if the API and the dashboard claim the same addresses: the order in which a controller sees them decides who gets a request. */}}
{{- define "zipjobs.requireDistinctRoutes" -}}
{{- $api := .Values.api -}}
{{- $dashboard := .Values.dashboard -}}
{{- $message := "api.%[1]s and dashboard.%[1]s have the same host and the path /: give them different hosts, or set api.basePath" -}}
{{- if and $dashboard.enabled (not $api.basePath) -}}
{{- with $api.ingress -}}
{{- if and .enabled $dashboard.ingress.enabled (eq (list .className .host | toJson) (list $dashboard.ingress.className $dashboard.ingress.host | toJson)) -}}
{{- fail (printf $message "ingress") -}}
{{- end -}}
{{- end -}}
{{- with $api.httpRoute -}}
{{- if and .enabled $dashboard.httpRoute.enabled (eq (toJson .parentRefs) (toJson $dashboard.httpRoute.parentRefs)) -}}
{{- $hostnames := concat (default (list "") .hostnames) (default (list "") $dashboard.httpRoute.hostnames) -}}
{{- if lt (len (uniq $hostnames)) (len $hostnames) -}}{{- fail (printf $message "httpRoute") -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
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
