package eviction

import v1 "k8s.io/api/core/v1"

// PodIsEvicted is all that podgc asks of the kubelet's package.
func PodIsEvicted(status v1.PodStatus) bool {
	return status.Phase == v1.PodFailed && status.Reason == "Evicted"
}
