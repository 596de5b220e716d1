package controllers

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/clusterroleaggregation"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/podgc"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

const syncPeriod = 5 * time.Minute

type loop = func(ctx context.Context)

// controllers are those whose work the tests, the chart or somebody at the cluster relies on. Their settings, where
// no flag changes them, are the defaults of kube-controller-manager. The first one makes the tokens of the others.
var controllers = []struct {
	name   string
	create func(ctx context.Context, d *deps) (loop, error)
}{
	{"serviceaccount-token-controller", createTokens},
	{"serviceaccount-controller", createServiceAccounts},
	{"root-ca-certificate-publisher-controller", createRootCAPublisher},
	{"namespace-controller", createNamespaces},
	{"garbage-collector-controller", createGarbageCollector},
	{"clusterrole-aggregation-controller", createRoleAggregation},
	{"deployment-controller", createDeployments},
	{"replicaset-controller", createReplicaSets},
	{"job-controller", createJobs},
	{"ttl-after-finished-controller", createTTLAfterFinished},
	{"pod-garbage-collector-controller", createPodGarbageCollector},
	{"node-lifecycle-controller", createNodeLifecycle},
	{"taint-eviction-controller", createTaintEviction},
	{"disruption-controller", createDisruption},
	{"endpointslice-controller", createEndpointSlices},
	{"service-cidr-controller", createServiceCIDRs},
	{"resourcequota-controller", createResourceQuotas},
	{"validatingadmissionpolicy-status-controller", createPolicyStatus},
}

func createNamespaces(ctx context.Context, d *deps) (loop, error) {
	config, err := d.clients.Config("namespace-controller")
	if err != nil {
		return nil, err
	}
	// A namespace takes a request or two per kind to empty.
	config.QPS *= 20
	config.Burst *= 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	c := namespace.NewNamespaceController(ctx, client, metadataClient, client.Discovery().ServerPreferredNamespacedResources,
		d.informers.Core().V1().Namespaces(), syncPeriod, v1.FinalizerKubernetes)
	return func(ctx context.Context) { c.Run(ctx, 10) }, nil
}

func createGarbageCollector(ctx context.Context, d *deps) (loop, error) {
	const name = "generic-garbage-collector"
	config, err := d.clients.Config(name)
	if err != nil {
		return nil, err
	}
	// A deletion takes two requests.
	config.QPS *= 2
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	ignored := map[schema.GroupResource]struct{}{}
	for resource := range garbagecollector.DefaultIgnoredResources() {
		ignored[resource] = struct{}{}
	}
	graph := garbagecollector.NewDependencyGraphBuilder(ctx, d.metadata, d.mapper, ignored, d.objectInformers, d.started)
	c, err := garbagecollector.NewComposedGarbageCollector(ctx, client, metadataClient, d.mapper, graph)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		go c.Sync(ctx, client.Discovery(), discoveryPeriod)
		c.Run(ctx, 20, discoveryPeriod)
	}, nil
}

func createRoleAggregation(_ context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("clusterrole-aggregation-controller")
	if err != nil {
		return nil, err
	}
	c := clusterroleaggregation.NewClusterRoleAggregation(d.informers.Rbac().V1().ClusterRoles(), client.RbacV1())
	return func(ctx context.Context) { c.Run(ctx, 5) }, nil
}

func createDeployments(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("deployment-controller")
	if err != nil {
		return nil, err
	}
	apps := d.informers.Apps().V1()
	c, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), d.informers.Core().V1().Pods(), client)
	return func(ctx context.Context) { c.Run(ctx, 5) }, err
}

func createReplicaSets(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("replicaset-controller")
	if err != nil {
		return nil, err
	}
	c := replicaset.NewReplicaSetController(ctx, d.informers.Apps().V1().ReplicaSets(), d.informers.Core().V1().Pods(), client,
		replicaset.BurstReplicas)
	return func(ctx context.Context) { c.Run(ctx, 5) }, nil
}

func createJobs(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("job-controller")
	if err != nil {
		return nil, err
	}
	job.DefaultJobPodFailureBackOff = d.jobPodFailureBackoff
	c, err := newJobs(ctx, client, d.informers.Core().V1().Pods(), d.informers.Batch().V1().Jobs())
	return func(ctx context.Context) { c.Run(ctx, 5) }, err
}

func createTTLAfterFinished(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("ttl-after-finished-controller")
	if err != nil {
		return nil, err
	}
	c := ttlafterfinished.New(ctx, d.informers.Batch().V1().Jobs(), client)
	return func(ctx context.Context) { c.Run(ctx, 5) }, nil
}

func createPodGarbageCollector(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("pod-garbage-collector")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	return podgc.NewPodGC(ctx, client, core.Pods(), core.Nodes(), 12500).Run, nil
}

func createNodeLifecycle(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("node-controller")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c, err := nodelifecycle.NewNodeLifecycleController(ctx, d.informers.Coordination().V1().Leases(), core.Pods(), core.Nodes(),
		d.informers.Apps().V1().DaemonSets(), client, d.nodeMonitorPeriod, time.Minute, d.nodeMonitorGracePeriod, 0.1, 0.01, 50, 0.55)
	return func(ctx context.Context) { c.Run(ctx) }, err
}

func createTaintEviction(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("node-controller")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c, err := tainteviction.New(ctx, client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	return func(ctx context.Context) { c.Run(ctx) }, err
}

func createDisruption(ctx context.Context, d *deps) (loop, error) {
	const name = "disruption-controller"
	client, err := d.clients.Client(name)
	if err != nil {
		return nil, err
	}
	kinds := scale.NewDiscoveryScaleKindResolver(client.Discovery())
	scaleClient, err := scale.NewForConfig(d.clients.ConfigOrDie(name), d.mapper, dynamic.LegacyAPIPathResolverFunc, kinds)
	if err != nil {
		return nil, err
	}
	core, apps := d.informers.Core().V1(), d.informers.Apps().V1()
	c := disruption.NewDisruptionController(ctx, core.Pods(), d.informers.Policy().V1().PodDisruptionBudgets(),
		core.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), client, d.mapper, scaleClient,
		client.Discovery())
	// Kubernetes 1.37 takes a number of workers.
	if run, takesWorkers := any(c.Run).(func(context.Context, int)); takesWorkers {
		return func(ctx context.Context) { run(ctx, 1) }, nil
	}
	return any(c.Run).(loop), nil
}

func createEndpointSlices(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("endpointslice-controller")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c := endpointslice.NewController(ctx, core.Pods(), core.Services(), core.Nodes(), d.informers.Discovery().V1().EndpointSlices(),
		100, client, 0)
	return func(ctx context.Context) { c.Run(ctx, 5) }, nil
}

func createResourceQuotas(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("resourcequota-controller")
	if err != nil {
		return nil, err
	}
	discover := client.Discovery().ServerPreferredNamespacedResources
	quotas, err := newQuotas(generic.ListerFuncForResourceFunc(d.informers.ForResource), d.informers)
	if err != nil {
		return nil, err
	}
	c, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     d.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              controller.StaticResyncPeriodFunc(syncPeriod),
		InformerFactory:           d.objectInformers,
		ReplenishmentResyncPeriod: controller.StaticResyncPeriodFunc(resyncPeriod),
		DiscoveryFunc:             discover,
		IgnoredResourcesFunc:      quotas.IgnoredResources,
		InformersStarted:          d.started,
		Registry:                  generic.NewRegistry(quotas.Evaluators()),
		UpdateFilter:              quotainstall.DefaultUpdateFilter(),
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) {
		go c.Sync(ctx, discover, discoveryPeriod)
		c.Run(ctx, 5)
	}, nil
}
