{{/*
What the operator sets in every zipper pod, as JSON. The controller writes it, and the policy zipper-jobs requires it, so neither a
project nor a compromised controller can change it.
*/}}
{{- define "zipjobs.zipperPod" -}}
{{- $zipper := .Values.zipper -}}
{{- $own := list "app.kubernetes.io/name" "app.kubernetes.io/managed-by" "app.kubernetes.io/part-of" "app.kubernetes.io/instance" "app.kubernetes.io/component" "batch.kubernetes.io/controller-uid" "batch.kubernetes.io/job-name" "controller-uid" "job-name" "zipjobs.dev/task" -}}
{{- range $value, $names := dict "podLabels" $zipper.podLabels "podAnnotations" $zipper.podAnnotations -}}
{{- range $name, $_ := $names -}}
{{- if has $name $own -}}{{- fail (printf "zipper.%s contains %s, which the controller sets itself: remove it" $value $name) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $spec := dict "securityContext" (include "zipjobs.securityContext" (list . $zipper.podSecurityContext) | fromYaml) -}}
{{- range $field := list "affinity" "nodeSelector" "runtimeClassName" "tolerations" "topologySpreadConstraints" -}}
{{- with index $zipper $field -}}{{- $_ := set $spec $field . -}}{{- end -}}
{{- end -}}
{{- $container := include "zipjobs.securityContext" (list . $zipper.containerSecurityContext) | fromYaml -}}
{{- dict "labels" $zipper.podLabels "annotations" $zipper.podAnnotations "spec" $spec "containerSecurityContext" $container | toJson -}}
{{- end -}}
