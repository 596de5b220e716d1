{{/* The Grafana dashboard: the rows of grafana/*.yaml, each with its panels. */}}

{{- define "zipjobs.grafanaSource" -}}
{"type":"prometheus","uid":"${datasource}"}
{{- end -}}

{{/* Width and height of a panel of each type, in the 24 columns of Grafana. */}}
{{- define "zipjobs.panelSizes" -}}
timeseries: { width: 8, height: 8 }
bargauge: { width: 8, height: 8 }
stat: { width: 4, height: 4 }
{{- end -}}

{{/*
Panels of all rows, from left to right. Panels of a collapsed row are inside it and take no room below it. A row lists panels of one
height after another, so that a line starts below the line before.
*/}}
{{- define "zipjobs.grafanaPanels" -}}
{{- $root := . -}}
{{- $alerts := include "zipjobs.alerts" . | fromYaml -}}
{{- $sizes := include "zipjobs.panelSizes" . | fromYaml -}}
{{- $all := list -}}
{{- $id := 0 -}}
{{- $y := 0 -}}
{{- range $path, $content := .Files.Glob "grafana/*.yaml" -}}
{{- $row := $root.Files.Get $path | fromYaml -}}
{{- $id = add1 $id -}}
{{- $title := dict "id" $id "type" "row" "title" $row.title "collapsed" ($row.collapsed | default false) "gridPos" (dict "x" 0 "y" $y "w" 24 "h" 1) -}}
{{- $y = add1 $y -}}
{{- $x := 0 -}}
{{- $height := 0 -}}
{{- $panels := list -}}
{{- range $described := $row.panels -}}
{{- $type := $described.type | default "timeseries" -}}
{{- if or (not $described.perProject) $root.Values.monitoring.perProject -}}
{{- $panel := merge (dict) $described (dict "type" $type) (get $sizes $type) -}}
{{- if gt (add $x $panel.width) 24 -}}{{- $x = 0 -}}{{- $y = add $y $height -}}{{- end -}}
{{- $id = add1 $id -}}
{{- $panels = append $panels (include "zipjobs.grafanaPanel" (dict "root" $root "panel" $panel "alerts" $alerts "id" $id "x" $x "y" $y) | fromJson) -}}
{{- $x = add $x $panel.width -}}
{{- $height = $panel.height -}}
{{- end -}}
{{- end -}}
{{- if $row.collapsed -}}
{{- $y = add1 $title.gridPos.y -}}
{{- $all = append $all (set $title "panels" $panels) -}}
{{- else -}}
{{- $y = add $y $height -}}
{{- $all = concat (append $all (set $title "panels" list)) $panels -}}
{{- end -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}

{{/* Variables: the data source, and the projects that panels with $project show. */}}
{{- define "zipjobs.grafanaVariables" -}}
{{- $projects := include "zipjobs.ownSeries" (list . "label_values(zip_jobs_finished_total{$own}, project)") -}}
{{- list
  (dict "name" "datasource" "label" "Data source" "type" "datasource" "query" "prometheus")
  (dict "name" "project" "label" "Project" "type" "query" "datasource" (include "zipjobs.grafanaSource" . | fromJson)
    "query" $projects "definition" $projects
    "includeAll" true "allValue" ".*" "multi" true "refresh" 2 "sort" 1
    "current" (dict "text" (list "All") "value" (list "$__all"))) | toJson -}}
{{- end -}}

{{/* Marks the time at which an alert fired, in all panels. */}}
{{- define "zipjobs.grafanaAnnotations" -}}
{{- list (dict
  "name" "Alerts" "enable" true "iconColor" "red" "datasource" (include "zipjobs.grafanaSource" . | fromJson)
  "expr" "ALERTS{alertname=~\"Zipjobs.*\",alertstate=\"firing\"}" "titleFormat" "{{alertname}}" "textFormat" "{{severity}}") | toJson -}}
{{- end -}}

{{- define "zipjobs.dashboard" -}}
{{- $links := list -}}
{{- with include "zipjobs.webDashboardUrl" . -}}{{- $links = append $links (dict "title" "Web dashboard" "type" "link" "icon" "external link" "url" . "targetBlank" true) -}}{{- end -}}
{{- with include "zipjobs.runbookUrl" . -}}{{- $links = append $links (dict "title" "On call" "type" "link" "icon" "doc" "url" . "targetBlank" true) -}}{{- end -}}
{{- dict
  "title" "zipjobs"
  "uid" "zipjobs"
  "description" "Whether zipjobs is healthy, then its jobs, projects, API, webhooks, controller and history."
  "tags" (list "zipjobs")
  "schemaVersion" 39
  "editable" true
  "graphTooltip" 1
  "refresh" "30s"
  "time" (dict "from" "now-6h" "to" "now")
  "links" $links
  "annotations" (dict "list" (include "zipjobs.grafanaAnnotations" . | fromJsonArray))
  "templating" (dict "list" (include "zipjobs.grafanaVariables" . | fromJsonArray))
  "panels" (include "zipjobs.grafanaPanels" . | fromJsonArray) | toJson -}}
{{- end -}}
