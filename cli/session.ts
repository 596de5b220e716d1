import { type Administration, createAdministration } from '#administration/administration.ts';
import { ConfigError } from '#runtime/errors.ts';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeCredentials } from '#runtime/kube/client/kube-access.ts';
import type { ContextAccess } from '#runtime/kube/client/kubeconfig-file.ts';
import { readObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { isBearerToken } from '#runtime/kube/client/user-client.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { createServerClock, type ServerClock } from '#runtime/time/server-clock.ts';
import { accessCluster } from './cluster-access.ts';
import type { CommandLineConfig } from './config.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { HistoryClient } from './history/history-client.ts';
import { retryRequests } from './retry-requests.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const HOW_TO_NAME_IT =
  'Set --dashboard or ZIPJOBS_DASHBOARD_URL to the address of the dashboard, such as https://zipjobs.example.com';

/** The URL if it consists of scheme, host and port only. */
function originIn(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  const { username, password, pathname, search, hash } = url;
  return username + password + search + hash === '' && pathname === '/' ? url : undefined;
}

/**
 * The origin of the dashboard. Your token is sent there, so it must be HTTPS, except for this machine (`kubectl port-forward`).
 * @throws UsageError that does not repeat a URL with credentials
 */
export function dashboardOrigin(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const text = given ?? env['ZIPJOBS_DASHBOARD_URL'] ?? '';
  if (text === '')
    throw new UsageError(`The history and refused requests are read from the dashboard. ${HOW_TO_NAME_IT}`);
  const url = originIn(text);
  if (url === undefined) throw new UsageError(`The URL of the dashboard is invalid. ${HOW_TO_NAME_IT}`);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new UsageError(
      'The URL of the dashboard must start with https://, because your token is sent to it. Plain HTTP is allowed for this machine only, for example for kubectl port-forward',
    );
  return url.origin;
}

const TOKEN_REMEDY =
  'Create a token of a service account that has the role "view" in the project, and pass it in the environment: ZIPJOBS_DASHBOARD_TOKEN=$(kubectl create token NAME -n NAMESPACE) zipjobs ...';

/**
 * The token that identifies the user at the dashboard: ZIPJOBS_DASHBOARD_TOKEN, or else that of the kubeconfig. A client
 * certificate is useless there, because the dashboard cannot present it to the API server.
 * @throws UsageError that says how to get a token
 */
export async function historyToken(
  credentials: () => Promise<Pick<KubeCredentials, 'headers'>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const given = env['ZIPJOBS_DASHBOARD_TOKEN'] ?? '';
  if (given !== '') {
    if (isBearerToken(given)) return given;
    throw new UsageError('ZIPJOBS_DASHBOARD_TOKEN is not a token: it contains spaces or other characters');
  }
  const { headers } = await credentials();
  if (headers['impersonate-user'] !== undefined)
    throw new UsageError(
      `Your kubeconfig impersonates a user (as), and the dashboard would act as the user who signs in instead. ${TOKEN_REMEDY}`,
    );
  const [scheme = '', token = ''] = (headers['authorization'] ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && isBearerToken(token)) return token;
  throw new UsageError(
    `Your kubeconfig has no token, for example because it signs in with a client certificate, so the dashboard cannot act as you. ${TOKEN_REMEDY}`,
  );
}

/** Everything a command depends on. */
export interface Session extends AsyncDisposable {
  /** Authenticated as the user. */
  readonly kube: KubeClient;
  readonly administration: Administration;
  /** Namespace of the project: the one given, or the one of the context. */
  readonly namespace: string;
  /** Every namespace that the kubeconfig contains for the cluster, and the one in use. */
  readonly knownNamespaces: readonly string[];
  /** Every context of the kubeconfig. */
  readonly knownContexts: readonly string[];
  /** Reads the history and refused requests from this dashboard, or else from that of ZIPJOBS_DASHBOARD_URL. @throws UsageError */
  readonly openHistory: (dashboard: string | undefined) => Promise<HistoryClient>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The time of the API server, as far as its responses have told it. */
  readonly serverClock: Pick<ServerClock, 'date'>;
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

interface Connection {
  readonly access: ContextAccess;
  readonly client: KubeClient;
}

/** Without a cluster, the first call fails, so that invalid arguments are reported before. */
function withoutCluster(error: ConfigError): Connection {
  function refuse(): Promise<never> {
    return Promise.reject(error);
  }
  return {
    access: { server: '', namespace: undefined, knownNamespaces: [], knownContexts: [], credentials: refuse },
    client: { server: '', request: refuse, stream: refuse, [Symbol.asyncDispose]: () => Promise.resolve() },
  };
}

async function connect(
  args: GlobalArguments,
  config: CommandLineConfig,
  { cwd, userAgent, clock }: Pick<SessionOptions, 'cwd' | 'userAgent'> & { readonly clock: ServerClock },
): Promise<Connection> {
  const { kubeRequestTimeoutMs: requestTimeoutMs } = config;
  try {
    const access = await accessCluster(args, config, { cwd });
    const objectMetadata = readObjectMetadata(config);
    return {
      access,
      client: createKubeClient({ access, requestTimeoutMs, userAgent, objectMetadata, clock }),
    };
  } catch (error) {
    if (error instanceof ConfigError) return withoutCluster(error);
    throw error;
  }
}

/** Connects with the first call. */
export function createOpenSession({ config: readConfig, userAgent, ...given }: SessionOptions): OpenSession {
  return async (args) => {
    const config = readConfig();
    const serverClock = createServerClock(given.clock);
    const { access, client } = await connect(args, config, { ...given, userAgent, clock: serverClock });
    const namespace = args.namespace ?? access.namespace ?? 'default';
    const { kubeRequestTimeoutMs: requestTimeoutMs } = config;
    const resources = new AsyncDisposableStack();
    resources.use(client);
    const kube = retryRequests(client, given.signal);
    return {
      ...given,
      serverClock,
      kube,
      administration: createAdministration({ kube, clock: given.clock }),
      openHistory: async (dashboard) => {
        const origin = dashboardOrigin(dashboard, given.env);
        const token = await historyToken(() => access.credentials(), given.env);
        const { signal, terminal } = given;
        const options = { origin, token, userAgent, requestTimeoutMs, maxWaitMs: HISTORY_WAIT_MS, signal };
        // This import loads all of undici, for its fetch.
        const { createHistoryClient } = await import('./history/history-client.ts');
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
      knownContexts: access.knownContexts,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  };
}
