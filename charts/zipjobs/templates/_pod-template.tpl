{{/* What our pods have unless the operator's template says otherwise, by component. values.yaml and docs/install.md list the resources.
Logs count as ephemeral storage, and the kubelets of some managed clusters keep 250 MiB of them. */}}
{{- define "zipjobs.podDefaults" -}}
api:
  terminationGracePeriodSeconds: 20
  resources:
    requests: { cpu: 100m, memory: 128Mi, ephemeral-storage: 16Mi }
    limits: { cpu: "2", memory: 512Mi, ephemeral-storage: 320Mi }
controller:
  terminationGracePeriodSeconds: 30
  resources:
    requests: { cpu: 50m, memory: 160Mi, ephemeral-storage: 16Mi }
    limits: { cpu: "1", memory: 512Mi, ephemeral-storage: 320Mi }
dashboard:
  terminationGracePeriodSeconds: 20
  resources:
    requests: { cpu: 50m, memory: 128Mi, ephemeral-storage: 16Mi }
    limits: { cpu: "1", memory: 512Mi, ephemeral-storage: 320Mi }
zipper:
  terminationGracePeriodSeconds: 30
  resources:
    requests: { cpu: 100m, memory: 256Mi, ephemeral-storage: 16Mi }
    limits: { cpu: "2", memory: 512Mi, ephemeral-storage: 64Mi }
recovery:
  resources:
    requests: { cpu: 50m, memory: 128Mi, ephemeral-storage: 16Mi }
    limits: { cpu: 500m, memory: 256Mi, ephemeral-storage: 64Mi }
{{- end -}}

{{/* The fields of every pod, apart from its security context. */}}
{{- define "zipjobs.everyPod" -}}
# The images are for Linux only.
nodeSelector: { kubernetes.io/os: linux }
# For a Service named history, Kubernetes would set HISTORY_PORT=tcp://..., which is a setting of ours.
enableServiceLinks: false
{{- end -}}

{{- define "zipjobs.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "zipjobs.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/*
A map with another one over it, as JSON: maps are merged, null removes a field, and everything else replaces it. The `merge` functions of
Helm would ignore false, 0 and empty texts. Takes a list of both.
*/}}
{{- define "zipjobs.over" -}}
{{- $merged := deepCopy (index . 0) -}}
{{- range $name, $value := index . 1 -}}
{{- $old := get $merged $name -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $merged $name -}}
{{- else if and (kindIs "map" $old) (kindIs "map" $value) -}}
{{- $_ := set $merged $name (include "zipjobs.over" (list $old $value) | fromJson) -}}
{{- else -}}
{{- $_ := set $merged $name $value -}}
{{- end -}}
{{- end -}}
{{- toJson $merged -}}
{{- end -}}

{{/* Fails if an operator's list adds a name that the chart has. Takes a dict: value, kind (a word for the message), own, added, hint. */}}
{{- define "zipjobs.requireNewNames" -}}
{{- range .added -}}
{{- if has . $.own -}}
{{- fail (printf "%s contains the %s %s, which the chart sets itself: %s" $.value $.kind . $.hint) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The names of a list, as JSON. */}}
{{- define "zipjobs.namesOf" -}}
{{- $names := list -}}
{{- range . -}}{{- $names = append $names .name -}}{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/*
A template of pods with the operator's over it, as YAML. values.schema.json lists the fields that the operator's may have. Its labels,
annotations, variables and volumes are added and must have new names (a label may also replace one of commonLabels). Its container with
the name of ours changes ours. Takes a dict:
  root      the root context
  value     the name of the operator's value, for messages
  defaults  labels and annotations that the operator's may replace, or remove with null
  template  the template of the chart, with one container
  overlay   the operator's
*/}}
{{- define "zipjobs.overlaid" -}}
{{- $spec := .overlay.spec | default dict -}}
{{- $labels := dig "metadata" "labels" dict .template -}}
{{- $ownLabels := list -}}
{{- range $name, $_ := include "zipjobs.ownLabels" (list .root "any") | fromYaml -}}
{{- if hasKey $labels $name -}}{{- $ownLabels = append $ownLabels $name -}}{{- end -}}
{{- end -}}
{{- include "zipjobs.requireNewNames" (dict
  "value" .value "kind" "label" "hint" "remove it"
  "own" $ownLabels "added" (keys (dig "metadata" "labels" dict .overlay))
) -}}
{{- include "zipjobs.requireNewNames" (dict
  "value" .value "kind" "annotation" "hint" "remove it"
  "own" (keys (dig "metadata" "annotations" dict .template)) "added" (keys (dig "metadata" "annotations" dict .overlay))
) -}}
{{- include "zipjobs.requireNewNames" (dict
  "value" .value "kind" "volume" "hint" "choose another name"
  "own" (include "zipjobs.namesOf" .template.spec.volumes | fromJsonArray) "added" (include "zipjobs.namesOf" $spec.volumes | fromJsonArray)
) -}}
{{- $own := first .template.spec.containers -}}
{{- $others := list -}}
{{- range $spec.containers -}}
{{- if eq .name $own.name -}}
{{- $own = include "zipjobs.overlaidContainer" (dict "value" $.value "container" $own "overlay" .) | fromJson -}}
{{- else -}}
{{- $others = append $others . -}}
{{- end -}}
{{- end -}}
{{- $volumes := concat (.template.spec.volumes | default list) ($spec.volumes | default list) -}}
{{- $_ := set $own "securityContext" (include "zipjobs.securityContext" (list .root $own.securityContext) | fromJson) -}}
{{- $spec = include "zipjobs.over" (list .template.spec $spec) | fromJson -}}
{{- $_ := set $spec "containers" (prepend $others $own) -}}
{{- $_ := set $spec "securityContext" (include "zipjobs.securityContext" (list .root $spec.securityContext) | fromJson) -}}
{{- if $volumes -}}{{- $_ := set $spec "volumes" $volumes -}}{{- end -}}
{{- $metadata := include "zipjobs.over" (list (.defaults | default dict) (.template.metadata | default dict)) | fromJson -}}
{{- $metadata = include "zipjobs.over" (list $metadata (.overlay.metadata | default dict)) | fromJson -}}
{{- if not $metadata.annotations -}}{{- $_ := unset $metadata "annotations" -}}{{- end -}}
{{- dict "metadata" $metadata "spec" $spec | toYaml -}}
{{- end -}}

{{/* Our container with the operator's over it, as JSON. Takes a dict: value, container, overlay. */}}
{{- define "zipjobs.overlaidContainer" -}}
{{- $component := first (splitList "." .value) -}}
{{- include "zipjobs.requireNewNames" (dict
  "value" .value "kind" "variable" "hint" (printf "remove it, and use the value of the chart or %s.settings" $component)
  "own" (concat (include "zipjobs.namesOf" .container.env | fromJsonArray) (include "zipjobs.chartSettings" . | fromJsonArray))
  "added" (include "zipjobs.namesOf" .overlay.env | fromJsonArray)
) -}}
{{- $container := include "zipjobs.over" (list .container .overlay) | fromJson -}}
{{- range $field := list "env" "volumeMounts" -}}
{{- with concat (get $.container $field | default list) (get $.overlay $field | default list) -}}
{{- $_ := set $container $field . -}}
{{- end -}}
{{- end -}}
{{- toJson $container -}}
{{- end -}}

{{/* A security context, without what OpenShift assigns from the ranges of the namespace and refuses otherwise, as JSON. Takes (list . CONTEXT). */}}
{{- define "zipjobs.securityContext" -}}
{{- $root := index . 0 -}}
{{- $context := index . 1 -}}
{{- $mode := $root.Values.global.compatibility.openshift.adaptSecurityContext -}}
{{- if or (eq $mode "force") (and (eq $mode "auto") ($root.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" -}}
{{- end -}}
{{- toJson $context -}}
{{- end -}}

{{/*
Metadata of pods that must end: no service mesh adds a sidecar to them, which would run on, or redirects their requests (ambient mode of
Istio). By mesh: Istio and Kuma read labels, Linkerd, Consul and Istio before 1.10 annotations.
*/}}
{{- define "zipjobs.withoutSidecars" -}}
labels:
  sidecar.istio.io/inject: "false"
  istio.io/dataplane-mode: none
  kuma.io/sidecar-injection: disabled
annotations:
  sidecar.istio.io/inject: "false"
  linkerd.io/inject: disabled
  consul.hashicorp.com/connect-inject: "false"
{{- end -}}

{{/*
The pod of a hook: it has the resources, security contexts and scheduling of a component, and the metadata of hooks.podTemplate. Takes
a dict:
  root       the root context
  component  whose template it follows
  metadata   its metadata
  spec       fields that only it has
  container  name, command, variables and mounts of its container
*/}}
{{- define "zipjobs.hookPod" -}}
{{- $given := (index .root.Values .component).podTemplate.spec | default dict -}}
{{- $defaults := index (include "zipjobs.podDefaults" . | fromYaml) .component -}}
{{- $container := merge .container (dict
  "image" (include "zipjobs.image" (list .root .component))
  "imagePullPolicy" .root.Values.image.pullPolicy
  "resources" $defaults.resources
  "securityContext" (include "zipjobs.containerSecurityContext" . | fromYaml)
) -}}
{{- $spec := merge .spec (include "zipjobs.everyPod" . | fromYaml) (dict
  "restartPolicy" "Never"
  "securityContext" (include "zipjobs.podSecurityContext" . | fromYaml)
  "containers" (list $container)
) -}}
{{- with .root.Values.image.pullSecrets -}}{{- $_ := set $spec "imagePullSecrets" . -}}{{- end -}}
{{- $over := omit $given "containers" "initContainers" "volumes" "terminationGracePeriodSeconds" -}}
{{- range $given.containers -}}
{{- if eq .name $.component -}}
{{- $_ := set $over "containers" (list (merge (dict "name" $.container.name) (pick . "resources" "securityContext"))) -}}
{{- end -}}
{{- end -}}
{{- include "zipjobs.overlaid" (dict
  "root" .root
  "value" "hooks.podTemplate"
  "defaults" (include "zipjobs.over" (list (dict "annotations" .root.Values.commonAnnotations) (include "zipjobs.withoutSidecars" . | fromYaml)) | fromJson)
  "template" (dict "metadata" .metadata "spec" $spec)
  "overlay" (merge (dict "spec" $over) (pick .root.Values.hooks.podTemplate "metadata"))
) -}}
{{- end -}}
