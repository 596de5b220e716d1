// The local cluster's control plane and command line tools in one program: the first argument says which.
// Linked together they share one download and one build of the modules that all of them use.
package main

import (
	"fmt"
	"os"

	"cluster.zipjobs.dev/controllers"
	_ "cluster.zipjobs.dev/launch"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// programs are those that not every build contains.
var programs = map[string]func(arguments []string) error{}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("name a program: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, helm, helm-lines, certs, sign, run"))
	}
	os.Args = os.Args[1:]
	switch os.Args[0] {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllers.NewCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand()))
	case "certs":
		fail(writeCertificates(os.Args[1]))
	case "sign":
		fail(signClient(os.Args[1], os.Args[2], os.Args[3:]))
	default:
		run, exists := programs[os.Args[0]]
		if !exists {
			fail(fmt.Errorf("unknown program %q", os.Args[0]))
		}
		fail(run(os.Args[1:]))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
