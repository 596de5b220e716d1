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

{{/* Labels of every object of a component. Takes (list . "api"). */}}
{{- define "zipjobs.labels" -}}
{{- $root := index . 0 -}}
{{- range list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" -}}
{{- if hasKey $root.Values.commonLabels . -}}{{- fail (printf "commonLabels contains %s, by which the chart selects its pods: remove it" .) -}}{{- end -}}
{{- end -}}
{{ include "zipjobs.ownLabels" . }}
{{- /* The chart's own labels win: a key must not appear twice. */}}
{{- with omit $root.Values.commonLabels "app.kubernetes.io/part-of" "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart" }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Reference of a component's image: registry, repository, then digest or tag. Takes (list . "api"). */}}
{{- define "zipjobs.image" -}}
{{- $root := index . 0 -}}
{{- $image := (index $root.Values (index . 1)).image -}}
{{- $registry := required "image.registry is not set. Only a released chart names a registry; this one is from the source code. Build the images with scripts/build-images and set image.registry to your registry, or to localhost if you loaded them into the nodes of kind, k3d or minikube. See docs/install.md." $root.Values.image.registry -}}
{{- $name := printf "%s/%s" (trimSuffix "/" $registry) $image.repository -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default $root.Chart.AppVersion (default $root.Values.image.tag $image.tag)) -}}
{{- end -}}
{{- end -}}
