{{/* What an object does, without its name, labels and annotations: the API server adds nothing to it that runtime/doctor/release-record.ts does not remove. */}}
{{- define "zipjobs.essence" -}}
{{- if has .kind (list "ClusterRole" "Role") -}}
{{- toRawJson .rules -}}
{{- else if has .kind (list "ClusterRoleBinding" "RoleBinding") -}}
{{- toRawJson (pick . "roleRef" "subjects") -}}
{{- else -}}
{{- toRawJson .spec -}}
{{- end -}}
{{- end -}}

{{/* The templates whose objects are recorded. A test compares them with the chart. */}}
{{- define "zipjobs.recordedTemplates" -}}
api: [cluster-role, cluster-role-binding]
controller: [api-server-role, api-server-role-binding, cluster-role, cluster-role-binding, role, role-binding]
dashboard: [cluster-role, cluster-role-binding]
policies:
  - api-secrets
  - api-zipjob-defaults
  - api-zipjobs
  - bucket-deletions
  - bucket-identities
  - controller-checkpoints
  - controller-deletions
  - controller-finalizers
  - controller-pods
  - controller-project-deletions
  - controller-projects
  - controller-records
  - controller-secrets
  - controller-zipjobs
  - project-classes
  - readable-buckets
  - source-buckets
  - zipper-checkpoints
  - zipper-exec
  - zipper-jobs
  - zipper-pods
  - zipper-status
  - zipper-token-secrets
  - zipper-tokens
roles: [admin, edit, view]
zipper: [cluster-role]
{{- end -}}

{{/* A key for each policy, role and binding: kind, namespace if it has one, and name. The value is the start of its SHA-256. */}}
{{- define "zipjobs.recordedObjects" -}}
{{- range $folder, $names := include "zipjobs.recordedTemplates" . | fromYaml -}}
{{- range $names -}}
{{- range splitList "\n---\n" (include (printf "%s/%s/%s.yaml" $.Template.BasePath $folder .) $) -}}
{{- $object := fromYaml . -}}
{{- with $object.kind }}
{{ . }}.{{ with $object.metadata.namespace }}{{ . }}.{{ end }}{{ $object.metadata.name }}: {{ include "zipjobs.essence" $object | sha256sum | trunc 16 | quote }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
