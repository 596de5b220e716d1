{{/*
The Deployment of a component. Takes a dict:
  root       the root context
  component  the name of the component and of its values
  ports      the ports of the container: name -> number
  env        variables that are no settings, as a list
  settings   settings of the process: name -> value
  secrets    Secrets that the container mounts, as zipjobs.secretMounts takes them
*/}}
{{- define "zipjobs.deployment" -}}
{{- $values := index .root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "zipjobs.componentName" (list .root .component) }}
  namespace: {{ .root.Release.Namespace }}
  labels: {{- include "zipjobs.labels" (list .root .component) | nindent 4 }}
spec:
  replicas: {{ $values.replicas }}
  selector:
    matchLabels: {{- include "zipjobs.selectorLabels" (list .root .component) | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template: {{- include "zipjobs.podTemplate" . | nindent 4 }}
{{- end -}}

{{/* The pods of this Deployment. Takes the same dict. */}}
{{- define "zipjobs.podTemplate" -}}
{{- $values := index .root.Values .component -}}
metadata:
  labels: {{- mustMerge (include "zipjobs.labels" (list .root .component) | fromYaml) $values.podLabels | toYaml | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "zipjobs.serviceAccountName" (list .root .component) }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- include "zipjobs.securityContext" (list .root $values.podSecurityContext) | nindent 4 }}
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with include "zipjobs.placement" $values | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  containers:
    - {{- include "zipjobs.container" . | nindent 6 }}
  {{- with include "zipjobs.secretVolumes" (concat .secrets (include "zipjobs.trustFiles" .root | fromJsonArray)) | trim }}
  volumes: {{- . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The container of these pods. Takes the same dict. */}}
{{- define "zipjobs.container" -}}
{{- $values := index .root.Values .component -}}
name: {{ .component }}
image: {{ include "zipjobs.image" (list .root .component) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
ports:
  {{- range $name, $port := .ports }}
  - { name: {{ $name }}, containerPort: {{ $port }} }
  {{- end }}
env: {{- include "zipjobs.containerEnv" . | nindent 2 }}
{{- include "zipjobs.probes" . | nindent 0 }}
{{- with include "zipjobs.secretMounts" (concat .secrets (include "zipjobs.trustFiles" .root | fromJsonArray)) | trim }}
volumeMounts: {{- . | nindent 2 }}
{{- end }}
resources: {{- toYaml $values.resources | nindent 2 }}
securityContext: {{- include "zipjobs.securityContext" (list .root $values.containerSecurityContext) | nindent 2 }}
{{- end -}}

{{/* The variables of this container. Takes the same dict. */}}
{{- define "zipjobs.containerEnv" -}}
{{- $values := index .root.Values .component -}}
{{- include "zipjobs.podEnv" .root }}
- name: NODE_OPTIONS
  value: {{ $values.nodeOptions | quote }}
{{- with .env }}
{{ toYaml . }}
{{- end }}
{{- $settings := merge .settings (dict "ADMIN_PORT" 9090 "LOG_LEVEL" $values.logLevel) (include "zipjobs.trustSettings" .root | fromJson) $values.settings }}
{{ include "zipjobs.env" $settings | trim }}
{{- end -}}
