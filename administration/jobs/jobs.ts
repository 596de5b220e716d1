import { randomUUID } from 'node:crypto';
import { ANNOTATIONS, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { runCommand, sendCommand } from '../changes/controller-command.ts';
import { type WaitOptions, waitOrTimeOut } from '../changes/wait-for.ts';
import { AdministrationError, hasCode } from '../errors/administration-error.ts';
import { explainKubeError } from '../errors/explain-kube-error.ts';
import { type Job, toJob } from './job-view.ts';
import { type JobList, type JobQuery, listJobs } from './list-jobs.ts';
import { type JobLog, type LogOptions, readJobLog } from './read-job-log.ts';
import { checkCanRunAgain, zipJobAgain } from './run-again.ts';

/** Of metadata. */
const PAGE_SIZE = 500;

export interface JobsOptions {
  readonly kube: KubeClient;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'get' | 'create' | 'mergePatch'>;
  readonly clock: Clock;
  readonly newUuid?: () => string;
  /** Jobs are looked up by the name of the ZipJob only. The lookup of an ID may list the project. */
  readonly namesOnly?: true;
}

/** The jobs of one project. Jobs are looked up by ID or by the name of the ZipJob. */
export interface Jobs {
  /** Reads from the API server; without a namespace in the query, lists the jobs of every project. */
  list(query: JobQuery, signal: AbortSignal): Promise<JobList>;
  /** @throws AdministrationError NotFound */
  show(job: string): Promise<Job>;
  /** Requests the cancellation, which cannot be undone. @throws AdministrationError NotFound, Refused if it is finished */
  cancel(job: string): Promise<Job>;
  /**
   * Creates a new job from a finished one.
   * @throws AdministrationError NotFound; Refused if it is not finished, or its file list was deleted
   */
  runAgain(job: string): Promise<Job>;
  /** Resends the event of a finished job and waits for the response. @throws AdministrationError NotFound, Refused, TimedOut */
  replayWebhook(job: string, wait: WaitOptions): Promise<Job>;
  /** Requests a resend without waiting for the response. @throws AdministrationError NotFound, Refused */
  beginReplayWebhook(job: string, signal: AbortSignal): Promise<void>;
  /**
   * Waits until the job finishes; reports each change. A job that was just created is not looked up before the wait, so that no
   * failed read loses it.
   * @throws AdministrationError NotFound, TimedOut with the last status
   */
  untilEnded(job: string | Job, wait: WaitOptions, onChange: (job: Job) => void): Promise<Job>;
  /** @throws AdministrationError NotFound, Forbidden */
  log(job: string, options: LogOptions): Promise<JobLog>;
}

function noJob(namespace: string, job: string): AdministrationError {
  return new AdministrationError(`Job "${job}" not found in project "${namespace}". It may have expired`, {
    code: 'NotFound',
    commandHint: 'If it belongs to another project, set its namespace with -n',
  });
}

function refused(message: string): AdministrationError {
  return new AdministrationError(message, { code: 'Refused' });
}

/** The name of the ZipJob with this uid, unless it has another ID. */
function nameByUid(items: readonly unknown[], uid: string): string | undefined {
  return items
    .map((item) => (isRecord(item) && isRecord(item['metadata']) ? item['metadata'] : {}))
    .filter((metadata) => metadata['uid'] === uid)
    .map(({ name }) => (typeof name === 'string' ? name : ''))
    .find((name) => uuidOfName(name) === undefined);
}

/**
 * Finds a job that the API did not create: its id is the uid of its object. Reads page by page, and only metadata, because the jobs
 * of a project may have hundreds of MiB. Without permission to list, only its name works.
 */
async function byUid(
  { kube, zipJobs }: JobsOptions,
  namespace: string,
  uid: string,
): Promise<ZipJob | undefined> {
  const pages = listPages(kube, RESOURCES.zipJobs, { namespace, pageSize: PAGE_SIZE, metadataOnly: true });
  try {
    for await (const { items } of pages) {
      const name = nameByUid(items, uid);
      if (name !== undefined) return await zipJobs.get(namespace, name);
    }
    return undefined;
  } catch (thrown) {
    const error = explainKubeError({ verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace }, thrown);
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
}

async function found(options: JobsOptions, namespace: string, given: string): Promise<ZipJob> {
  // Names of objects have no upper case, and an ID may come from a program that prints it so.
  const job = given.toLowerCase();
  const isId = isUuid(job) && options.namesOnly !== true;
  const zipJob =
    (await options.zipJobs.get(namespace, isId ? zipJobName(job) : job)) ??
    (isId ? await byUid(options, namespace, job) : undefined);
  if (!zipJob) throw noJob(namespace, given);
  return zipJob;
}

async function cancel({ zipJobs }: JobsOptions, job: ZipJob): Promise<Job> {
  const { namespace, name } = job.metadata;
  if (isFinished(job))
    throw refused(`Cannot cancel job "${name}": it is already finished (${job.status?.phase})`);
  return toJob(await zipJobs.mergePatch({ namespace, name }, { spec: { cancel: true } }));
}

async function runAgain(options: JobsOptions, first: ZipJob): Promise<Job> {
  checkCanRunAgain(first);
  const again = zipJobAgain(first, (options.newUuid ?? randomUUID)());
  const created = await options.zipJobs.create(again);
  if (created) return toJob(created);
  throw new AdministrationError(`Job "${again.metadata.name}" already exists. Try again`, {
    code: 'AlreadyExists',
  });
}

function checkCanReplayWebhook(job: ZipJob): void {
  const { name } = job.metadata;
  if (!isFinished(job)) throw refused(`Cannot resend the webhook of job "${name}": the job is not finished`);
  const { state = 'NotConfigured' } = job.status?.webhook ?? {};
  if (state === 'NotConfigured')
    throw refused(
      `Cannot resend the webhook of job "${name}": its project had no webhook for this event when the job was created`,
    );
}

function replayCommand({ metadata: { namespace, name } }: ZipJob) {
  return {
    target: { namespace, name },
    annotation: ANNOTATIONS.replayWebhook,
  };
}

async function replayWebhook(options: JobsOptions, job: ZipJob, wait: WaitOptions): Promise<Job> {
  checkCanReplayWebhook(job);
  const command = {
    ...replayCommand(job),
    what: `Webhook delivery of job "${job.metadata.name}"`,
    isAcknowledged: ({ status }: ZipJob, nonce: string) =>
      status?.webhook?.replayNonce === nonce &&
      (status.webhook.state !== 'Pending' || (status.webhook.attempts ?? 0) > 0),
  };
  return toJob(await runCommand(options.zipJobs, command, { ...wait, clock: options.clock }));
}

async function untilEnded(
  options: JobsOptions,
  { namespace, name, first }: { readonly namespace: string; readonly name: string; readonly first?: ZipJob },
  wait: WaitOptions & { readonly onChange: (job: Job) => void },
): Promise<Job> {
  let last = first;
  if (first) wait.onChange(toJob(first));
  async function ask(signal: AbortSignal): Promise<Job | undefined> {
    const job = await options.zipJobs.get(namespace, name, signal);
    if (!job) throw noJob(namespace, name);
    if (job.metadata.resourceVersion !== last?.metadata.resourceVersion) wait.onChange(toJob(job));
    last = job;
    return isFinished(job) ? toJob(job) : undefined;
  }
  return waitOrTimeOut({ ...wait, clock: options.clock }, ask, () => {
    const { phase = 'Queued', reason, message } = last?.status ?? {};
    const why = [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
    const seconds = Math.round(wait.limitMs / 1000);
    return `Job "${name}" is not finished after ${seconds} s: ${phase}${why === '' ? '' : ` (${why})`}. Wait longer (--timeout), or see its details: zipjobs job get ${name} -n ${namespace}`;
  });
}

export function createJobs(options: JobsOptions, namespace: string): Jobs {
  function find(job: string): Promise<ZipJob> {
    return found(options, namespace, job);
  }
  return {
    list: (query, signal) => listJobs(options.kube, query, signal),
    show: async (job) => toJob(await find(job)),
    cancel: async (job) => cancel(options, await find(job)),
    runAgain: async (job) => runAgain(options, await find(job)),
    replayWebhook: async (job, wait) => replayWebhook(options, await find(job), wait),
    beginReplayWebhook: async (job, signal) => {
      const zipJob = await find(job);
      checkCanReplayWebhook(zipJob);
      await sendCommand(options.zipJobs, replayCommand(zipJob), { signal });
    },
    untilEnded: async (job, wait, onChange) => {
      if (typeof job !== 'string')
        return untilEnded(options, { namespace, name: job.name }, { ...wait, onChange });
      const first = await find(job);
      return untilEnded(options, { namespace, name: first.metadata.name, first }, { ...wait, onChange });
    },
    log: async (job, log) => readJobLog(options.kube, await find(job), log),
  };
}
