/** As the API server writes refusals of webhooks and of ValidatingAdmissionPolicies, whatever their code. */
const POLICY =
  /admission webhook "([^"]{1,253})" denied the request|ValidatingAdmissionPolicy '([^']{1,253})' with binding '[^']{1,253}' denied request/;
/** Parameters that do not exist are a refusal: the policy says that they must. */
const NOT_READY = /denied request: failed to configure (?:policy|binding): (?!no params found)/;

/**
 * For up to half a minute after a CustomResourceDefinition was created, an admission policy with parameters of its kind refuses
 * everything: the API server has not found the kind, or has not read its objects (policy_source.go and dispatcher.go of
 * k8s.io/apiserver 0.35).
 */
export function isPolicyNotReady(message: string): boolean {
  return NOT_READY.test(message);
}

/** The name of the webhook or policy that refused, if the message of the API server says so. */
export function policyIn(message: string): string | undefined {
  if (isPolicyNotReady(message)) return undefined;
  const [, webhook, policy] = POLICY.exec(message) ?? [];
  return webhook ?? policy;
}
