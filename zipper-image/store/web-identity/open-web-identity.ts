/** The credentials of a bucket without stored keys. Loaded only for such a bucket. */

import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import type { Proxy } from '#runtime/egress/proxy/proxy.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import type { RenewableCredentials } from '../session.ts';
import { type StoreEgressSettings, storeEgressPolicy } from '../store-egress-policy.ts';
import { assumeRole } from './assume-role.ts';
import { createRenewedSession } from './renewed-session.ts';
import { stsEndpointOf, type WebIdentity, type WebIdentityRules } from './sts-endpoint.ts';
import { readToken } from './token.ts';

export type WebIdentitySettings = WebIdentityRules &
  StoreEgressSettings & {
    readonly bucketDir: string;
    /** uid of the ZipJob, or of the pod of a bucket test. */
    readonly sessionOwner: string;
    readonly stsTimeoutMs: number;
    readonly stsRetryMs: number;
  };

/** How to reach a token service. `caBundle` of the bucket does not count: users choose it, for the store only. */
interface Reach {
  readonly log: Logger;
  readonly trust: Trust;
  readonly proxy: Proxy | undefined;
}

/** The egress rules of stores, with the names of the token services instead of those of stores. */
function stsAgent(settings: WebIdentitySettings, endpoint: URL, { trust, proxy }: Reach) {
  return createGuardedAgent(storeEgressPolicy(settings, settings.storeStsHosts, endpoint.href), {
    connections: 1,
    connectTimeoutMs: settings.stsTimeoutMs,
    trust,
    proxy,
  });
}

/**
 * Sends nothing before the first request to the store.
 * @throws StoreError with code BucketMisconfigured unless the operator allows the audience and the token service
 */
export function openWebIdentity(
  identity: WebIdentity,
  settings: WebIdentitySettings,
  reach: Reach,
): RenewableCredentials & { close(): Promise<void> } {
  const endpoint = stsEndpointOf(identity, settings);
  const agent = stsAgent(settings, endpoint, reach);
  const session = createRenewedSession({
    assumeRole: () =>
      assumeRole({
        endpoint,
        identity,
        agent,
        readToken: () => readToken(settings.bucketDir),
        sessionName: `zipjobs-${settings.sessionOwner}`.slice(0, 64),
        timeoutMs: settings.stsTimeoutMs,
      }),
    retryMs: settings.stsRetryMs,
    now: () => performance.now(),
    log: reach.log,
  });
  return { ...session, close: () => agent.destroy() };
}
