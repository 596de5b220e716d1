// What runs on a node: kubelet, kube-proxy and CoreDNS in one program. The first argument selects one.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	"k8s.io/component-base/cli"
	kubeproxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	if len(os.Args) < 2 {
		fail("name a program: kubelet, kube-proxy or coredns")
	}
	os.Args = os.Args[1:]
	switch os.Args[0] {
	case "kubelet":
		os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background())))
	case "kube-proxy":
		os.Exit(cli.Run(kubeproxy.NewProxyCommand()))
	case "coredns":
		coremain.Run()
	default:
		fail(fmt.Sprintf("unknown program %q", os.Args[0]))
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "Error:", message)
	os.Exit(1)
}
