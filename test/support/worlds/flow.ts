import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { askApi, postJob } from '../clients/api-client.ts';
import { type HeldFile, type HoldingOrigin, startHoldingOrigin } from '../servers/held-files.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { until } from '../until.ts';
import { createProject, type Project, type ProjectOptions } from './project.ts';
import { sharedCluster } from './shared-cluster.ts';
import { sharedInstallation } from './shared-installation.ts';

const NO_SUCH_JOB = '00000000-0000-4000-8000-000000000000';

/**
 * Everything that a job needs from POST to webhook: the shared installation, and its own project, origin and
 * receiver.
 */
export interface Flow extends AsyncDisposable {
  readonly cluster: Cluster;
  /** Base URL of the API. */
  readonly baseUrl: string;
  readonly origin: HoldingOrigin;
  readonly receiver: WebhookReceiver;
  readonly project: Project;
  /** A source that keeps a job running until it is released. */
  readonly hold: () => HeldFile;
  /** Posts a job with a unique key and returns its UUID. */
  readonly post: (urls: readonly FlowSource[], options?: object) => Promise<string>;
  /** The output of kubectl in the project's namespace. */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
}

export interface FlowSource {
  readonly url: string;
  readonly filename: string;
}

/** An API pod learns of a new token from its watch; until then the response is 401. */
export async function untilTokenKnown(baseUrl: string, token: string): Promise<void> {
  await until(
    'the API to know the token',
    async () => {
      const response = await askApi(baseUrl, { path: `/v1/zips/${NO_SUCH_JOB}`, token });
      return ![401, 429, 503].includes(response.status);
    },
    // Stays below AUTH_FAILURES_PER_MINUTE, which all tests share because they use one address.
    { intervalMs: 100 },
  );
}

/** Starts it in its own namespace; dispose of it after the tests. */
export async function startFlow(
  namespace: string,
  options: Pick<ProjectOptions, 'jobDefaults' | 'limits'> = {},
): Promise<Flow> {
  const cluster = await sharedCluster();
  const baseUrl = await (await sharedInstallation()).apiUrl();
  await using started = new AsyncDisposableStack();
  const origin = started.use(await startHoldingOrigin());
  const receiver = started.use(await startWebhookReceiver());
  const project = started.use(
    await createProject(cluster, { namespace, webhookUrl: receiver.url, ...options }),
  );
  receiver.trust(project.webhookSecret);
  started.defer(() => {
    if (receiver.refused.length > 0)
      throw new Error(`webhooks that a library refused:\n${receiver.refused.join('\n')}`);
  });
  await untilTokenKnown(baseUrl, project.token);
  const resources = started.move();
  let posted = 0;
  return {
    cluster,
    baseUrl,
    origin,
    receiver,
    project,
    // More than a zipper reads of a file before it starts its entry.
    hold: () => origin.hold({ isDripping: true, firstBytes: 1_500_000 }),
    post: (urls, options) => {
      posted += 1;
      const key = `posted-${posted}.zip`;
      return postJob(baseUrl, project.token, { bucket_name: project.bucketName, key, urls, ...options });
    },
    kubectl: async (...args) => (await cluster.kubectl(['-n', namespace, ...args])).stdout,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
