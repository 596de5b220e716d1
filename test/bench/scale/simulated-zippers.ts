/**
 * Simulated zippers: each writes the status of its ZipJob with the real writer and with the identity of its pod, through the API
 * server and its policies. They download and upload nothing, and their pods stay unscheduled.
 */
import { Agent, request } from 'undici';
import { FIELD_MANAGERS, GROUP_VERSION, PLURALS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { Progress, ZipJob } from '#crds/zip-job.ts';
import { createLogger } from '#runtime/log/log.ts';
import type { OwnZipJob } from '#zipper-image/status/own-zip-job.ts';
import type { StatusApi } from '#zipper-image/status/status-api.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';
import { createStatusWriter } from '#zipper-image/status/status-writer.ts';

/** Of all zippers together. */
const CONNECTIONS = 64;
const TIME_LIMIT_MS = 60_000;
/** More than the simulated counts ever reach. */
const FILES = 1_000_000;

const settings = {
  statusActivationIntervalMs: 1000,
  statusProgressIntervalMs: 2000,
  statusRefusalLimitMs: TIME_LIMIT_MS,
  statusRetryBaseMs: 200,
  statusRetryMaxMs: 5000,
};

export interface SimulatedZippers extends AsyncDisposable {
  /** Starts a zipper for the active pod of the ZipJob, once. */
  start(zipJob: ZipJob): Promise<void>;
  /** Writes the result of the job. */
  finish(name: string): Promise<void>;
  readonly running: number;
}

interface Zipper {
  readonly finish: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The API server, and a client certificate that may act as a zipper. */
export interface ZipperServer {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** As the zipper of the active pod: the claim is that of a token from its kubelet. */
function statusApiOf({ metadata, status }: ZipJob, url: string, dispatcher: Agent): StatusApi {
  const { namespace, name, uid } = metadata;
  const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}/${name}/status`;
  const headers = {
    'content-type': 'application/apply-patch+yaml',
    'impersonate-user': `system:serviceaccount:${namespace}:${ZIPPER_SERVICE_ACCOUNT}`,
    'impersonate-extra-authentication.kubernetes.io%2fpod-uid': status?.job?.podUid ?? '',
  };
  return {
    apply: async (next) => {
      const body = JSON.stringify({
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace, name, uid },
        status: next,
      });
      const query = `?fieldManager=${FIELD_MANAGERS.zipper}&force=true`;
      const response = await request(`${url}${path}${query}`, { method: 'PATCH', dispatcher, headers, body });
      const text = await response.body.text();
      if (response.statusCode < 300) return JSON.parse(text) as OwnZipJob;
      throw new StatusError(text.slice(0, 300), {
        code: 'ApiServerUnavailable',
        httpStatus: response.statusCode,
      });
    },
    close: () => Promise.resolve(),
  };
}

const RESULT = { bytes: 1, entries: 1, etag: 'e', seconds: 1, peakMemory: 1, retries: 0, contractVersion: 1 };

async function startZipper(zipJob: ZipJob, statusApi: StatusApi): Promise<Zipper> {
  let filesDone = 0;
  const ended = new AbortController();
  const writer = createStatusWriter({
    api: statusApi,
    settings,
    log: createLogger('simulated', { level: 'silent' }),
    progress: (): Progress => {
      filesDone += 1;
      return {
        podUid: zipJob.status?.job?.podUid ?? '',
        filesTotal: FILES,
        filesDone,
        bytesRead: filesDone,
        bytesUploaded: filesDone,
        display: `${filesDone}/${FILES}`,
        updatedAt: new Date().toISOString(),
      };
    },
    onSuperseded: () => ended.abort(),
  });
  await writer.activate(TIME_LIMIT_MS, ended.signal);
  const stopProgress = writer.startProgress(ended.signal);
  return {
    finish: async () => {
      await stopProgress();
      await writer.write({ result: RESULT });
    },
    stop: async () => {
      ended.abort();
      await stopProgress();
    },
  };
}

export function createSimulatedZippers({ url, ...connect }: ZipperServer): SimulatedZippers {
  const agent = new Agent({ connect, connections: CONNECTIONS });
  const zippers = new Map<string, Zipper>();
  const known = new Set<string>();
  return {
    start: async (zipJob) => {
      const { name } = zipJob.metadata;
      if (known.has(name)) return;
      known.add(name);
      zippers.set(name, await startZipper(zipJob, statusApiOf(zipJob, url, agent)));
    },
    finish: async (name) => {
      await zippers.get(name)?.finish();
    },
    get running() {
      return zippers.size;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...zippers.values()].map((zipper) => zipper.stop()));
      await agent.destroy();
    },
  };
}
