// Package controllers is a kube-controller-manager with the controllers that the local cluster's objects need, each
// one Kubernetes' own. The complete program also links those for volumes, certificates and clouds: 40 s of processor
// time at every first build.
package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/server"
	cacheddiscovery "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/job"
)

const (
	apiServerTimeout = 10 * time.Second
	resyncPeriod     = 12 * time.Hour
	// How long a new kind of object, such as that of a CRD, may stay unknown.
	discoveryPeriod = 30 * time.Second
)

type options struct {
	kubeconfig             string
	tokenKeyFile           string
	rootCAFile             string
	qps                    float32
	burst                  int
	nodeMonitorPeriod      time.Duration
	nodeMonitorGracePeriod time.Duration
	jobPodFailureBackoff   time.Duration
	serviceAccounts        bool
	leaderElect            bool
	securePort             int
}

// NewCommand has the flags of kube-controller-manager that the local cluster sets, and one for what Kubernetes leaves
// to its own tests: the backoff of Jobs.
func NewCommand() *cobra.Command {
	o := options{}
	command := &cobra.Command{
		Use:  "kube-controller-manager",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if !o.serviceAccounts || o.leaderElect || o.securePort != 0 {
				return fmt.Errorf("set --use-service-account-credentials, --leader-elect=false and --secure-port=0: nothing else is linked")
			}
			return run(server.SetupSignalContext(), o)
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "path of the kubeconfig")
	flags.StringVar(&o.tokenKeyFile, "service-account-private-key-file", "", "key that signs service account tokens")
	flags.StringVar(&o.rootCAFile, "root-ca-file", "", "authority that pods get")
	flags.Float32Var(&o.qps, "kube-api-qps", 20, "requests per second")
	flags.IntVar(&o.burst, "kube-api-burst", 30, "requests at once")
	flags.DurationVar(&o.nodeMonitorPeriod, "node-monitor-period", 5*time.Second, "how often nodes are checked")
	flags.DurationVar(&o.nodeMonitorGracePeriod, "node-monitor-grace-period", 50*time.Second, "silence after which a node is lost")
	flags.DurationVar(&o.jobPodFailureBackoff, "job-pod-failure-backoff", job.DefaultJobPodFailureBackOff,
		"wait before the first failed pod of a Job is replaced; twice as long for each further one")
	flags.BoolVar(&o.serviceAccounts, "use-service-account-credentials", false, "one service account per controller")
	flags.BoolVar(&o.leaderElect, "leader-elect", true, "elect a leader first")
	flags.IntVar(&o.securePort, "secure-port", 10257, "port for HTTPS")
	return command
}

// deps is what controllers are made of.
type deps struct {
	options
	root            clientbuilder.ControllerClientBuilder
	clients         clientbuilder.ControllerClientBuilder
	informers       informers.SharedInformerFactory
	objectInformers informerfactory.InformerFactory
	metadata        metadata.Interface
	mapper          *restmapper.DeferredDiscoveryRESTMapper
	// Closed once all controllers are made and the informers run.
	started chan struct{}
}

func run(ctx context.Context, o options) error {
	// Kinds of all versions are watched, deprecated ones included.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	d, err := connect(ctx, o)
	if err != nil {
		return err
	}
	loops := []loop{}
	for _, one := range controllers {
		made, err := one.create(klog.NewContext(ctx, klog.FromContext(ctx).WithName(one.name)), d)
		if err != nil {
			return fmt.Errorf("create the controller %s: %w", one.name, err)
		}
		loops = append(loops, made)
	}
	d.informers.Start(ctx.Done())
	d.objectInformers.Start(ctx.Done())
	close(d.started)
	group := wait.Group{}
	for _, run := range loops {
		group.StartWithContext(ctx, run)
	}
	group.Wait()
	return nil
}

func connect(ctx context.Context, o options) (*deps, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.DisableCompression = true
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.QPS, config.Burst = o.qps, o.burst
	root := clientbuilder.SimpleControllerClientBuilder{ClientConfig: config}
	shared, err := root.Client("shared-informers")
	if err != nil {
		return nil, err
	}
	if err := waitForAPIServer(ctx, shared); err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(root.ConfigOrDie("metadata-informers"))
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(shared, resyncPeriod, informers.WithTransform(dropManagedFields))
	metadataFactory := metadatainformer.NewSharedInformerFactoryWithOptions(
		metadataClient, resyncPeriod, metadatainformer.WithTransform(dropManagedFields))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(
		cacheddiscovery.NewMemCacheClient(root.DiscoveryClientOrDie("controller-discovery")))
	go wait.Until(mapper.Reset, discoveryPeriod, ctx.Done())
	return &deps{
		options: o,
		root:    root,
		clients: clientbuilder.NewDynamicClientBuilder(
			rest.AnonymousClientConfig(config), shared.CoreV1(), metav1.NamespaceSystem),
		informers:       factory,
		objectInformers: informerfactory.NewInformerFactory(factory, metadataFactory),
		metadata:        metadataClient,
		mapper:          mapper,
		started:         make(chan struct{}),
	}, nil
}

func waitForAPIServer(ctx context.Context, client kubernetes.Interface) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, time.Second, apiServerTimeout, true, func(ctx context.Context) (bool, error) {
		last = client.Discovery().RESTClient().Get().AbsPath("/healthz").Do(ctx).Error()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the API server: %w (last: %v)", err, last)
	}
	return nil
}

// Half of an object's memory can be the record of who set its fields.
func dropManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
