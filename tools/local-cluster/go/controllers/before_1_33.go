//go:build !kubernetes1.33

package controllers

import (
	"context"

	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

func newTokens(_ context.Context, accounts coreinformers.ServiceAccountInformer, secrets coreinformers.SecretInformer,
	client kubernetes.Interface, options serviceaccount.TokensControllerOptions) (*serviceaccount.TokensController, error) {
	return serviceaccount.NewTokensController(accounts, secrets, client, options)
}

// The API of Service CIDRs is in beta, which no API server enables by default.
func createServiceCIDRs(context.Context, *deps) (loop, error) {
	return func(context.Context) {}, nil
}
