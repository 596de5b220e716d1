{{/* The operator's template of zipper pods over that of the chart, as YAML: only what the operator may set in them. */}}
{{- define "zipjobs.zipperTemplate" -}}
{{- $overlay := .Values.zipper.podTemplate -}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/managed-by" "app.kubernetes.io/part-of" "app.kubernetes.io/instance" "app.kubernetes.io/component" "batch.kubernetes.io/controller-uid" "batch.kubernetes.io/job-name" "controller-uid" "job-name" "zipjobs.dev/task" -}}
{{- range $kind := list "label" "annotation" -}}
{{- range $name, $_ := dig "metadata" (printf "%ss" $kind) dict $overlay -}}
{{- if has $name $own -}}{{- fail (printf "zipper.podTemplate contains the %s %s, which the controller sets itself: remove it" $kind $name) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $defaults := (include "zipjobs.podDefaults" . | fromYaml).zipper -}}
{{- $metadata := dict
  "labels" (include "zipjobs.freeLabels" . | fromJson)
  "annotations" (include "zipjobs.over" (list .Values.commonAnnotations (include "zipjobs.keepOnNode" . | fromYaml)) | fromJson)
-}}
{{- $container := dict "name" "zipper" "resources" $defaults.resources "securityContext" (include "zipjobs.containerSecurityContext" . | fromYaml) -}}
{{- $spec := merge (include "zipjobs.everyPod" . | fromYaml) (dict
  "securityContext" (include "zipjobs.podSecurityContext" . | fromYaml)
  "terminationGracePeriodSeconds" $defaults.terminationGracePeriodSeconds
  "containers" (list $container)
) -}}
{{- include "zipjobs.overlaid" (dict
  "root" .
  "value" "zipper.podTemplate"
  "defaults" (include "zipjobs.over" (list $metadata (include "zipjobs.withoutSidecars" . | fromYaml)) | fromJson)
  "template" (dict "spec" $spec)
  "overlay" $overlay
) -}}
{{- end -}}

{{/* Annotations by which Karpenter and the cluster autoscaler do not remove the node of a zipper to save cost: the archive would restart. */}}
{{- define "zipjobs.keepOnNode" -}}
karpenter.sh/do-not-disrupt: "true"
cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
{{- end -}}

{{/*
What the operator sets in every zipper pod, as JSON. The controller writes it, and the policy zipper-jobs requires it, so neither a
project nor a compromised controller can change it.
*/}}
{{- define "zipjobs.zipperPod" -}}
{{- $template := include "zipjobs.zipperTemplate" . | fromYaml -}}
{{- $spec := dict -}}
{{- range $field := list "affinity" "nodeSelector" "runtimeClassName" "securityContext" "tolerations" "topologySpreadConstraints" -}}
{{- with get $template.spec $field -}}{{- $_ := set $spec $field . -}}{{- end -}}
{{- end -}}
{{- dict
  "labels" ($template.metadata.labels | default dict)
  "annotations" ($template.metadata.annotations | default dict)
  "spec" $spec
  "containerSecurityContext" (first $template.spec.containers).securityContext
| toJson -}}
{{- end -}}

{{/* Names of the pull Secrets of zippers, as JSON. */}}
{{- define "zipjobs.zipperPullSecrets" -}}
{{- include "zipjobs.namesOf" (include "zipjobs.zipperTemplate" . | fromYaml).spec.imagePullSecrets -}}
{{- end -}}
