{{/* CIDRs that sources and webhooks must not have. A test compares them with those in the processes. */}}
{{- define "zipjobs.closedCidrs" -}}
ipv4: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 168.63.129.16/32, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24, 192.31.196.0/24, 192.52.193.0/24, 192.88.99.0/24, 192.168.0.0/16, 192.175.48.0/24, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4]
ipv6: ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"]
{{- end -}}

{{/* The eight groups of an IPv6 range with four digits each, as JSON. Takes its text, such as "64:ff9b::192.0.2.0/120". */}}
{{- define "zipjobs.ipv6Groups" -}}
{{- $text := first (splitList "/" .) | lower -}}
{{- with regexFind "[0-9.]+[.][0-9]+$" $text -}}
{{- $pairs := list -}}
{{- range chunk 2 (splitList "." .) -}}
{{- $pairs = append $pairs (printf "%x" (add (mul 256 (first . | int)) (last . | int))) -}}
{{- end -}}
{{- $text = printf "%s%s" (trimSuffix . $text) (join ":" $pairs) -}}
{{- end -}}
{{- $halves := splitList "::" $text -}}
{{- $start := list -}}
{{- with first $halves -}}{{- $start = splitList ":" . -}}{{- end -}}
{{- $end := list -}}
{{- range rest $halves -}}{{- with . -}}{{- $end = splitList ":" . -}}{{- end -}}{{- end -}}
{{- $zeros := list -}}
{{- range until (sub (sub 8 (len $start)) (len $end) | int) -}}{{- $zeros = append $zeros "0" -}}{{- end -}}
{{- $groups := list -}}
{{- range concat $start $zeros $end -}}{{- $groups = append $groups (regexFind ".{4}$" (printf "000%s" .)) -}}{{- end -}}
{{- toJson $groups -}}
{{- end -}}

{{/* An IPv6 address as RFC 5952 writes it: `::` is the first of the longest runs of zeros. Takes any other text of it. */}}
{{- define "zipjobs.ipv6Text" -}}
{{- $text := regexReplaceAll "(^|:)0{1,3}([0-9a-f])" (include "zipjobs.ipv6Groups" . | fromJsonArray | join ":") "${1}${2}" -}}
{{- range list 8 7 6 5 4 3 2 -}}
{{- if not (contains "::" $text) -}}
{{- $text = regexSplit (printf "(^|:)0(:0){%d}(:|$)" (sub . 1)) $text 2 | join "::" -}}
{{- end -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The 128 bits of an IPv6 range. Takes its text. */}}
{{- define "zipjobs.ipv6Bits" -}}
{{- $bits := dict "0" "0000" "1" "0001" "2" "0010" "3" "0011" "4" "0100" "5" "0101" "6" "0110" "7" "0111" "8" "1000" "9" "1001" "a" "1010" "b" "1011" "c" "1100" "d" "1101" "e" "1110" "f" "1111" -}}
{{- range splitList "" (include "zipjobs.ipv6Groups" . | fromJsonArray | join "") -}}{{- get $bits . -}}{{- end -}}
{{- end -}}

{{/* A range as the processes read it: one of mapped addresses, such as "::ffff:10.0.0.0/104", is a range of IPv4. Takes its text. */}}
{{- define "zipjobs.plainCidr" -}}
{{- $plain := . -}}
{{- $length := splitList "/" . | last | int -}}
{{- if and (contains ":" .) (ge $length 96) -}}
{{- $bits := include "zipjobs.ipv6Bits" . -}}
{{- if hasPrefix (printf "%s%s" (repeat 80 "0") (repeat 16 "1")) $bits -}}
{{- $octets := list -}}
{{- range list 96 104 112 120 -}}
{{- $octet := 0 -}}
{{- range splitList "" (substr . (add . 8 | int) $bits) -}}{{- $octet = add (mul 2 $octet) (int .) -}}{{- end -}}
{{- $octets = append $octets $octet -}}
{{- end -}}
{{- $plain = printf "%s/%d" (join "." $octets) (sub $length 96) -}}
{{- end -}}
{{- end -}}
{{- $plain -}}
{{- end -}}

{{/*
The IPv4 ranges among these under the NAT64 prefix, which is a /96, as JSON. Takes (list "64:ff9b::/96" ranges). Their text is that of
RFC 5952, because the API server warns of any other.
*/}}
{{- define "zipjobs.behindNat64" -}}
{{- $prefix := slice (include "zipjobs.ipv6Groups" (index . 0) | fromJsonArray) 0 6 | join ":" -}}
{{- $behind := list -}}
{{- range index . 1 -}}
{{- $range := include "zipjobs.plainCidr" . -}}
{{- if not (contains ":" $range) -}}
{{- $parts := splitList "/" $range -}}
{{- $address := include "zipjobs.ipv6Text" (printf "%s:%s" $prefix (first $parts)) -}}
{{- $behind = append $behind (printf "%s/%d" $address (add 96 (last $parts | int))) -}}
{{- end -}}
{{- end -}}
{{- toJson $behind -}}
{{- end -}}

{{/*
Which of these IPv6 ranges are inside the NAT64 prefix, and whether one of them covers it, as JSON. Takes (list "64:ff9b::/96" ranges).
*/}}
{{- define "zipjobs.deniedInNat64" -}}
{{- $prefix := include "zipjobs.ipv6Bits" (index . 0) -}}
{{- $found := dict "inside" list "isCovered" false -}}
{{- range index . 1 -}}
{{- if contains ":" . -}}
{{- $length := splitList "/" . | last | int -}}
{{- $shared := min 96 $length | int -}}
{{- if eq (substr 0 $shared $prefix) (substr 0 $shared (include "zipjobs.ipv6Bits" .)) -}}
{{- if gt $length 96 -}}{{- $_ := set $found "inside" (append $found.inside .) -}}
{{- else -}}{{- $_ := set $found "isCovered" true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{/*
Egress rule for DNS. It has no addresses, because a resolver can be link-local. Network plugins compare the port after address
translation, and the DNS pods of OpenShift listen on 5353.
*/}}
{{- define "zipjobs.dnsEgress" -}}
- ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
    - { protocol: UDP, port: 5353 }
    - { protocol: TCP, port: 5353 }
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

{{/* Egress rules of every process that sends traces. */}}
{{- define "zipjobs.tracingEgress" -}}
{{- if .Values.tracing.endpoint }}
{{- toYaml .Values.networkPolicies.tracingEgress }}
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

{{/* Ingress rule of the API's admin port, for the refused requests. */}}
{{- define "zipjobs.dashboardIngress" -}}
{{- if .Values.dashboard.enabled }}
- from:
    - podSelector:
        matchLabels: {{- include "zipjobs.selectorLabels" (list . "dashboard") | nindent 10 }}
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
