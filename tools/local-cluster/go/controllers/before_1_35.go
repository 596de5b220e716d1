//go:build !kubernetes1.35

package controllers

import (
	"context"

	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

func newServiceAccounts(_ context.Context, accounts coreinformers.ServiceAccountInformer, namespaces coreinformers.NamespaceInformer,
	client kubernetes.Interface, options serviceaccount.ServiceAccountsControllerOptions,
) (*serviceaccount.ServiceAccountsController, error) {
	return serviceaccount.NewServiceAccountsController(accounts, namespaces, client, options)
}

func newQuotas(lister quota.ListerForResourceFunc, _ informers.SharedInformerFactory) (quota.Configuration, error) {
	return quotainstall.NewQuotaConfigurationForControllers(lister), nil
}
