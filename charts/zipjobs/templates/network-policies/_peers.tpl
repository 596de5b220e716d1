{{/* CIDRs that sources and webhooks must not have. A test compares them with those in the processes. */}}
{{- define "zipjobs.closedCidrs" -}}
ipv4: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 168.63.129.16/32, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24, 192.31.196.0/24, 192.52.193.0/24, 192.88.99.0/24, 192.168.0.0/16, 192.175.48.0/24, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4]
ipv6: ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]
{{- end -}}

{{/* The IPv4 ranges among these under the NAT64 prefix, which is a /96, as JSON. Takes (list "64:ff9b::/96" ranges). */}}
{{- define "zipjobs.behindNat64" -}}
{{- $prefix := trimSuffix "/96" (index . 0) -}}
{{- if hasSuffix "::" $prefix -}}
{{- /* `::` is at least one group, and an IPv4 address takes the place of the last two. */ -}}
{{- if eq (len (splitList ":" (trimSuffix "::" $prefix))) 6 -}}{{- $prefix = trimSuffix ":" $prefix -}}{{- end -}}
{{- else -}}
{{- /* Without the last two groups; `::` may contain one of them. */ -}}
{{- $prefix = regexReplaceAll "([0-9.]+[.][0-9.]+|[0-9a-fA-F]+:[0-9a-fA-F]+)$" (regexReplaceAll "::[0-9a-fA-F]+$" $prefix "::") "" -}}
{{- end -}}
{{- $behind := list -}}
{{- range index . 1 -}}
{{- if not (contains ":" .) -}}
{{- $parts := splitList "/" . -}}
{{- $behind = append $behind (printf "%s%s/%d" $prefix (first $parts) (add 96 (last $parts | int))) -}}
{{- end -}}
{{- end -}}
{{- toJson $behind -}}
{{- end -}}

{{/* Egress rule for DNS. It has no addresses, because a resolver can be link-local. */}}
{{- define "zipjobs.dnsEgress" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end -}}

{{/* Egress rules of every process that uses the API server. */}}
{{- define "zipjobs.commonEgress" -}}
{{ include "zipjobs.dnsEgress" . }}
- to:
    {{- range .Values.networkPolicies.apiServerCidrs }}
    - ipBlock: { cidr: {{ . | quote }} }
    {{- end }}
  ports:
    {{- range .Values.networkPolicies.apiServerPorts }}
    - { protocol: TCP, port: {{ int . }} }
    {{- end }}
{{- end -}}

{{/* Egress rules of every process that uses PostgreSQL. */}}
{{- define "zipjobs.historyEgress" -}}
{{- if include "zipjobs.hasHistory" . }}
{{- toYaml .Values.networkPolicies.historyEgress }}
{{- end }}
{{- end -}}

{{/* Ingress rule of the admin port, for metrics. */}}
{{- define "zipjobs.metricsIngress" -}}
{{- with .Values.networkPolicies.metricsFrom }}
- from: {{- toYaml . | nindent 4 }}
  ports:
    - { protocol: TCP, port: admin }
{{- end }}
{{- end -}}

{{/* The pod of `helm test`, as a list of peers. */}}
{{- define "zipjobs.testPeers" -}}
{{- if .Values.test.enabled }}
- podSelector:
    matchLabels: {{- include "zipjobs.selectorLabels" (list . "test") | nindent 6 }}
{{- end }}
{{- end -}}
