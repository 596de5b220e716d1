{{/*
Everything that the Job of a zipper may have, by level. The policy zipper-jobs refuses all other fields, variables, volumes and
mounts, also fields that a newer Kubernetes adds. An entry without a constraint may have any value.
  required: true   the entry must exist
  is: VALUE        the only value that the entry may have
  rule: CEL        a condition about `value`, the value of the entry
*/}}
{{- define "zipjobs.zipperJobFields" -}}
{{- $zipper := include "zipjobs.zipperName" . -}}
{{- $operators := include "zipjobs.zipperPod" . | fromJson -}}
job:
  activeDeadlineSeconds: {}
  backoffLimit: {}
  completionMode: { is: NonIndexed }
  completions: { required: true, is: 1 }
  parallelism: { required: true, is: 1 }
  podFailurePolicy: {}
  # An attempt must end before the next pod starts. Recoveries may overlap.
  podReplacementPolicy: { rule: "value == 'Failed' || variables.component == 'recover'" }
  # The API server generates the selector.
  manualSelector: { is: false }
  selector: {}
  suspend: {}
  template: { rule: "value.all(field, field in ['metadata', 'spec'])" }
  ttlSecondsAfterFinished: {}

podMetadata:
  annotations: { required: true }
  labels: { required: true }
  # Before Kubernetes 1.34, the API server adds it with the value null.
  creationTimestamp: { is: null }
podLabels:
  {{- range $name, $value := include "zipjobs.zipperLabels" . | fromYaml }}
  {{ $name }}: { required: true, is: {{ $value }} }
  {{- end }}
  app.kubernetes.io/part-of: { is: zipjobs }
  app.kubernetes.io/instance: {}
  app.kubernetes.io/component:
    required: true
    rule: "value in (variables.ownerKind == 'ZipBucket' ? ['check-bucket'] : ['archive', 'recover'])"
  # The API server generates these four.
  batch.kubernetes.io/controller-uid: {}
  batch.kubernetes.io/job-name: {}
  controller-uid: {}
  job-name: {}
  {{- range $name, $value := $operators.labels }}
  {{ toRawJson $name }}: { required: true, is: {{ toRawJson $value }} }
  {{- end }}
podAnnotations:
  zipjobs.dev/task: { required: true }
  {{- range $name, $value := $operators.annotations }}
  {{ toRawJson $name }}: { required: true, is: {{ toRawJson $value }} }
  {{- end }}

pod:
  # Their content decides only which nodes run the pod. The API server drops empty fields, so it is not compared.
  {{- range list "affinity" "topologySpreadConstraints" }}
  {{- if hasKey $operators.spec . }}
  {{ . }}: { required: true }
  {{- end }}
  {{- end }}
  automountServiceAccountToken: { required: true, is: false }
  containers: { rule: value.size() == 1 }
  dnsConfig: { is: { options: [{ name: ndots, value: "1" }] } }
  dnsPolicy: { is: ClusterFirst }
  enableServiceLinks: { required: true, is: false }
  {{- with include "zipjobs.zipperPullSecrets" . | fromJsonArray }}
  imagePullSecrets:
    is:
      {{- range . }}
      - name: {{ quote . }}
      {{- end }}
  {{- end }}
  nodeSelector: {}
  # Priority classes of the control plane could evict the pods of the control plane.
  priorityClassName: { rule: "!value.startsWith('system-')" }
  restartPolicy: { required: true, is: Never }
  {{- with $operators.spec.runtimeClassName }}
  runtimeClassName: { required: true, is: {{ quote . }} }
  {{- end }}
  schedulerName: { is: default-scheduler }
  securityContext: { required: true, is: {{ toRawJson $operators.spec.securityContext }} }
  serviceAccount: { is: {{ $zipper }} }
  serviceAccountName: { required: true, is: {{ $zipper }} }
  terminationGracePeriodSeconds: {}
  tolerations: {}
  volumes: { required: true }

container:
  name: { required: true, is: zipper }
  image: { required: true, rule: {{ include "zipjobs.zipperImageRule" . | toRawJson }} }
  imagePullPolicy: {}
  env: { required: true }
  resources: { rule: "value.all(field, field in ['limits', 'requests'])" }
  securityContext: { required: true, is: {{ toRawJson $operators.containerSecurityContext }} }
  terminationMessagePath: { is: /dev/termination-log }
  terminationMessagePolicy: {}
  volumeMounts: { required: true }

env:
  POD_NAME: { is: { valueFrom: { fieldRef: { apiVersion: v1, fieldPath: metadata.name } } } }
  POD_UID: { is: { valueFrom: { fieldRef: { apiVersion: v1, fieldPath: metadata.uid } } } }
  TASK_FILE: { is: { value: /etc/zipjobs/task/task.json } }
  BUCKET_DIR: { is: { value: /etc/zipjobs/bucket } }
  SOURCES_DIR: { is: { value: /etc/zipjobs/sources } }
  FILES_DIR: { is: { value: /etc/zipjobs/files } }
  SERVICE_ACCOUNT_DIR: { is: { value: /var/run/secrets/kubernetes.io/serviceaccount } }
  TERMINATION_LOG: { is: { value: /dev/termination-log } }
  TRACEPARENT: { rule: "value.size() == 2 && value.?value.orValue('').matches('^[0-9a-f-]{55}$')" }
  {{- if .Values.trustBundle.configMapKeyRef.name }}
  # The controller copies the certificates of the bundle.
  TRUST_BUNDLE: { rule: "value.size() == 2 && value.?value.orValue('').size() <= 65536 && value.?value.orValue('').matches('^[A-Za-z0-9+/=\\\\s-]+$')" }
  {{- end }}
  # The controller reads these ranges and addresses from the cluster.
  EGRESS_SERVICE_CIDRS: { rule: "value.size() == 2 && value.?value.orValue('-').matches('^[0-9a-f.:/,]*$')" }
  EGRESS_API_SERVER_ADDRESSES: { rule: "value.size() == 2 && value.?value.orValue('-').matches('^[0-9a-f.:,\\\\[\\\\]]*$')" }
  {{- range $prefix, $secret := include "zipjobs.zipperProxySecrets" . | fromJson }}
  {{ $prefix }}_PROXY_USERNAME: { required: true, is: { valueFrom: { secretKeyRef: { name: {{ quote $secret }}, key: username } } } }
  {{ $prefix }}_PROXY_PASSWORD: { required: true, is: { valueFrom: { secretKeyRef: { name: {{ quote $secret }}, key: password } } } }
  {{- end }}
  # Without the operator's settings, a zipper would use its own egress and store rules.
  {{- range $name, $text := include "zipjobs.zipperSettings" . | fromJson }}
  {{ $name }}: { required: true, is: { value: {{ toRawJson $text }} } }
  {{- end }}

volumes:
  task:
    required: true
    is:
      projected:
        defaultMode: 420
        sources:
          - downwardAPI:
              items:
                - path: task.json
                  fieldRef: { apiVersion: v1, fieldPath: "metadata.annotations['zipjobs.dev/task']" }
  # The keys of a bucket, a token for a security token service that the operator allows, or nothing.
  bucket:
    required: true
    rule: >-
      [value.?secret.?secretName.orValue('')].all(name, (variables.ownerKind == 'ZipBucket'
      ? name == 'zipbucket-' + variables.owner : name.startsWith('zipbucket-'))
      && value == dyn({'name': dyn('bucket'), 'secret': dyn({'secretName': dyn(name), 'defaultMode': dyn(420)})}))
      || {{ toRawJson .Values.store.webIdentity.audiences }}.exists(audience, value == dyn({'name': dyn('bucket'),
      'projected': dyn({'defaultMode': dyn(420), 'sources': dyn([dyn({'serviceAccountToken': dyn({'path': dyn('token'),
      'audience': dyn(audience), 'expirationSeconds': dyn(3600)})})])})}))
      || value == dyn({'name': dyn('bucket'), 'emptyDir': dyn({})})
  # The same of each bucket with sources: only those that the task names. The policy source-buckets refuses those that are not readable.
  sources:
    rule: >-
      variables.component == 'archive' && object.metadata.?labels[?'zipjobs.dev/source-buckets'].orValue('') == 'true'
      && value == dyn({'name': dyn('sources'), 'projected': dyn({'defaultMode': dyn(420), 'sources': value.?projected.?sources.orValue([])})})
      && value.projected.sources.all(source, [source.?secret.?name.orValue('')].all(name, name.startsWith('zipbucket-')
      && name.substring(10) in variables.sourceBuckets
      && source.secret.?items.orValue([]).size() > 0
      && (source == dyn({'secret': dyn({'name': dyn(name), 'items': source.secret.items})})
      || source == dyn({'secret': dyn({'name': dyn(name), 'items': source.secret.items, 'optional': dyn(true)})}))
      && source.secret.items.all(item, item.size() == 2 && item.key in ['accessKeyId', 'secretAccessKey', 'sessionToken']
      && item.path.matches('^[0-7]/' + item.key + '$')))
      || [source.?serviceAccountToken.?path.orValue('')].all(path, path.matches('^[0-7]/token$')
      && {{ toRawJson .Values.store.webIdentity.audiences }}.exists(audience, source == dyn({'serviceAccountToken':
      dyn({'path': dyn(path), 'audience': dyn(audience), 'expirationSeconds': dyn(3600)})}))))
  # Only the file list of one ZipJob: of the owner, or of the ZipJob that the annotation names.
  files:
    rule: >-
      variables.component == 'archive'
      && value == dyn({'name': dyn('files'), 'projected': dyn({'defaultMode': dyn(420), 'sources': value.?projected.?sources.orValue([])})})
      && value.projected.sources.all(source, [source.?secret.?name.orValue('')].all(name, name.matches(variables.fileList)
      && source == dyn({'secret': dyn({'name': dyn(name), 'items': source.?secret.?items.orValue([])})})
      && source.secret.items.all(item, item.key == 'files.jsonl.gz' && item.path.matches('^[0-9]+[.]jsonl[.]gz$') && item.size() == 2)))
  api-token:
    rule: variables.component == 'archive'
    is:
      projected:
        defaultMode: 420
        sources:
          - serviceAccountToken: { path: token, expirationSeconds: 600 }
          - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
mounts:
  task: { required: true, is: { mountPath: /etc/zipjobs/task, readOnly: true } }
  bucket: { required: true, is: { mountPath: /etc/zipjobs/bucket, readOnly: true } }
  sources: { is: { mountPath: /etc/zipjobs/sources, readOnly: true } }
  files: { is: { mountPath: /etc/zipjobs/files, readOnly: true } }
  api-token: { is: { mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true } }
{{- end -}}

{{/* Labels by which the NetworkPolicy of a project and the policy zipper-exec select the pods of zippers. */}}
{{- define "zipjobs.zipperLabels" -}}
app.kubernetes.io/managed-by: zipjobs-controller
app.kubernetes.io/name: zipjobs-zipper
{{- end -}}

{{/*
CEL: whether `value` is the zipper's image. A webhook of the cluster may add a digest, replace the tag by it, or replace the repository
by a mirror. Without a tag and a digest, the name means the tag `latest`.
*/}}
{{- define "zipjobs.zipperImageRule" -}}
{{- $image := include "zipjobs.image" (list . "zipper") -}}
{{- $tagged := first (splitList "@" $image) -}}
{{- $tag := regexFind ":[^/:]+$" $tagged -}}
{{- $names := list -}}
{{- range prepend .Values.policies.zipperImageMirrors (trimSuffix $tag $tagged) -}}
{{- $names = append $names (regexQuoteMeta .) -}}
{{- end -}}
{{- $digest := "@sha256:[0-9a-f]{64}" -}}
{{- $version := printf "(%s(%s)?|%s)" (regexQuoteMeta $tag) $digest $digest -}}
{{- if contains "@" $image -}}
{{- $version = regexQuoteMeta (trimPrefix $tagged $image) -}}
{{- end -}}
{{- printf "^(%s)%s$" (join "|" $names) $version | toRawJson | printf "value.matches(%s)" -}}
{{- end -}}

{{/* The levels of the table: where each is in the Job, what messages call it, and whether it is a list of items with names. */}}
{{- define "zipjobs.zipperJobLevels" -}}
- { level: job, at: object.spec, called: Job fields }
- { level: podMetadata, at: object.spec.template.metadata, called: pod metadata }
- { level: podLabels, at: "object.spec.template.metadata.?labels.orValue({})", called: pod labels }
- { level: podAnnotations, at: "object.spec.template.metadata.?annotations.orValue({})", called: pod annotations }
- { level: pod, at: object.spec.template.spec, called: pod fields }
- { level: container, at: "object.spec.template.spec.containers[0]", called: container fields }
- { level: env, at: "object.spec.template.spec.containers[0].?env.orValue([])", called: environment variables, isList: true }
- { level: volumes, at: "object.spec.template.spec.?volumes.orValue([])", called: volumes, isList: true }
- { level: mounts, at: "object.spec.template.spec.containers[0].?volumeMounts.orValue([])", called: volume mounts, isList: true }
{{- end -}}

{{/* A value as a CEL literal. Without dyn(), CEL refuses lists and maps of several types. */}}
{{- define "zipjobs.cel" -}}
{{- if kindIs "map" . -}}
{{- $items := list -}}
{{- range $name, $value := . -}}
{{- $items = append $items (printf "%s: %s" (toRawJson $name) (include "zipjobs.cel" $value)) -}}
{{- end -}}
dyn({ {{- join ", " $items -}} })
{{- else if kindIs "slice" . -}}
{{- $items := list -}}
{{- range . -}}
{{- $items = append $items (include "zipjobs.cel" .) -}}
{{- end -}}
dyn([{{ join ", " $items }}])
{{- else -}}
dyn({{ toRawJson . }})
{{- end -}}
{{- end -}}

{{/* The only values of the entries of a level, by name. Takes a level and its `entries`. */}}
{{- define "zipjobs.fixedValues" -}}
{{- $isList := default false .isList -}}
{{- $fixed := dict -}}
{{- range $name, $entry := .entries -}}
{{- if hasKey $entry "is" -}}
{{- $_ := set $fixed $name (ternary (merge (dict "name" $name) (ternary $entry.is dict $isList)) $entry.is $isList) -}}
{{- end -}}
{{- end -}}
{{- include "zipjobs.cel" $fixed -}}
{{- end -}}

{{/* CEL: the names of a level that are not in the table, are missing, or have another value. Takes a level and its `entries`. */}}
{{- define "zipjobs.refusedNames" -}}
{{- $at := printf "variables.%s" .level -}}
{{- $fixed := printf "variables.%sFixed" .level -}}
{{- $isList := default false .isList -}}
{{- $names := keys .entries | sortAlpha | toRawJson -}}
{{- $required := list -}}
{{- $rules := list -}}
{{- range $name, $entry := .entries -}}
{{- $quoted := toRawJson $name -}}
{{- if $entry.required -}}
{{- $required = append $required $name -}}
{{- end -}}
{{- if and $entry.rule $isList -}}
{{- $rules = append $rules (printf "%s.filter(value, value.name == %s && !(%s)).map(value, value.name)" $at $quoted $entry.rule) -}}
{{- else if $entry.rule -}}
{{- $rules = append $rules (printf "(!(%s in %s) || [%s[%s]].all(value, %s) ? [] : [%s])" $quoted $at $at $quoted $entry.rule $quoted) -}}
{{- end -}}
{{- end -}}
{{- $required = toRawJson $required -}}
{{- $parts := list -}}
{{- if $isList -}}
{{- $parts = append $parts (printf "%s.filter(item, !(item.name in %s)).map(item, item.name)" $at $names) -}}
{{- $parts = append $parts (printf "%s.filter(item, item.name in %s && item != %s[item.name]).map(item, item.name)" $at $fixed $fixed) -}}
{{- $parts = append $parts (printf "%s.filter(name, !%s.exists(item, item.name == name))" $required $at) -}}
{{- else -}}
{{- $parts = append $parts (printf "%s.filter(field, !(field in %s))" $at $names) -}}
{{- $parts = append $parts (printf "%s.filter(field, field in %s && %s[field] != %s[field])" $at $fixed $at $fixed) -}}
{{- $parts = append $parts (printf "%s.filter(field, !(field in %s))" $required $at) -}}
{{- end -}}
{{- concat $parts $rules | join " + " -}}
{{- end -}}
