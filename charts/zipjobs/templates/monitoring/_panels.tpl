{{/* What a panel of the Grafana dashboard consists of: grafana/README.md describes the fields of its description. */}}

{{/*
The two sides of the first comparison in the expression of an alert: the query and the threshold. Takes the expression; returns
{} if it compares nothing with a number.
*/}}
{{- define "zipjobs.alertComparison" -}}
{{- $operator := regexFind " [<>]=? " . -}}
{{- $sides := regexSplit " [<>]=? " . 2 -}}
{{- if $operator -}}
{{- with regexFind "^[0-9.]+" (index $sides 1) -}}
{{- dict "query" (index $sides 0) "threshold" (float64 .) "isBelow" (contains "<" $operator) | toJson -}}
{{- else -}}{}{{- end -}}
{{- else -}}{}{{- end -}}
{{- end -}}

{{/* The colours of a panel by value. Takes (dict "panel" "comparison"). */}}
{{- define "zipjobs.panelSteps" -}}
{{- $comparison := .comparison -}}
{{- $below := .panel.redBelow -}}
{{- if $comparison.isBelow -}}{{- $below = $comparison.threshold -}}{{- else if .panel.inverted -}}{{- $below = subf 1 $comparison.threshold -}}{{- end -}}
{{- $steps := list (dict "value" nil "color" (ternary "red" "green" (not (empty $below)))) -}}
{{- with $below -}}{{- $steps = append $steps (dict "value" . "color" "green") -}}{{- end -}}
{{- with .panel.orangeFrom -}}{{- $steps = append $steps (dict "value" . "color" "orange") -}}{{- end -}}
{{- with .panel.redFrom -}}{{- $steps = append $steps (dict "value" . "color" "red") -}}{{- end -}}
{{- if and (hasKey $comparison "threshold") (not $below) -}}{{- $steps = append $steps (dict "value" $comparison.threshold "color" "red") -}}{{- end -}}
{{- toJson $steps -}}
{{- end -}}

{{/* Queries by legend. Takes (dict "panel" "comparison"). */}}
{{- define "zipjobs.panelQueries" -}}
{{- $panel := .panel -}}
{{- $queries := $panel.queries | default dict -}}
{{- with $panel.quantiles -}}
{{- $series := printf "rate(%s_bucket{$own}[%s])" .metric (.window | default "$__rate_interval") -}}
{{- $by := .by -}}
{{- range $share := ternary (list 0.95) (list 0.5 0.95 0.99) (not (empty $by)) -}}
{{- $legend := ternary (printf "{{%s}}" $by) (printf "p%v" (mulf 100 $share)) (not (empty $by)) -}}
{{- $_ := set $queries $legend (printf "histogram_quantile(%v, sum by (%s) (%s))" $share (compact (list $by "le") | join ", ") $series) -}}
{{- end -}}
{{- end -}}
{{- if not $queries -}}
{{- $query := .comparison.query -}}
{{- with $panel.zero -}}{{- $query = printf "%s or 0 * %s" $query . -}}{{- end -}}
{{- if $panel.inverted -}}{{- $query = printf "1 - (%s)" $query -}}{{- end -}}
{{- $_ := set $queries ($panel.legend | default $panel.title) $query -}}
{{- end -}}
{{- toJson $queries -}}
{{- end -}}

{{/* Targets of a panel. Takes (dict "root" "panel" "comparison"). */}}
{{- define "zipjobs.panelTargets" -}}
{{- $root := .root -}}
{{- $isInstant := or .panel.instant (eq .panel.type "bargauge") -}}
{{- $targets := list -}}
{{- range $legend, $query := include "zipjobs.panelQueries" . | fromJson -}}
{{- $targets = append $targets (dict
  "refId" (printf "%c" (add 65 (len $targets)))
  "expr" (include "zipjobs.ownSeries" (list $root $query))
  "legendFormat" $legend
  "interval" $root.Values.monitoring.podMonitor.interval
  "instant" $isInstant
  "range" (not $isInstant)) -}}
{{- end -}}
{{- toJson $targets -}}
{{- end -}}

{{/* Options of the kind of panel. Takes the panel. */}}
{{- define "zipjobs.panelOptions" -}}
{{- $reduce := dict "calcs" (list "lastNotNull") "fields" "" "values" false -}}
{{- if eq .type "stat" -}}
{{- dict "reduceOptions" $reduce "colorMode" (ternary "none" "background" (.plain | default false)) "graphMode" (ternary "none" "area" (or .plain .instant | default false)) "textMode" (.text | default "value") "justifyMode" "center" | toJson -}}
{{- else if eq .type "bargauge" -}}
{{- dict "reduceOptions" $reduce "orientation" "horizontal" "displayMode" "basic" "showUnfilled" true "minVizHeight" 10 "minVizWidth" 0 "valueMode" "color" | toJson -}}
{{- else -}}
{{- dict "legend" (dict "showLegend" true "displayMode" "list" "placement" "bottom" "calcs" list) "tooltip" (dict "mode" "multi" "sort" "desc") | toJson -}}
{{- end -}}
{{- end -}}

{{/* How values look. Takes (dict "root" "panel" "comparison"). */}}
{{- define "zipjobs.panelFields" -}}
{{- $panel := .panel -}}
{{- $steps := include "zipjobs.panelSteps" . | fromJsonArray -}}
{{- $isSeries := eq $panel.type "timeseries" -}}
{{- $defaults := dict
  "unit" ($panel.unit | default "short")
  "min" ($panel.min | default 0)
  "noValue" ($panel.noValue | default "–")
  "mappings" (list (dict "type" "special" "options" (dict "match" "nan" "result" (dict "text" ($panel.noValue | default "–")))))
  "thresholds" (dict "mode" "absolute" "steps" $steps)
  "color" (dict "mode" (ternary "palette-classic" "thresholds" $isSeries)) -}}
{{- with $panel.max -}}{{- $_ := set $defaults "max" . -}}{{- end -}}
{{- if hasKey $panel "decimals" -}}{{- $_ := set $defaults "decimals" $panel.decimals -}}{{- end -}}
{{- if $isSeries -}}
{{- $_ := set $defaults "custom" (dict
  "drawStyle" "line" "lineWidth" 1 "showPoints" "auto" "pointSize" 4 "spanNulls" false
  "fillOpacity" (ternary 30 8 ($panel.stacked | default false))
  "stacking" (dict "group" "A" "mode" (ternary "normal" "none" ($panel.stacked | default false)))
  "thresholdsStyle" (dict "mode" (ternary "line" "off" (gt (len $steps) 1)))) -}}
{{- end -}}
{{- if $panel.perProject -}}
{{- with include "zipjobs.webDashboardUrl" .root -}}
{{- $_ := set $defaults "links" (list (dict "title" "Open the project in the web dashboard" "targetBlank" true "url" (printf "%s/projects/${__field.labels.project}" .))) -}}
{{- end -}}
{{- end -}}
{{- $overrides := list -}}
{{- range $name, $color := $panel.colors -}}
{{- $overrides = append $overrides (dict
  "matcher" (dict "id" "byRegexp" "options" (printf "/%s/" $name))
  "properties" (list (dict "id" "color" "value" (dict "mode" "fixed" "fixedColor" $color)))) -}}
{{- end -}}
{{- dict "defaults" $defaults "overrides" $overrides | toJson -}}
{{- end -}}

{{/* One panel. Takes (dict "root" "panel" "alerts" "id" "x" "y"). */}}
{{- define "zipjobs.grafanaPanel" -}}
{{- $root := .root -}}
{{- $panel := .panel -}}
{{- $alert := dict -}}
{{- if $panel.alert -}}{{- $alert = get .alerts $panel.alert | default dict -}}{{- end -}}
{{- $parts := dict "root" $root "panel" $panel "comparison" (include "zipjobs.alertComparison" ($alert.expr | default "") | fromJson) -}}
{{- $description := $panel.description -}}
{{- $links := list -}}
{{- if $alert -}}
{{- $description = printf "%s\n\nAlert: %s" $description $panel.alert -}}
{{- with include "zipjobs.runbookUrl" $root -}}
{{- $links = list (dict "title" (printf "Runbook: %s" $panel.alert) "url" (printf "%s#%s" . (lower $panel.alert)) "targetBlank" true) -}}
{{- end -}}
{{- end -}}
{{- dict
  "id" .id
  "type" $panel.type
  "title" $panel.title
  "description" $description
  "links" $links
  "datasource" (include "zipjobs.grafanaSource" $root | fromJson)
  "gridPos" (dict "x" .x "y" .y "w" $panel.width "h" $panel.height)
  "fieldConfig" (include "zipjobs.panelFields" $parts | fromJson)
  "options" (include "zipjobs.panelOptions" $panel | fromJson)
  "targets" (include "zipjobs.panelTargets" $parts | fromJsonArray) | toJson -}}
{{- end -}}
