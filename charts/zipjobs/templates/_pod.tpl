{{/*
A value as the text of an environment variable. Helm reads every number as a float, and a large one would be printed
as 5.36870912e+10.
*/}}
{{- define "zipjobs.envText" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* The items of `env` for a map of names and values. */}}
{{- define "zipjobs.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ include "zipjobs.envText" $value | quote }}
{{- end }}
{{- end -}}

{{/* Variables of every pod. HOST is not set: kubectl port-forward connects to localhost in the pod. */}}
{{- define "zipjobs.podEnv" -}}
- name: SERVICE_ACCOUNT_DIR
  value: /var/run/secrets/kubernetes.io/serviceaccount
{{- end -}}

{{/* Name and namespace of the pod, for processes that need the identity of their replica. */}}
{{- define "zipjobs.identityEnv" -}}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
{{- end -}}

{{/* Labels and annotations of every object that a process creates, as JSON. */}}
{{- define "zipjobs.objectMetadata" -}}
{{- dict "labels" (include "zipjobs.freeLabels" . | fromJson) "annotations" .Values.commonAnnotations | toJson -}}
{{- end -}}

{{/* Addresses that a process may connect to, as JSON. */}}
{{- define "zipjobs.egressSettings" -}}
{{- dict "EGRESS_ALLOW_CIDRS" .Values.egress.allowCidrs "EGRESS_DENY_CIDRS" .Values.egress.denyCidrs "EGRESS_CLUSTER_CIDRS" .Values.egress.clusterCidrs "EGRESS_NAT64_PREFIX" .Values.egress.nat64Prefix | toJson -}}
{{- end -}}

{{/* Addresses of stores, as JSON. */}}
{{- define "zipjobs.storeAddresses" -}}
{{- dict "STORE_ALLOW_CIDRS" .Values.store.allowCidrs | toJson -}}
{{- end -}}

{{/* Stores that buckets may use, as JSON. */}}
{{- define "zipjobs.storeSettings" -}}
{{- dict "STORE_ALLOWED_HOSTS" .Values.store.allowedHosts "STORE_ALLOW_HTTP" .Values.store.allowHttp | toJson -}}
{{- end -}}

{{/* Audiences of tokens for security token services, as JSON. */}}
{{- define "zipjobs.tokenAudiences" -}}
{{- dict "STORE_TOKEN_AUDIENCES" .Values.store.webIdentity.audiences | toJson -}}
{{- end -}}

{{/* Variables that the controller copies to zipper pods: name -> text, as JSON. The policy zipper-jobs requires them. */}}
{{- define "zipjobs.zipperSettings" -}}
{{- $settings := dict "LOG_LEVEL" .Values.zipper.logLevel -}}
{{- $settings = merge $settings (include "zipjobs.egressSettings" . | fromJson) (include "zipjobs.storeSettings" . | fromJson) (include "zipjobs.storeAddresses" . | fromJson) (include "zipjobs.tokenAudiences" . | fromJson) (dict "STORE_STS_HOSTS" .Values.store.webIdentity.stsHosts) (include "zipjobs.proxySettings" (list . "sources" "SOURCE") | fromJson) (include "zipjobs.proxySettings" (list . "stores" "STORE") | fromJson) -}}
{{- $texts := dict -}}
{{- range $name, $value := $settings -}}
{{- $text := include "zipjobs.envText" $value -}}
{{- if $text -}}
{{- $_ := set $texts $name $text -}}
{{- end -}}
{{- end -}}
{{- toJson $texts -}}
{{- end -}}

{{/* Probes of a process, both on its admin port. */}}
{{- define "zipjobs.probes" -}}
{{- $scheme := ternary ", scheme: HTTPS" "" (include "zipjobs.hasTls" (list .root .component) | not | not) -}}
startupProbe:
  httpGet: { path: /healthz, port: admin{{ $scheme }} }
  periodSeconds: 1
  timeoutSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: admin{{ $scheme }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: admin{{ $scheme }} }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 3
{{- end -}}

{{/* Mounts of Secrets and ConfigMaps. Takes a list of dicts: name of the volume, secret or configMap, key, and optionally the file; or audience, for the
file token with one of the service account. */}}
{{- define "zipjobs.secretMounts" -}}
{{- range . }}
- { name: {{ .name }}, mountPath: /etc/zipjobs/{{ .name }}, readOnly: true }
{{- end }}
{{- end -}}

{{/* The volumes of these mounts. Takes the same list. */}}
{{- define "zipjobs.secretVolumes" -}}
{{- range . }}
- name: {{ .name }}
  {{- if .audience }}
  projected: { sources: [{ serviceAccountToken: { audience: {{ .audience }}, path: token } }] }
  {{- else if .configMap }}
  configMap: { name: {{ quote .configMap }}, items: [{ key: {{ .key | quote }}, path: {{ .file }} }] }
  {{- else }}
  {{- if .keys }}
  secret: { secretName: {{ quote .secret }}, items: [{{ range $i, $key := .keys }}{{ if $i }}, {{ end }}{ key: {{ $key }}, path: {{ $key }} }{{ end }}] }
  {{- else }}
  secret: { secretName: {{ quote .secret }}, items: [{ key: {{ .key | quote }}, path: {{ .file | default .key | quote }} }] }
  {{- end }}
  {{- end }}
{{- end }}
{{- end -}}
