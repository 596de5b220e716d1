import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type Forwarder, startForwarder } from './port-forwarder.ts';

/** Ports of this machine. All but that of the sign-in link lead to the pods. */
export const LOCAL_PORTS = { api: 8080, dashboard: 8081, signIn: 8082, apiAdmin: 8083 } as const;
/** Ports of every pod: of requests, and of health, metrics and refused requests. */
const POD_PORT = 8080;
const ADMIN_PORT = 9090;

/** Where users of this machine reach the release, before and after its installation. */
export interface LocalAddresses extends AsyncDisposable {
  readonly apiUrl: string;
  readonly dashboardUrl: string;
  /** Of one API pod, for the dashboard: the cluster has no DNS. */
  readonly apiAdminUrl: string;
}

interface Forwarded {
  readonly component: 'api' | 'dashboard';
  readonly podPort: number;
  readonly port: number;
}

async function forwardPort(
  cluster: Cluster,
  { component, podPort, port }: Forwarded,
  print: (line: string) => void,
): Promise<Forwarder> {
  const labels = `app.kubernetes.io/component=${component}`;
  const forwarder = await startForwarder({
    port,
    target: async (signal) => ({
      host: await cluster.readyPodAddress(RELEASE_NAMESPACE, labels, signal),
      port: podPort,
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
  async function open(component: Forwarded['component'], podPort: number, port: number): Promise<string> {
    return opened.use(await forwardPort(cluster, { component, podPort, port }, print)).url;
  }
  const apiUrl = await open('api', POD_PORT, LOCAL_PORTS.api);
  const dashboardUrl = await open('dashboard', POD_PORT, LOCAL_PORTS.dashboard);
  const apiAdminUrl = await open('api', ADMIN_PORT, LOCAL_PORTS.apiAdmin);
  const resources = opened.move();
  return {
    apiUrl,
    dashboardUrl,
    apiAdminUrl,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Chart values of a dashboard at one of these addresses, on plain HTTP. */
export function localDashboard({ apiUrl, apiAdminUrl }: Pick<LocalAddresses, 'apiUrl' | 'apiAdminUrl'>) {
  const settings = { DASHBOARD_API_URL: apiUrl, DASHBOARD_API_ADMIN_URL: apiAdminUrl };
  return { enabled: true, allowHttp: true, settings };
}
