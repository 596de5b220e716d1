import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { type Pod, RESOURCES } from '#runtime/kube/resources.ts';
import { cutLine, redactText } from '#runtime/log/redact.ts';
import { createUserClient } from '../changes/user-client.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { explainKubeError } from '../errors/explain-kube-error.ts';

export interface JobLog {
  readonly pod: string;
  readonly lines: readonly string[];
}

export interface LogOptions {
  /** Maximum number, counted from the end of the log. */
  readonly lines: number;
  readonly signal: AbortSignal;
}

/** Far more than a normal log; bounds a log with extremely long lines. */
const MAX_BYTES = 4 * 1024 * 1024;
/** If the lines have too many bytes, this many times fewer are read. */
const FEWER = 4;

const DELETED =
  'its pods were deleted. By default, pods are kept for an hour after a success and for a day after a failure, or for less if there are thousands of ended pods. To keep them longer, set SUCCEEDED_POD_TTL_SECONDS and FAILED_POD_TTL_SECONDS of the controller. The status of the job contains its attempts and their failures';

/** Such as a job without its bucket, or one that was cancelled while it waited. */
const NEVER_STARTED = 'it finished without an attempt. The status of the job says why';

function whyNoPod(zipJob: ZipJob): string {
  if (!isFinished(zipJob)) return 'it has no pod yet';
  const { startedAt, attemptsTotal = 0 } = zipJob.status ?? {};
  return startedAt === undefined && attemptsTotal === 0 ? NEVER_STARTED : DELETED;
}

/** Characters that are redacted before other requests may run. */
const SLICE = 64 * 1024;

async function redactLines(lines: readonly string[]): Promise<readonly string[]> {
  const redacted: string[] = [];
  let sinceBreak = 0;
  for (const line of lines) {
    const cut = cutLine(line);
    redacted.push(redactText(cut));
    sinceBreak += cut.length;
    if (sinceBreak < SLICE) continue;
    sinceBreak = 0;
    await setImmediate();
  }
  return redacted;
}

function newest(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted((a, b) =>
    (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
  )[0];
}

/** Name of the pod whose log is that of the job: the active pod, or else the newest. */
export async function findLogPod(
  kube: KubeClient,
  { metadata: { namespace, name }, status }: ZipJob,
  signal: AbortSignal,
): Promise<string | undefined> {
  const labelSelector = `batch.kubernetes.io/job-name=${name}`;
  const pods = await createUserClient(kube, RESOURCES.pods).list({ namespace, labelSelector, signal });
  const activePod = pods.find(({ metadata }) => metadata.name === status?.job?.podName);
  return (activePod ?? newest(pods))?.metadata.name;
}

export function noLog(zipJob: ZipJob): AdministrationError {
  return new AdministrationError(`No logs for job "${zipJob.metadata.name}": ${whyNoPod(zipJob)}`, {
    code: 'NotFound',
  });
}

interface PodLog {
  readonly namespace: string;
  readonly pod: string;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly signal: AbortSignal;
}

export function openPodLog(kube: KubeClient, { namespace, pod, query, signal }: PodLog): Promise<Readable> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  return kube.stream({ method: 'GET', path, query: { container: ZIPPER_CONTAINER, ...query }, signal });
}

/** Says which permission a failed read of the log needs. */
export function explainLogError(zipJob: ZipJob, pod: string, error: unknown) {
  const { namespace } = zipJob.metadata;
  return explainKubeError({ verb: 'get', resource: 'pods/log', namespace, name: pod }, error);
}

/** The last lines that fit into the bytes: Kubernetes counts lines from the end of a log, but cuts bytes at its end. */
async function readEnd(
  kube: KubeClient,
  { lines, ...at }: { readonly namespace: string; readonly pod: string } & LogOptions,
): Promise<string> {
  const query = { tailLines: lines, limitBytes: MAX_BYTES };
  const text = await readText(await openPodLog(kube, { ...at, query }));
  const isCut = Buffer.byteLength(text) >= MAX_BYTES && lines > 1;
  return isCut ? readEnd(kube, { ...at, lines: Math.ceil(lines / FEWER) }) : text;
}

/** The last log lines of a job's zipper: from its active pod, or else from the newest. @throws AdministrationError NotFound */
export async function readJobLog(
  kube: KubeClient,
  zipJob: ZipJob,
  { lines, signal }: LogOptions,
): Promise<JobLog> {
  const { namespace } = zipJob.metadata;
  const pod = await findLogPod(kube, zipJob, signal);
  if (pod === undefined) throw noLog(zipJob);
  try {
    const log = await readEnd(kube, { namespace, pod, lines, signal });
    return { pod, lines: await redactLines(log.replace(/\n$/, '').split('\n')) };
  } catch (error) {
    throw explainLogError(zipJob, pod, error);
  }
}
