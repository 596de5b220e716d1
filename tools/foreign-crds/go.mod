// The operators whose kinds the chart can create. A test judges the chart's objects by the definitions in these modules.
// No Go code imports them: do not run `go mod tidy`. `go get PATH@VERSION` updates one.
module foreign-crds.zipjobs.dev

go 1.26.0

require (
	github.com/cilium/cilium v1.18.5
	github.com/openshift/api v0.0.0-20260420151639-34e60874783e
	github.com/prometheus-operator/prometheus-operator v0.85.0
	sigs.k8s.io/gateway-api v1.6.0
)
