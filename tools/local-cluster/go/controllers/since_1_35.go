//go:build kubernetes1.35

package controllers

import (
	"context"
	"errors"

	quota "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

func newServiceAccounts(ctx context.Context, accounts coreinformers.ServiceAccountInformer, namespaces coreinformers.NamespaceInformer,
	client kubernetes.Interface, options serviceaccount.ServiceAccountsControllerOptions,
) (*serviceaccount.ServiceAccountsController, error) {
	return serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), accounts, namespaces, client, options)
}

func newQuotas(lister quota.ListerForResourceFunc, factory informers.SharedInformerFactory) (quota.Configuration, error) {
	return orError(quotainstall.NewQuotaConfigurationForControllers(lister, factory))
}

// The function returns an error as well since Kubernetes 1.36.
func orError(configuration quota.Configuration, problems ...error) (quota.Configuration, error) {
	return configuration, errors.Join(problems...)
}
