package controllers

import (
	"context"
	"fmt"
	"os"

	apiextensionsscheme "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/validatingadmissionpolicystatus"
	"k8s.io/kubernetes/pkg/generated/openapi"
	tokens "k8s.io/kubernetes/pkg/serviceaccount"
)

func createTokens(ctx context.Context, d *deps) (loop, error) {
	key, err := keyutil.PrivateKeyFromFile(d.tokenKeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the key for service account tokens: %w", err)
	}
	rootCA, err := os.ReadFile(d.rootCAFile)
	if err != nil {
		return nil, err
	}
	generator, err := tokens.JWTTokenGenerator(tokens.LegacyIssuer, key)
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c, err := newTokens(ctx, core.ServiceAccounts(), core.Secrets(), d.root.ClientOrDie("tokens-controller"),
		serviceaccount.TokensControllerOptions{TokenGenerator: generator, RootCA: rootCA})
	return func(ctx context.Context) { c.Run(ctx, 5) }, err
}

func createServiceAccounts(ctx context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("service-account-controller")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c, err := newServiceAccounts(ctx, core.ServiceAccounts(), core.Namespaces(), client,
		serviceaccount.DefaultServiceAccountsControllerOptions())
	return func(ctx context.Context) { c.Run(ctx, 1) }, err
}

func createRootCAPublisher(_ context.Context, d *deps) (loop, error) {
	rootCA, err := os.ReadFile(d.rootCAFile)
	if err != nil {
		return nil, err
	}
	client, err := d.clients.Client("root-ca-cert-publisher")
	if err != nil {
		return nil, err
	}
	core := d.informers.Core().V1()
	c, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, rootCA)
	return func(ctx context.Context) { c.Run(ctx, 1) }, err
}

func createPolicyStatus(_ context.Context, d *deps) (loop, error) {
	client, err := d.clients.Client("validatingadmissionpolicy-status-controller")
	if err != nil {
		return nil, err
	}
	builtIn := resolver.NewDefinitionsSchemaResolver(openapi.GetOpenAPIDefinitions, scheme.Scheme, apiextensionsscheme.Scheme)
	checker := &validating.TypeChecker{
		SchemaResolver: builtIn.Combine(&resolver.ClientDiscoveryResolver{Discovery: client.Discovery()}),
		RestMapper:     d.mapper,
	}
	c, err := validatingadmissionpolicystatus.NewController(d.informers.Admissionregistration().V1().ValidatingAdmissionPolicies(),
		client.AdmissionregistrationV1().ValidatingAdmissionPolicies(), checker)
	return func(ctx context.Context) { c.Run(ctx, 5) }, err
}
