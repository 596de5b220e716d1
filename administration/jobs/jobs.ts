import { randomUUID } from 'node:crypto';
import { ANNOTATIONS, zipJobName } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT, endpointAnnotation, endpointsOf, findEndpoint } from '#crds/webhook-endpoints.ts';
import { isFinished, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { runCommand, sendCommand } from '../changes/controller-command.ts';
import { type WaitOptions, waitOrTimeOut } from '../changes/wait-for.ts';
import { AdministrationError, hasCode, invalidInput } from '../errors/administration-error.ts';
import { explainKubeError } from '../errors/explain-kube-error.ts';
import { followJobLog } from './follow-job-log.ts';
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

/** The jobs of one project. Jobs are looked up by ID, its first characters, `@latest`, or the name of the ZipJob. */
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
  /**
   * Resends the event of a finished job to an endpoint, and waits for the response. Default: the default endpoint.
   * @throws AdministrationError NotFound, Refused, TimedOut
   */
  replayWebhook(job: string, wait: WaitOptions, endpoint?: string): Promise<Job>;
  /** Requests a resend without waiting for the response. @throws AdministrationError NotFound, Refused */
  beginReplayWebhook(job: string, signal: AbortSignal, endpoint?: string): Promise<void>;
  /**
   * Waits until the job finishes; reports each change. A job that was just created is not looked up before the wait, so that no
   * failed read loses it.
   * @throws AdministrationError NotFound, TimedOut with the last status
   */
  untilEnded(job: string | Job, wait: WaitOptions, onChange: (job: Job) => void): Promise<Job>;
  /** @throws AdministrationError NotFound, Forbidden */
  log(job: string, options: LogOptions): Promise<JobLog>;
  /** The same lines and those that follow, until the job is finished. Waits for the first pod. @throws AdministrationError */
  followLog(job: string, options: LogOptions): AsyncIterable<string>;
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

/** The metadata of a ZipJob. */
interface Listed {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listedOf(item: unknown): Listed {
  const metadata = isRecord(item) && isRecord(item['metadata']) ? item['metadata'] : {};
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    createdAt: textOf(metadata['creationTimestamp']),
  };
}

/** Reads page by page, and only metadata, because the jobs of a project may have hundreds of MiB. */
async function* listAll({ kube }: JobsOptions, namespace: string): AsyncGenerator<Listed, void, undefined> {
  const pages = listPages(kube, RESOURCES.zipJobs, { namespace, pageSize: PAGE_SIZE, metadataOnly: true });
  for await (const { items } of pages) yield* items.map(listedOf);
}

/** Finds the name of a job among all; undefined if there is none. */
type Search = (jobs: AsyncIterable<Listed>) => Promise<string | undefined>;

/** A job that the API did not create has the uid of its object as ID. */
function byUid(uid: string): Search {
  return async (jobs) => {
    for await (const job of jobs) if (job.uid === uid && uuidOfName(job.name) === undefined) return job.name;
    return undefined;
  };
}

const LATEST = '@latest';

const byLatest: Search = async (jobs) => {
  let latest: Listed | undefined;
  for await (const job of jobs) if (latest === undefined || job.createdAt > latest.createdAt) latest = job;
  return latest?.name;
};

/** The first characters of a UUID. The dashboard shows eight. */
const SHORT_ID = /^(?:zip-)?([0-9a-f]{4,8}|[0-9a-f]{8}-[0-9a-f-]{0,26})$/;

function byShortId(start: string): Search {
  return async (jobs) => {
    const names: string[] = [];
    for await (const { name, uid } of jobs) if ((uuidOfName(name) ?? uid).startsWith(start)) names.push(name);
    if (names.length > 1)
      throw invalidInput('job', `The IDs of ${names.length} jobs start with "${start}". Use more characters`);
    return names[0];
  };
}

function searchOf(job: string): Search | undefined {
  if (isUuid(job)) return byUid(job);
  if (job === LATEST) return byLatest;
  const [, start] = SHORT_ID.exec(job) ?? [];
  return start === undefined ? undefined : byShortId(start);
}

/** Without permission to list, only the name of a job works. */
async function searched(
  options: JobsOptions,
  namespace: string,
  search: Search,
): Promise<ZipJob | undefined> {
  try {
    const name = await search(listAll(options, namespace));
    return name === undefined ? undefined : await options.zipJobs.get(namespace, name);
  } catch (thrown) {
    const error = explainKubeError({ verb: 'list', resource: 'zipjobs.zipjobs.dev', namespace }, thrown);
    if (hasCode(error, 'Forbidden')) return undefined;
    throw error;
  }
}

async function found(options: JobsOptions, namespace: string, given: string): Promise<ZipJob> {
  // Names of objects have no upper case, and an ID may come from a program that prints it so.
  const job = given.toLowerCase();
  const search = options.namesOnly === true ? undefined : searchOf(job);
  const name = search && isUuid(job) ? zipJobName(job) : job;
  const zipJob =
    (job === LATEST ? undefined : await options.zipJobs.get(namespace, name)) ??
    (search && (await searched(options, namespace, search)));
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

function checkCanReplayWebhook(job: ZipJob, endpoint = DEFAULT_ENDPOINT): void {
  const { name } = job.metadata;
  if (!isFinished(job)) throw refused(`Cannot resend the webhook of job "${name}": the job is not finished`);
  const known = endpointsOf<WebhookState>(job.status?.webhook)
    .filter(({ state }) => state !== 'NotConfigured')
    .map((one) => one.name);
  if (known.includes(endpoint)) return;
  throw refused(
    known.length === 0
      ? `Cannot resend the webhook of job "${name}": its project had no webhook for this event when the job was created`
      : `Cannot resend the webhook of job "${name}" to endpoint "${endpoint}", which does not receive this event. Choose one that does: ${known.join(', ')}`,
  );
}

function replayCommand({ metadata: { namespace, name } }: ZipJob, endpoint = DEFAULT_ENDPOINT) {
  return {
    target: { namespace, name },
    annotation: endpointAnnotation(ANNOTATIONS.replayWebhook, endpoint),
  };
}

async function replayWebhook(
  options: JobsOptions,
  job: ZipJob,
  { endpoint = DEFAULT_ENDPOINT, ...wait }: WaitOptions & { readonly endpoint?: string | undefined },
): Promise<Job> {
  checkCanReplayWebhook(job, endpoint);
  const command = {
    ...replayCommand(job, endpoint),
    what: `Webhook delivery of job "${job.metadata.name}"`,
    isAcknowledged: ({ status }: ZipJob, nonce: string) => {
      const delivery = findEndpoint<WebhookState>(status?.webhook, endpoint);
      return (
        delivery?.replayNonce === nonce && (delivery.state !== 'Pending' || (delivery.attempts ?? 0) > 0)
      );
    },
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
    return `Job "${name}" is not finished after ${seconds} s: ${phase}${why === '' ? '' : ` (${why})`}. Wait longer (--timeout), or see its details: zipjobs job show ${name} -n ${namespace}`;
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
    replayWebhook: async (job, wait, endpoint) =>
      replayWebhook(options, await find(job), { ...wait, endpoint }),
    beginReplayWebhook: async (job, signal, endpoint) => {
      const zipJob = await find(job);
      checkCanReplayWebhook(zipJob, endpoint);
      await sendCommand(options.zipJobs, replayCommand(zipJob, endpoint), { signal });
    },
    untilEnded: async (job, wait, onChange) => {
      if (typeof job !== 'string')
        return untilEnded(options, { namespace, name: job.name }, { ...wait, onChange });
      const first = await find(job);
      return untilEnded(options, { namespace, name: first.metadata.name, first }, { ...wait, onChange });
    },
    log: async (job, log) => readJobLog(options.kube, await find(job), log),
    followLog: (job, log) =>
      followJobLog(options.kube, { ...log, clock: options.clock, read: () => find(job) }),
  };
}
