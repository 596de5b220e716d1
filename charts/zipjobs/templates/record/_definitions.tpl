{{/* Written by scripts/sync-crds.ts. */}}
{{- define "zipjobs.recordedDefinitions" }}
CustomResourceDefinition.zipbuckets.zipjobs.dev: "071019b28b059221"
CustomResourceDefinition.zipcheckpoints.zipjobs.dev: "e736730d14a75980"
CustomResourceDefinition.zipjobs.zipjobs.dev: "1bcbee65ee0d442e"
CustomResourceDefinition.zipprojects.zipjobs.dev: "0009dcc96413c047"
CustomResourceDefinition.ziptokens.zipjobs.dev: "d7856285b1b4659c"
{{- end -}}
