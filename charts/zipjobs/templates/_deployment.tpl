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
  {{- include "zipjobs.marks" (list .root .component .root.Values.deploymentAnnotations) | nindent 2 }}
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

{{/* The pods of this Deployment: those of the chart, with the operator's template over them. Takes the same dict. */}}
{{- define "zipjobs.podTemplate" -}}
{{- include "zipjobs.overlaid" (dict
  "root" .root
  "value" (printf "%s.podTemplate" .component)
  "defaults" (dict "annotations" .root.Values.commonAnnotations)
  "template" (include "zipjobs.ownPodTemplate" . | fromYaml)
  "overlay" (index .root.Values .component).podTemplate
) }}
{{- end -}}

{{/* The pods as the chart alone has them. Takes the same dict. */}}
{{- define "zipjobs.ownPodTemplate" -}}
{{- $files := concat .secrets (include "zipjobs.trustFiles" .root | fromJsonArray) -}}
{{- with include "zipjobs.hasTls" (list .root .component) -}}{{- $files = append $files (dict "name" "tls" "secret" . "keys" (list "tls.crt" "tls.key")) -}}{{- end -}}
{{- $defaults := index (include "zipjobs.podDefaults" . | fromYaml) .component -}}
metadata:
  labels: {{- include "zipjobs.labels" (list .root .component) | nindent 4 }}
spec:
  serviceAccountName: {{ include "zipjobs.serviceAccountName" (list .root .component) | quote }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- include "zipjobs.podSecurityContext" . | nindent 4 }}
  {{- include "zipjobs.everyPod" . | nindent 2 }}
  terminationGracePeriodSeconds: {{ $defaults.terminationGracePeriodSeconds }}
  {{- include "zipjobs.softSpread" (list .root .component) | nindent 2 }}
  containers:
    - name: {{ .component }}
      image: {{ include "zipjobs.image" (list .root .component) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      ports:
        {{- range $name, $port := .ports }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
      env: {{- include "zipjobs.containerEnv" . | nindent 8 }}
      {{- include "zipjobs.probes" . | nindent 6 }}
      {{- with include "zipjobs.secretMounts" $files | trim }}
      volumeMounts: {{- . | nindent 8 }}
      {{- end }}
      resources: {{- toYaml $defaults.resources | nindent 8 }}
      securityContext: {{- include "zipjobs.containerSecurityContext" . | nindent 8 }}
  {{- with include "zipjobs.secretVolumes" $files | trim }}
  volumes: {{- . | nindent 4 }}
  {{- end }}
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
{{- $tls := dict -}}
{{- if include "zipjobs.hasTls" (list .root .component) -}}{{- $_ := set $tls "TLS_DIR" "/etc/zipjobs/tls" -}}{{- end -}}
{{- $settings := merge .settings $tls (dict "ADMIN_PORT" 9090 "LOG_LEVEL" $values.logLevel "OBJECT_METADATA_JSON" (include "zipjobs.objectMetadata" .root)) (include "zipjobs.trustSettings" .root | fromJson) $values.settings }}
{{ include "zipjobs.env" $settings | trim }}
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
