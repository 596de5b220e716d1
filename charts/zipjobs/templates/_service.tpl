{{/* The Service of a component. Takes (list . "api"). */}}
{{- define "zipjobs.service" -}}
{{- $root := index . 0 -}}
{{- $service := (index $root.Values (index . 1)).service -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "zipjobs.componentName" . | quote }}
  namespace: {{ $root.Release.Namespace | quote }}
  labels: {{- include "zipjobs.labels" . | nindent 4 }}
  {{- with $service.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ $service.type }}
  {{- with $root.Values.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
  {{- end }}
  {{- with $root.Values.ipFamilies }}
  ipFamilies: {{- toYaml . | nindent 4 }}
  {{- end }}
  selector: {{- include "zipjobs.selectorLabels" . | nindent 4 }}
  ports:
    - name: http
      port: {{ $service.port }}
      targetPort: http
      appProtocol: http
{{- end -}}
