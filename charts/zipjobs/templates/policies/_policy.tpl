{{/* Head of a policy; it refuses when it cannot be evaluated. Takes (list . "zipper-status"). */}}
{{- define "zipjobs.policyHead" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  {{- include "zipjobs.marks" (list (index . 0) "policies") | nindent 2 }}
{{- end -}}

{{/* Head of the binding that puts a policy in force in every namespace. Takes (list . "zipper-status"). */}}
{{- define "zipjobs.policyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  {{- include "zipjobs.marks" (list (index . 0) "policies") | nindent 2 }}
spec:
  policyName: {{ include "zipjobs.componentName" . | quote }}
  validationActions: [Deny]
{{- end -}}
