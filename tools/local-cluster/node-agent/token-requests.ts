import type { KubeApi } from '../kube-api.ts';
import type { Pod, ProjectedSource } from './pod-types.ts';

export type TokenSource = NonNullable<ProjectedSource['serviceAccountToken']>;

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

interface Held {
  readonly token: string;
  readonly renewAt: number;
}

const DEFAULT_SECONDS = 3600;
const RENEW_AFTER_SHARE = 0.8;

/** The service account tokens of a pod, each bound to the pod and renewed after 80% of its lifetime. */
export class PodTokens {
  readonly #api: KubeApi;
  readonly #held = new Map<string, Held>();

  constructor(api: KubeApi) {
    this.#api = api;
  }

  async tokenFor(source: TokenSource, pod: Pod, now = Date.now()): Promise<string> {
    const key = JSON.stringify([source.audience, source.path]);
    const held = this.#held.get(key);
    if (held !== undefined && now < held.renewAt) return held.token;
    const { name, namespace, uid } = pod.metadata;
    const account = pod.spec.serviceAccountName ?? 'default';
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const { status } = await this.#api.create<TokenRequest>(path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        // Without an audience, the API server issues the token for itself.
        ...(source.audience === undefined ? {} : { audiences: [source.audience] }),
        expirationSeconds: source.expirationSeconds ?? DEFAULT_SECONDS,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    });
    const life = Date.parse(status.expirationTimestamp) - now;
    this.#held.set(key, { token: status.token, renewAt: now + life * RENEW_AFTER_SHARE });
    return status.token;
  }
}
