{{/* The Service of a component. Takes (list . "api"). */}}
{{- define "zipjobs.service" -}}
{{- $root := index . 0 -}}
{{- $service := (index $root.Values (index . 1)).service -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  {{- include "zipjobs.marks" (append . $service.annotations) | nindent 2 }}
spec:
  type: {{ $service.type }}
  {{- with include "zipjobs.ipFamilies" $root }}
  {{- . | nindent 2 }}
  {{- end }}
  selector: {{- include "zipjobs.selectorLabels" . | nindent 4 }}
  ports:
    - name: http
      port: {{ $service.port }}
      targetPort: http
      appProtocol: {{ include "zipjobs.scheme" . }}
{{- end -}}

{{/* The IP families of a Service; empty for those of the cluster. */}}
{{- define "zipjobs.ipFamilies" -}}
{{- with .Values.ipFamilyPolicy -}}
ipFamilyPolicy: {{ . }}
{{ end -}}
{{- with .Values.ipFamilies -}}
ipFamilies: {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* The TLS Secret of the pods of a component; empty for plain HTTP. Takes (list . "api"). */}}
{{- define "zipjobs.hasTls" -}}
{{- dig "tls" "secretName" "" (index (index . 0).Values (index . 1)) -}}
{{- end -}}

{{/* The scheme of the ports of a component: http or https. Takes (list . "api"). */}}
{{- define "zipjobs.scheme" -}}
{{- ternary "https" "http" (include "zipjobs.hasTls" . | not | not) -}}
{{- end -}}
