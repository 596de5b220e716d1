import { type Administration, createAdministration } from '#administration/administration.ts';
import type { Clock } from '#runtime/clock.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client.ts';
import { accessCluster } from './cluster-access.ts';
import type { CommandLineConfig } from './config.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { dashboardOrigin } from './history/dashboard-url.ts';
import { createHistoryClient, type HistoryClient } from './history/history-client.ts';
import { historyToken } from './history/history-token.ts';
import { retryRequests } from './retry-requests.ts';
import type { Terminal } from './terminal.ts';

/** Everything a command depends on. */
export interface Session extends AsyncDisposable {
  /** Authenticated as the user. */
  readonly kube: KubeClient;
  readonly administration: Administration;
  /** Namespace of the project: the one given, or the one of the context. */
  readonly namespace: string;
  /** Every namespace that the kubeconfig contains for the cluster, and the one in use. */
  readonly knownNamespaces: readonly string[];
  /** Reads the history from this dashboard, or else from that of ZIPJOBS_DASHBOARD_URL. @throws UsageError */
  readonly openHistory: (dashboard: string | undefined) => Promise<HistoryClient>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Aborts when the user interrupts the program. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths in arguments and variables start at this directory. */
  readonly cwd: string;
}

/** The dashboard counts the requests of a minute. */
const HISTORY_WAIT_MS = 60_000;

export interface SessionOptions extends Pick<Session, 'terminal' | 'clock' | 'signal' | 'env' | 'cwd'> {
  readonly config: () => CommandLineConfig;
  readonly userAgent: string;
}

export type OpenSession = (args: GlobalArguments) => Promise<Session>;

/** Connects with the first call. */
export function createOpenSession({ config: readConfig, userAgent, ...given }: SessionOptions): OpenSession {
  return async (args) => {
    const config = readConfig();
    const access = await accessCluster(args, config, given);
    const namespace = args.namespace ?? access.namespace ?? 'default';
    const { kubeRequestTimeoutMs: requestTimeoutMs } = config;
    const resources = new AsyncDisposableStack();
    const client = resources.use(createKubeClient({ access, requestTimeoutMs, userAgent }));
    const kube = retryRequests(client, given.signal);
    return {
      ...given,
      kube,
      administration: createAdministration({ kube, clock: given.clock }),
      openHistory: async (dashboard) => {
        const origin = dashboardOrigin(dashboard, given.env);
        const token = await historyToken(() => access.credentials(), given.env);
        const { signal, terminal } = given;
        const options = { origin, token, userAgent, requestTimeoutMs, maxWaitMs: HISTORY_WAIT_MS, signal };
        return resources.use(
          createHistoryClient({
            ...options,
            onWait: (text) => {
              terminal.note(text);
            },
          }),
        );
      },
      namespace,
      knownNamespaces: [...new Set([namespace, ...access.knownNamespaces])],
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  };
}
