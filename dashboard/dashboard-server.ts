import type { Server } from 'node:http';
import { createHttpServer, type HttpServerSettings } from '#api/http-server.ts';
import { createKubeClient } from '#runtime/kube/client.ts';
import type { KubeAccess } from '#runtime/kube/kube-access.ts';
import type { CountCall } from '#runtime/kube/kube-request.ts';
import { withoutIdentity } from '#runtime/kube/user-client.ts';
import { createDashboard, type DashboardDeps } from './dashboard.ts';
import { createIdentityProvider } from './sign-in/identity-provider.ts';

export interface DashboardServerDeps extends Omit<DashboardDeps, 'kube' | 'provider'> {
  readonly config: DashboardDeps['config'] & HttpServerSettings & { readonly kubeRequestTimeoutMs: number };
  /** The API's access. The dashboard uses its address and certificates, not its identity. */
  readonly access: KubeAccess;
  readonly userAgent: string;
  readonly countCall: CountCall;
}

/** The server of the dashboard, with its own Kubernetes and OIDC clients. */
export const createDashboardServer = (deps: DashboardServerDeps, resources: AsyncDisposableStack): Server => {
  const { config, access, userAgent, countCall, clock } = deps;
  const { kubeRequestTimeoutMs: requestTimeoutMs } = config;
  const kube = resources.use(
    createKubeClient({ access: withoutIdentity(access), requestTimeoutMs, userAgent, countCall }),
  );
  const provider =
    config.dashboardOidcIssuer === '' ? undefined : resources.use(createIdentityProvider(config, clock));
  const listener = createDashboard({ ...deps, kube, provider }).callback();
  return createHttpServer((request, response) => {
    void listener(request, response);
  }, config);
};
