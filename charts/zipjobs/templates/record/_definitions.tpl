{{/* Written by scripts/sync-crds.ts. */}}
{{- define "zipjobs.recordedDefinitions" }}
CustomResourceDefinition.zipbuckets.zipjobs.dev: "59e463011ca92cf2"
CustomResourceDefinition.zipcheckpoints.zipjobs.dev: "e736730d14a75980"
CustomResourceDefinition.zipjobs.zipjobs.dev: "1ee902f198c87589"
CustomResourceDefinition.zipprojects.zipjobs.dev: "c7f2b90215e7d87b"
CustomResourceDefinition.ziptokens.zipjobs.dev: "d7856285b1b4659c"
{{- end -}}
