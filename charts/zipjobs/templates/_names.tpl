{{/* Name of the chart, for labels. */}}
{{- define "zipjobs.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/*
Prefix of object names: the release's name, with the chart's name if it does not contain it. A release whose name starts with a digit
gets the chart's name in front, because the name of a Service must start with a letter.
*/}}
{{- define "zipjobs.fullname" -}}
{{- $name := include "zipjobs.name" . -}}
{{- $fullname := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- if regexMatch "^[0-9]" $fullname -}}{{- $fullname = printf "%s-%s" .Chart.Name .Release.Name -}}{{- end -}}
{{- .Values.fullnameOverride | default $fullname | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Fixed name of the zipper's service account and cluster role, which the controller uses too. */}}
{{- define "zipjobs.zipperName" -}}
zipjobs-zipper
{{- end -}}

{{/* Name of a component's objects. Takes (list . "api"). */}}
{{- define "zipjobs.componentName" -}}
{{- $root := index . 0 -}}
{{- printf "%s-%s" (include "zipjobs.fullname" $root) (index . 1) -}}
{{- end -}}

{{/* Name of a component's service account. Takes (list . "api"). */}}
{{- define "zipjobs.serviceAccountName" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- (index $root.Values $component).serviceAccountName | default (include "zipjobs.componentName" .) -}}
{{- end -}}

{{/* User name of a component's service account. Takes (list . "api"). */}}
{{- define "zipjobs.serviceAccountUser" -}}
{{- $root := index . 0 -}}
{{- printf "system:serviceaccount:%s:%s" $root.Release.Namespace (include "zipjobs.serviceAccountName" .) -}}
{{- end -}}

{{- define "zipjobs.leaseName" -}}
{{- include "zipjobs.componentName" (list . "controller") -}}
{{- end -}}

{{/*
Name of the priority class of recovery pods; empty if they have none of their own. It contains the values, because the API server
refuses to change those of an existing class.
*/}}
{{- define "zipjobs.recoveryPriorityClassName" -}}
{{- with .Values.zipper.recovery.priorityClass -}}
{{- $name := printf "recovery-%d%s" (int64 .value) (ternary "" "-preempting" (eq .preemptionPolicy "Never")) -}}
{{- default (ternary (include "zipjobs.componentName" (list $ $name)) "" .create) .name -}}
{{- end -}}
{{- end -}}

{{/* Labels that select a component's pods; they must never change. Takes (list . "api"). */}}
{{- define "zipjobs.selectorLabels" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ include "zipjobs.name" $root | quote }}
app.kubernetes.io/instance: {{ $root.Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* The chart's own labels of every object of a component. Takes (list . "api"). */}}
{{- define "zipjobs.ownLabels" -}}
{{- $root := index . 0 -}}
{{ include "zipjobs.selectorLabels" . }}
app.kubernetes.io/part-of: zipjobs
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The labels of commonLabels that an object of ours does not have anyway, as JSON: a key must not appear twice, and its own label wins. */}}
{{- define "zipjobs.freeLabels" -}}
{{- omit .Values.commonLabels "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" | toJson -}}
{{- end -}}

{{/* Labels of every object of a component. Takes (list . "api"). */}}
{{- define "zipjobs.labels" -}}
{{ include "zipjobs.ownLabels" . }}
{{- with include "zipjobs.freeLabels" (index . 0) | fromJson }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The annotations of an object, if it has any. Takes the root context and its own annotations, which win over commonAnnotations. */}}
{{- define "zipjobs.annotations" -}}
{{- with include "zipjobs.over" (list (index . 0).Values.commonAnnotations (index . 1)) | fromJson -}}
annotations: {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Labels and annotations of an object. Takes (list . "api"), and its own annotations as a third item. */}}
{{- define "zipjobs.marks" -}}
labels: {{- include "zipjobs.labels" . | nindent 2 }}
{{ include "zipjobs.annotations" (list (index . 0) (ternary dict (last .) (eq (len .) 2))) }}
{{- end -}}

{{/* Reference of a component's image: registry, repository, then digest or tag. Takes (list . "api"). */}}
{{- define "zipjobs.image" -}}
{{- $root := index . 0 -}}
{{- $image := (index $root.Values (index . 1)).image -}}
{{- $name := printf "%s/%s" (trimSuffix "/" $root.Values.image.registry) $image.repository -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $root.Chart.AppVersion (default $root.Values.image.tag $image.tag)) -}}
{{- end -}}
{{- end -}}
