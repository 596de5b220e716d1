import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { parseHostPort } from '#runtime/egress/host-port.ts';
import { proxyFor, type WEBHOOK_PROXY_SETTINGS } from '#runtime/egress/proxy/settings.ts';
import { type EGRESS_SETTINGS, toEgressOptions } from '#runtime/egress/settings.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import type { ControllerConfig } from '../config/config.ts';
import { createDeliver, type Deliver } from './deliver.ts';
import { createWebhookSecrets, type ReadWebhookSecret } from './webhook-secret.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export interface SenderOptions {
  readonly config: Pick<
    ControllerConfig,
    | keyof typeof EGRESS_SETTINGS
    | keyof typeof WEBHOOK_PROXY_SETTINGS
    | 'kubernetesHost'
    | 'webhookConcurrency'
    | 'webhookTimeoutMs'
    | 'webhookAllowHttp'
  >;
  readonly secrets: Pick<ObjectClient<Secret>, 'get'>;
  readonly clock: Clock;
  readonly trust: Trust;
  /** Closes the connections when the process ends. */
  readonly resources: AsyncDisposableStack;
}

/** Sends webhooks and reads the Secrets with their keys and URLs. */
export interface Sender {
  readonly deliver: Deliver;
  readonly readWebhookSecret: ReadWebhookSecret;
  readonly clock: Clock;
}

export function createSender({ config, secrets, clock, trust, resources }: SenderOptions): Sender {
  const policy = createEgressPolicy(toEgressOptions(config, config.kubernetesHost));
  const agent = createGuardedAgent(policy, {
    // Tenants can share an origin. The dispatcher isolates them; a lower limit here would make one wait for another.
    connections: config.webhookConcurrency,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    trust,
    proxy: proxyFor('webhook', config, [
      config.kubernetesHost,
      ...config.egressApiServerAddresses.map((text) => parseHostPort(text).host),
    ]),
  });
  resources.defer(() => agent.destroy());
  const deliver = createDeliver({
    agent,
    policy,
    clock,
    timeoutMs: config.webhookTimeoutMs,
    allowHttp: config.webhookAllowHttp,
  });
  return { deliver, readWebhookSecret: createWebhookSecrets(secrets), clock };
}
