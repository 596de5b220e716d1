//go:build kubernetes1.33

package controllers

import (
	"context"

	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/servicecidrs"
)

func newTokens(ctx context.Context, accounts coreinformers.ServiceAccountInformer, secrets coreinformers.SecretInformer,
	client kubernetes.Interface, options serviceaccount.TokensControllerOptions) (*serviceaccount.TokensController, error) {
	return serviceaccount.NewTokensController(klog.FromContext(ctx), accounts, secrets, client, options)
}

func createServiceCIDRs(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("service-cidrs-controller")
	if err != nil {
		return nil, err
	}
	networking := d.informers.Networking().V1()
	c := servicecidrs.NewController(ctx, networking.ServiceCIDRs(), networking.IPAddresses(), client)
	return func(ctx context.Context) { c.Run(ctx, 5) }, nil
}
