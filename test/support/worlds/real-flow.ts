import { outsideUrl, type RealCluster } from '#tools/real-node/real-cluster.ts';
import { postJob } from '../clients/api-client.ts';
import { type HoldingOrigin, startHoldingOrigin } from '../servers/held-files.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { until } from '../until.ts';
import { untilTokenKnown } from './flow.ts';
import { createProject, type Project, type ProjectOptions } from './project.ts';
import { serviceUrl } from './real-installation.ts';

/** A project on the installed release, with its sources and its webhook receiver outside of the cluster. */
export interface RealFlow extends AsyncDisposable {
  /** Base URL of the API's Service. */
  readonly baseUrl: string;
  readonly origin: HoldingOrigin;
  readonly receiver: WebhookReceiver;
  readonly project: Project;
  /** Posts a job with one source, and returns its UUID. */
  post(key: string, url: string): Promise<string>;
  /** Starts a job whose source waits for the release. */
  startHeldJob(key: string): Promise<HeldJob>;
}

export interface HeldJob {
  readonly uuid: string;
  /** Waits until its first pod is no longer the active one: until then, that pod could still finish the job. */
  untilPodInactive(): Promise<void>;
  /** Lets the source continue, and waits until the job has succeeded. */
  finish(): Promise<FinishedJob>;
}

export interface FinishedJob {
  readonly attempts: number;
}

/** Many jobs at once need minutes on a busy machine. */
const PHASE_LIMIT_MS = 400_000;
/** More than a zipper reads of a file before it starts its entry. */
const FIRST_BYTES = 1_500_000;

export async function startRealFlow(
  cluster: RealCluster,
  namespace: string,
  options: Pick<ProjectOptions, 'jobDefaults'> = {},
): Promise<RealFlow> {
  await using started = new AsyncDisposableStack();
  const origin = started.use(await startHoldingOrigin());
  const receiver = started.use(await startWebhookReceiver());
  const webhookUrl = outsideUrl(receiver.url);
  const project = started.use(await createProject(cluster, { namespace, webhookUrl, ...options }));
  receiver.trust(project.webhookSecret);
  const baseUrl = await serviceUrl(cluster, 'api');
  await untilTokenKnown(baseUrl, project.token);
  function post(key: string, url: string): Promise<string> {
    const urls = [{ url: outsideUrl(url), filename: 'file.bin' }];
    return postJob(baseUrl, project.token, { bucket_name: project.bucketName, key, urls });
  }
  const resources = started.move();
  return {
    baseUrl,
    origin,
    receiver,
    project,
    post,
    startHeldJob: async (key) => {
      const held = origin.hold({ isDripping: true, firstBytes: FIRST_BYTES });
      const uuid = await post(key, held.url);
      const { status: started } = await project.untilPhase(uuid, ['Running', 'Failed'], PHASE_LIMIT_MS);
      return {
        uuid,
        untilPodInactive: async () => {
          await until(
            'another active pod',
            async () => (await project.zipJob(uuid)).status?.job?.podUid !== started?.job?.podUid,
          );
        },
        finish: async () => {
          held.release();
          const { status } = await project.untilPhase(uuid, ['Succeeded', 'Failed'], PHASE_LIMIT_MS);
          if (status?.phase !== 'Succeeded') throw new Error(`job ${uuid}: ${JSON.stringify(status)}`);
          return { attempts: status.attemptsTotal ?? 0 };
        },
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
