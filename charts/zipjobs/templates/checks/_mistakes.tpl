{{/*
Values that contradict each other or are malformed: one line each, with the reason, what to set and where to read. A rule in
values.schema.json would show its regular expression instead. A value that may contain credentials is not printed.
*/}}
{{- define "zipjobs.mistakes" -}}
{{- include "zipjobs.imageMistakes" . }}
{{- include "zipjobs.nameMistakes" . }}
{{- include "zipjobs.rangeMistakes" . }}
{{- include "zipjobs.routeMistakes" . }}
{{- include "zipjobs.addressMistakes" . }}
{{- include "zipjobs.replicaMistakes" . }}
{{- include "zipjobs.dashboardMistakes" . }}
{{- include "zipjobs.historyMistakes" . }}
{{- include "zipjobs.monitoringMistakes" . }}
{{- include "zipjobs.tracingMistakes" . }}
{{- end -}}

{{- define "zipjobs.monitoringMistakes" -}}
{{- with .Values.monitoring }}
{{- if and .podMonitor.enabled .serviceMonitor.enabled }}
monitoring.podMonitor and monitoring.serviceMonitor are both enabled, so Prometheus would read every process twice: enable one of them.
{{- end }}
{{- $alerts := include "zipjobs.alerts" $ | fromYaml }}
{{- range .prometheusRule.disabled }}
{{- if not (hasKey $alerts .) }}
monitoring.prometheusRule.disabled contains {{ quote . }}, which is no alert of this chart. See docs/on-call.md#alerts
{{- end }}
{{- end }}
{{- range $name, $_ := .prometheusRule.thresholds }}
{{- if not (hasKey (get $alerts $name | default dict) "threshold") }}
monitoring.prometheusRule.thresholds contains {{ quote $name }}, which is no alert with a threshold. See prometheus/alerts.yaml in the chart
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.imageMistakes" -}}
{{- if not .Values.image.registry }}
image.registry is not set. Only a released chart names a registry; this one is from the source code. Build the images with scripts/build-images and set image.registry to your registry, or to localhost if you loaded them into the nodes of kind, k3d or minikube. See docs/install.md#images
{{- else if not (regexMatch `^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]+)?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*/?$` .Values.image.registry) }}
image.registry is not a registry with a path in lower case: write it without a scheme, credentials and tag, such as registry.example.com/zipjobs. See docs/install.md#images
{{- end }}
{{- $tags := dict "image" .Values.image.tag }}
{{- range $component := list "api" "controller" "zipper" "dashboard" }}
{{- with (index $.Values $component).image }}
{{- $_ := set $tags (printf "%s.image" $component) .tag }}
{{- if not (regexMatch "^(sha256:[0-9a-f]{64})?$" .digest) }}
{{ $component }}.image.digest is {{ quote .digest }}: write sha256: and 64 hexadecimal digits, or set a tag in {{ $component }}.image.tag.
{{- end }}
{{- end }}
{{- end }}
{{- range $value, $tag := $tags }}
{{- if not (regexMatch "^[A-Za-z0-9_.-]*$" $tag) }}
{{ $value }}.tag is {{ quote $tag }}: write a tag such as 1.2.3. {{ if eq $value "image" }}Each image has its own digest: set api.image.digest and those of the other components{{ else }}A digest belongs in {{ $value }}.digest{{ end }}.
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.nameMistakes" -}}
{{- if not (regexMatch "^([a-z]([-a-z0-9]*[a-z0-9])?)?$" .Values.fullnameOverride) }}
fullnameOverride is {{ quote .Values.fullnameOverride }}: write lowercase letters, digits and "-", starting with a letter, because it starts the names of Services.
{{- end }}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" .Values.nameOverride) }}
nameOverride is {{ quote .Values.nameOverride }}: write lowercase letters, digits and "-".
{{- end }}
{{- range list "app.kubernetes.io/name" "app.kubernetes.io/instance" "app.kubernetes.io/component" }}
{{- if hasKey $.Values.commonLabels . }}
commonLabels contains {{ . }}, by which the chart selects its pods: remove it
{{- end }}
{{- end }}
{{- end -}}

{{/* Regular expressions of an IPv4 and an IPv6 address, as a list in JSON. */}}
{{- define "zipjobs.addressPatterns" -}}
{{- $octet := "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])" -}}
{{- $v4 := printf `(%s\.){3}%s` $octet $octet -}}
{{- $group := "[0-9a-fA-F]{1,4}" -}}
{{- $v6 := list (printf "(%s:){7}(%s|:)" $group $group) (printf "(%s:){6}(:%s|%s|:)" $group $group $v4) -}}
{{- range $count := list 5 4 3 2 1 -}}
{{- $v6 = append $v6 (printf "(%s:){%d}((:%s){1,%d}|(:%s){0,%d}:%s|:)" $group $count $group (sub 7 $count) $group (sub 5 $count) $v4) -}}
{{- end -}}
{{- $v6 = append $v6 (printf ":((:%s){1,7}|(:%s){0,5}:%s|:)" $group $group $v4) -}}
{{- list $v4 (join "|" $v6) | toJson -}}
{{- end -}}

{{- define "zipjobs.rangeMistakes" -}}
{{- $patterns := include "zipjobs.addressPatterns" . | fromJsonArray }}
{{- $v6 := last $patterns }}
{{- $cidr := printf "^((%s)/(3[0-2]|[12]?[0-9])|(%s)/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$" (first $patterns) $v6 }}
{{- $lists := dict
  "trustedProxies" .Values.trustedProxies
  "egress.allowCidrs" .Values.egress.allowCidrs
  "egress.denyCidrs" .Values.egress.denyCidrs
  "egress.clusterCidrs" .Values.egress.clusterCidrs
  "store.allowCidrs" .Values.store.allowCidrs
  "networkPolicies.apiServerCidrs" .Values.networkPolicies.apiServerCidrs
  "networkPolicies.proxyCidrs" .Values.networkPolicies.proxyCidrs
}}
{{- range $value, $ranges := $lists }}
{{- range $ranges }}
{{- if not (regexMatch $cidr .) }}
{{ $value }} contains {{ quote . }}, which is not a CIDR: write a range such as 10.0.0.0/8 or fd00::/8, and a single address as 10.0.0.5/32.
{{- end }}
{{- end }}
{{- end }}
{{- range .Values.trustedProxies }}
{{- if hasSuffix "/0" . }}
trustedProxies contains {{ quote . }}: then clients could send any address. Write only the addresses of your proxies, such as 10.0.0.0/8. See docs/install.md#trusted-proxies
{{- end }}
{{- end }}
{{- with .Values.egress.nat64Prefix }}
{{- if not (regexMatch (printf "^(%s)/96$" $v6) .) }}
egress.nat64Prefix is {{ quote . }}: write an IPv6 range of 96 bits, such as 64:ff9b::/96.
{{- end }}
{{- end }}
{{- if and .Values.networkPolicies.enabled (not .Values.networkPolicies.apiServerCidrs) }}
networkPolicies.enabled is true: set networkPolicies.apiServerCidrs to the addresses of the API server, for example [10.96.0.1/32, 192.0.2.10/32]. They are in `kubectl get endpointslices kubernetes` and `kubectl get service kubernetes`. See docs/install.md#network-policies
{{- end }}
{{- end -}}

{{- define "zipjobs.routeMistakes" -}}
{{- $routes := list }}
{{- range $component := list "api" "dashboard" }}
{{- $values := index $.Values $component }}
{{- $off := and (eq $component "dashboard") (not $values.enabled) }}
{{- range $kind := list "ingress" "httpRoute" }}
{{- if (index $values $kind).enabled }}
{{- if $off }}
{{ $component }}.{{ $kind }}.enabled is true, but dashboard.enabled is false, so it has no effect: enable the dashboard, or remove it.
{{- else }}
{{- $routes = append $routes (printf "%s.%s" $component $kind) }}
{{- end }}
{{- end }}
{{- end }}
{{- with $values.ingress }}
{{- if and .enabled .tlsSecretName (not .host) }}
{{ $component }}.ingress.tlsSecretName is set: set {{ $component }}.ingress.host too, the host name in the certificate, for example zips.example.com.
{{- end }}
{{- end }}
{{- with $values.httpRoute }}
{{- if and .enabled (not .parentRefs) }}
{{ $component }}.httpRoute.enabled is true: set {{ $component }}.httpRoute.parentRefs to your Gateways, for example [{name: public, namespace: gateways, sectionName: https}]. They are in `kubectl get gateways --all-namespaces`. See docs/install.md#addresses
{{- end }}
{{- end }}
{{- $hosts := dict "ingress.host" (list $values.ingress.host) "httpRoute.hostnames" $values.httpRoute.hostnames }}
{{- range $value, $names := $hosts }}
{{- range $names }}
{{- if not (regexMatch `^((\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$` .) }}
{{ $component }}.{{ $value }} contains {{ quote . }}: write a host name in lower case, without a scheme, port and path, such as zips.example.com. See docs/install.md#addresses
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $routes (not .Values.trustedProxies) }}
{{ first $routes }}.enabled is true: set trustedProxies to the addresses of the pods of your {{ ternary "Gateway" "ingress controller" (hasSuffix "httpRoute" (first $routes)) }}, or of your load balancer, for example [10.0.0.0/8]. Otherwise all clients share one address and its limits. See docs/install.md#trusted-proxies
{{- end }}
{{- include "zipjobs.sharedRouteMistakes" . }}
{{- end -}}

{{/* The API and the dashboard must not claim the same addresses: the order in which a controller sees them decides who gets a request. */}}
{{- define "zipjobs.sharedRouteMistakes" -}}
{{- $api := .Values.api }}
{{- $dashboard := .Values.dashboard }}
{{- $shared := "" }}
{{- if and $dashboard.enabled (not $api.basePath) }}
{{- with $api.ingress }}
{{- if and .enabled $dashboard.ingress.enabled (eq (list .className .host | toJson) (list $dashboard.ingress.className $dashboard.ingress.host | toJson)) }}
{{- $shared = "ingress" }}
{{- end }}
{{- end }}
{{- with $api.httpRoute }}
{{- if and .enabled $dashboard.httpRoute.enabled (eq (toJson .parentRefs) (toJson $dashboard.httpRoute.parentRefs)) }}
{{- $hostnames := concat (default (list "") .hostnames) (default (list "") $dashboard.httpRoute.hostnames) }}
{{- if lt (len (uniq $hostnames)) (len $hostnames) }}{{ $shared = "httpRoute" }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- with $shared }}
api.{{ . }} and dashboard.{{ . }} have the same host and the path /: give them different hosts, or set api.basePath. See docs/install.md#addresses
{{- end }}
{{- end -}}

{{- define "zipjobs.addressMistakes" -}}
{{- if not (regexMatch "^(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$" .Values.api.basePath) }}
api.basePath is {{ quote .Values.api.basePath }}: write a path that starts with / and does not end with it, such as /archives. Regular expressions and rewrites are not needed. See docs/install.md#addresses
{{- end }}
{{- range .Values.store.allowedHosts }}
{{- if not (regexMatch `^[^\s,/@]+$` .) }}
store.allowedHosts contains an entry with a scheme, path, credentials or space: write host or host:port, such as minio.example.com:9000. For plain HTTP, set store.allowHttp. See docs/install.md#outgoing-connections
{{- end }}
{{- end }}
{{- range .Values.store.webIdentity.stsHosts }}
{{- if not (regexMatch `^[a-z0-9.:\[\]-]+$` .) }}
store.webIdentity.stsHosts contains an entry with a scheme, path or upper case: write host or host:port, such as sts.eu-central-1.amazonaws.com. See docs/keyless.md
{{- end }}
{{- end }}
{{- range .Values.store.webIdentity.audiences }}
{{- if regexMatch "^([a-z]+://)?kubernetes([.]default([.:/].*)?)?/?$" . }}
store.webIdentity.audiences contains {{ quote . }}, an audience of the API server: a store with such a token could use the Kubernetes API. Write the audience of the token service, such as sts.amazonaws.com. See docs/keyless.md
{{- end }}
{{- end }}
{{- with .Values.redis.url }}
{{- if not (regexMatch "^rediss?://[^@]+$" .) }}
redis.url is not a redis:// or rediss:// URL without credentials: write it as rediss://redis.example.com:6379, and set redis.existingSecret to a Secret with the keys `username` and `password`.
{{- end }}
{{- end }}
{{- range $purpose, $proxy := .Values.proxy }}
{{- if not (regexMatch `^(https?://[A-Za-z0-9.:\[\]_-]+/?)?$` $proxy.url) }}
proxy.{{ $purpose }}.url is not an http:// or https:// URL without credentials and path: write it as http://proxy.example.com:3128, and set proxy.{{ $purpose }}.credentialSecretRef to a Secret with the keys `username` and `password`. See docs/install.md#outgoing-connections
{{- end }}
{{- range $proxy.noProxy }}
{{- if not (regexMatch `^(\*|[*A-Za-z0-9._:\[\]-]+(/[0-9]{1,3})?)$` .) }}
proxy.{{ $purpose }}.noProxy contains {{ quote . }}: write a host, a domain (.example.com), an address or a CIDR, without a scheme. See docs/install.md#outgoing-connections
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.monitoring.prometheusRule.runbookUrl }}
{{- if not (regexMatch "^https?://" .) }}
monitoring.prometheusRule.runbookUrl is {{ quote . }}: write the http:// or https:// URL of docs/on-call.md.
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.replicaMistakes" -}}
{{- with .Values.api.autoscaling }}
{{- if .enabled }}
{{- if not (or .targetCPUUtilizationPercentage .targetMemoryUtilizationPercentage) }}
api.autoscaling.targetCPUUtilizationPercentage and targetMemoryUtilizationPercentage are both 0, and Kubernetes would scale by CPU at 80 %: set one of them, or disable api.autoscaling
{{- end }}
{{- if gt (int .minReplicas) (int .maxReplicas) }}
api.autoscaling.minReplicas is {{ int .minReplicas }} and maxReplicas {{ int .maxReplicas }}: set maxReplicas to at least minReplicas
{{- end }}
{{- end }}
{{- end }}
{{- range $component := list "api" "controller" "dashboard" }}
{{- $values := index $.Values $component }}
{{- if and (gt (len $values.podDisruptionBudget) 1) (gt (include "zipjobs.minReplicas" $values | int) 1) }}
{{ $component }}.podDisruptionBudget sets minAvailable and maxUnavailable, but Kubernetes accepts only one of them: remove one
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.dashboardMistakes" -}}
{{- with .Values.dashboard }}
{{- if not (regexMatch `^(https?://[^/?#@\s]+)?$` .url) }}
dashboard.url is not a URL without a path: write it as https://zipjobs.example.com.
{{- end }}
{{- if gt (len .links) 20 }}
dashboard.links has {{ len .links }} links: keep at most 20.
{{- end }}
{{- range .links }}
{{- if or (not (trim .title)) (gt (len .title) 60) }}
dashboard.links has a link whose title is empty or longer than 60 characters: give it a short name, such as Logs in Loki.
{{- end }}
{{- if or (gt (len .url) 2048) (not (regexMatch `^https?://[^/?#{}@\\\s]+([/?#]\S*)?$` .url)) }}
dashboard.links has a URL that zipjobs cannot use, of {{ quote .title }}: write http:// or https:// and a host without credentials and placeholders, such as https://grafana.example.com/explore?pod={pod}, with at most 2,048 characters.
{{- end }}
{{- range regexFindAll `\{[A-Za-z]+\}` .url -1 }}
{{- if not (has . (list "{namespace}" "{name}" "{pod}")) }}
dashboard.links has a URL with {{ . }}: the placeholders are {namespace}, {name} and {pod}.
{{- end }}
{{- end }}
{{- end }}
{{- if and .enabled (gt (int .replicas) 1) (not (include "zipjobs.hasRedis" $)) }}
dashboard.replicas is more than 1, but replicas share their sessions and limits in Redis: set redis.url (or redis.existingSecret), or run one replica. See docs/install.md#availability
{{- end }}
{{- if .oidc.issuer }}
{{- if not (regexMatch `^https://\S+$` .oidc.issuer) }}
dashboard.oidc.issuer is {{ quote .oidc.issuer }}: write an https:// URL, such as https://id.example.com.
{{- end }}
{{- if not .enabled }}
dashboard.oidc.issuer is set, but dashboard.enabled is false, so it has no effect: enable the dashboard, or remove it.
{{- else }}
{{- if not (include "zipjobs.dashboardUrl" $) }}
dashboard.oidc.issuer is set: the identity provider sends browsers back to the dashboard, so set dashboard.url too, for example https://zipjobs.example.com.
{{- end }}
{{- if not .oidc.clientId }}
dashboard.oidc.issuer is set, so dashboard.oidc.clientId is needed too: the client ID of the dashboard at the identity provider.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.historyMistakes" -}}
{{- with .Values.history.postgres }}
{{- if not (regexMatch "^([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)?$" .host) }}
history.postgres.host is not a host name or address: write it without a scheme, credentials, port and database, such as postgres.example.com. The port belongs in history.postgres.port. See docs/history.md
{{- end }}
{{- if .host }}
{{- if not .existingSecret }}
history.postgres.host is set: set history.postgres.existingSecret too, the Secret in the release namespace with the keys `owner-password`, `writer-password` and `reader-password`. To keep no history, empty history.postgres.host. See docs/history.md
{{- end }}
{{- $authorities := list }}
{{- range $name := list "caConfigMapKeyRef" "caSecretKeyRef" }}
{{- if (index $.Values.history.postgres.tls $name).name }}{{ $authorities = append $authorities $name }}{{ end }}
{{- end }}
{{- if gt (len $authorities) 1 }}
history.postgres.tls sets caConfigMapKeyRef.name and caSecretKeyRef.name: set only one of them
{{- end }}
{{- if and $authorities (not .tls.enabled) }}
history.postgres.tls.enabled is false, so history.postgres.tls.{{ first $authorities }}.name has no effect: remove it, or enable TLS
{{- end }}
{{- if lt (values .users | uniq | len) 3 }}
history.postgres.users: owner, writer and reader must be three different users. With one user for two of them, a process has the permissions of both. See docs/history.md
{{- end }}
{{- if and $.Values.networkPolicies.enabled (not $.Values.networkPolicies.historyEgress) }}
history.postgres.host and networkPolicies.enabled are set: set networkPolicies.historyEgress to the rules that open PostgreSQL, for example [{to: [{ipBlock: {cidr: 10.20.0.0/24}}], ports: [{protocol: TCP, port: 5432}]}]
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "zipjobs.tracingMistakes" -}}
{{- with .Values.tracing }}
{{- if not (regexMatch `^(https?://[^\s/?#@]+(/[^\s?#@]*)?)?$` .endpoint) }}
tracing.endpoint is not an http:// or https:// URL without credentials, query and fragment: write it as http://otel-collector.monitoring:4318, and set tracing.existingSecret to a Secret with the key `headers` for an Authorization header. See docs/traces.md
{{- else if regexMatch `/v1/traces/*$` .endpoint }}
tracing.endpoint ends with /v1/traces, which zipjobs adds: remove it. See docs/traces.md
{{- else if regexMatch `:4317/*$` .endpoint }}
tracing.endpoint has the port 4317, at which collectors receive OTLP over gRPC: set it to their port for HTTP, which is 4318 by default. See docs/traces.md
{{- end }}
{{- if and .existingSecret (not .endpoint) }}
tracing.existingSecret is set, but tracing.endpoint is empty, so no traces are sent: set tracing.endpoint, or remove it. See docs/traces.md
{{- end }}
{{- if and .endpoint $.Values.networkPolicies.enabled (not $.Values.networkPolicies.tracingEgress) }}
tracing.endpoint and networkPolicies.enabled are set: set networkPolicies.tracingEgress to the rules that open the collector, for example [{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], ports: [{protocol: TCP, port: 4318}]}]
{{- end }}
{{- end }}
{{- end -}}
