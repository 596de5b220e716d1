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
  name: {{ include "zipjobs.componentName" (list .root .component) | quote }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "zipjobs.labels" (list .root .component) | nindent 4 }}
  {{- with $values.deploymentAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if dig "autoscaling" "enabled" false $values }}
  {{- $name := include "zipjobs.componentName" (list .root .component) }}
  {{- with include "zipjobs.keptReplicas" (list (lookup "apps/v1" "Deployment" .root.Release.Namespace $name) $values.autoscaling.minReplicas) }}
  replicas: {{ . }}
  {{- end }}
  {{- else }}
  replicas: {{ $values.replicas }}
  {{- end }}
  selector:
    matchLabels: {{- include "zipjobs.selectorLabels" (list .root .component) | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template: {{- include "zipjobs.podTemplate" . | nindent 4 }}
{{- end -}}

{{/* The pods of this Deployment. Takes the same dict. */}}
{{- define "zipjobs.podTemplate" -}}
{{- $values := index .root.Values .component -}}
{{- $files := concat .secrets (include "zipjobs.trustFiles" .root | fromJsonArray) -}}
metadata:
  labels: {{- mustMerge (include "zipjobs.labels" (list .root .component) | fromYaml) $values.podLabels | toYaml | nindent 4 }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "zipjobs.serviceAccountName" (list .root .component) | quote }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- include "zipjobs.securityContext" (list .root $values.podSecurityContext) | nindent 4 }}
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with include "zipjobs.placement" $values | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- if not $values.topologySpreadConstraints }}
  {{- include "zipjobs.softSpread" (list .root .component) | nindent 2 }}
  {{- end }}
  {{- with $values.extraInitContainers }}
  initContainers: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - {{- include "zipjobs.container" . | nindent 6 }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with concat (include "zipjobs.secretVolumes" $files | fromYamlArray) $values.extraVolumes }}
  volumes: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The container of these pods. Takes the same dict. */}}
{{- define "zipjobs.container" -}}
{{- $values := index .root.Values .component -}}
{{- $files := concat .secrets (include "zipjobs.trustFiles" .root | fromJsonArray) -}}
name: {{ .component }}
image: {{ include "zipjobs.image" (list .root .component) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
ports:
  {{- range $name, $port := .ports }}
  - { name: {{ $name }}, containerPort: {{ $port }} }
  {{- end }}
env: {{- include "zipjobs.containerEnv" . | nindent 2 }}
{{- with $values.extraEnvFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "zipjobs.probes" . | nindent 0 }}
{{- with concat (include "zipjobs.secretMounts" $files | fromYamlArray) $values.extraVolumeMounts }}
volumeMounts: {{- toYaml . | nindent 2 }}
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
{{- include "zipjobs.extraEnv" (list .component $values (concat (keys $settings) (include "zipjobs.chartSettings" . | fromJsonArray))) }}
{{- end -}}

{{/* The operator's own variables. Takes a list: the component, its values, and the names that are taken. */}}
{{- define "zipjobs.extraEnv" -}}
{{- $component := index . 0 -}}
{{- $taken := concat (list "NODE_OPTIONS") (index . 2) -}}
{{- with (index . 1).extraEnv }}
{{- range . }}
{{- if has .name $taken }}
{{- fail (printf "%s.extraEnv contains %s, which the chart sets itself: remove it, and use the value of the chart or %s.settings" $component .name $component) }}
{{- end }}
{{- end }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
Spreads the pods of a component over the nodes, if there is room. Nodes without a zone would be ignored if it named zones too.
Takes (list . "api").
*/}}
{{- define "zipjobs.softSpread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    # Counts the pods of one version only: during an update, the old ones are about to end.
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels: {{- include "zipjobs.selectorLabels" . | nindent 8 }}
{{- end -}}
