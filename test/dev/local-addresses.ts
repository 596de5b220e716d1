import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type Forwarder, startForwarder } from './port-forwarder.ts';

/** Ports of this machine. The first two lead to the pods. */
export const LOCAL_PORTS = { api: 8080, dashboard: 8081, signIn: 8082 } as const;
/** Port of requests in every pod. */
const POD_PORT = 8080;

/** Where users of this machine reach the release, before and after its installation. */
export interface LocalAddresses extends AsyncDisposable {
  readonly apiUrl: string;
  readonly dashboardUrl: string;
}

async function forwardPort(
  cluster: Cluster,
  component: 'api' | 'dashboard',
  print: (line: string) => void,
): Promise<Forwarder> {
  const port = LOCAL_PORTS[component];
  const labels = `app.kubernetes.io/component=${component}`;
  const forwarder = await startForwarder({
    port,
    target: async (signal) => ({
      host: await cluster.readyPodAddress(RELEASE_NAMESPACE, labels, signal),
      port: POD_PORT,
    }),
  });
  if (!forwarder.url.endsWith(`:${port}`)) print(`Port ${port} is in use. Using ${forwarder.url} instead.`);
  return forwarder;
}

export async function openLocalAddresses(
  cluster: Cluster,
  print: (line: string) => void,
): Promise<LocalAddresses> {
  await using opened = new AsyncDisposableStack();
  const api = opened.use(await forwardPort(cluster, 'api', print));
  const dashboard = opened.use(await forwardPort(cluster, 'dashboard', print));
  const resources = opened.move();
  return {
    apiUrl: api.url,
    dashboardUrl: dashboard.url,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Chart values of a dashboard at one of these addresses, on plain HTTP. */
export function localDashboard({ apiUrl }: Pick<LocalAddresses, 'apiUrl'>) {
  return { enabled: true, allowHttp: true, settings: { DASHBOARD_API_URL: apiUrl } };
}
