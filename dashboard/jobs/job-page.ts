import { AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import type { Jobs, JobsOptions } from '#administration/jobs/jobs.ts';
import { zipJobAgain } from '#administration/jobs/run-again.ts';
import { resendFailure } from '#administration/webhooks/resend-failure.ts';
import { DEFAULT_ENDPOINT, findEndpoint } from '#crds/webhook-endpoints.ts';
import { isFinished, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { hashedUuid } from '#runtime/crypto/hashed-uuid.ts';
import type { Flash, GoTo, PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { linksOfJob } from '../ui/external-links.ts';
import { formIdIn } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import type { Question } from '../user/access.ts';
import { createUserPlaces, withPlace } from '../user/user-places.ts';
import { download, downloadObstacle } from './download.ts';
import { findJob, readJob } from './find-job.ts';
import { actionsOf, CHANGE_JOB, CREATE_JOB, endpointsToResend } from './job-actions.ts';
import { jobDetails } from './job-details.ts';
import { rerunAdvice } from './job-failure.ts';
import { createLogOf, downloadLog, logObstacle, READ_LOG } from './job-log.ts';
import { LIST_JOBS } from './list-jobs-right.ts';
import { NO_RERUNS, type Reruns, rerunsOf } from './reruns.ts';
import { createStoredSources } from './stored-sources.ts';

const PATH = '/projects/:project/jobs/:job';
/** The controller usually needs less; a later delivery appears on the live page. */
const REPLAY_LIMIT_MS = 5_000;

function pathOf({ metadata: { namespace, name } }: ZipJob): string {
  return FORMAT.path('projects', namespace, 'jobs', name);
}

/** Of a user who is not allowed to list jobs, none. */
async function readReruns(deps: PageDeps, { user, namespace }: PageRequest, job: ZipJob): Promise<Reruns> {
  const reruns = rerunsOf(deps.caches.zipJobs, job.metadata);
  if (reruns.rows.length === 0) return NO_RERUNS;
  const verdicts = await Promise.all(LIST_JOBS.map((question) => user.may(namespace, question)));
  return verdicts.every(({ allowed }) => allowed) ? reruns : NO_RERUNS;
}

/** `48448.zip` of the key `exports/2026/48448.zip`. */
function nameOfKey(key: string): string {
  return key.split('/').findLast((part) => part !== '') ?? key;
}

function createJobData(deps: PageDeps) {
  const storedSources = createStoredSources(deps);
  return async (request: PageRequest) => {
    const found = await findJob(deps, request);
    const { zipJob, isArchived } = found;
    const { namespace, name } = zipJob.metadata;
    const samples = deps.jobs.samples.of(`${namespace}/${name}`);
    const [{ sources, reason: sourcesReason }, reruns] = await Promise.all([
      storedSources(request, found),
      readReruns(deps, request, zipJob),
    ]);
    const view = jobDetails(zipJob, { samples, now: request.now, sources, isArchived });
    const { runAgainOf } = view.job;
    return {
      ...view,
      title: `${view.phase} · ${nameOfKey(view.job.key)}`,
      isLive: view.isLive && !isArchived,
      isArchived,
      actions: await actionsOf(found, request.user, {
        rerun: rerunAdvice(view.job, reruns),
        downloadObstacle: () => downloadObstacle(deps, request, zipJob),
      }),
      sourcesReason,
      reruns,
      origin: runAgainOf && {
        name: runAgainOf,
        href: FORMAT.path('projects', namespace, 'jobs', runAgainOf),
      },
      links: linksOfJob(deps.links, { namespace, name, pod: zipJob.status?.job?.podName }),
      path: pathOf(zipJob),
      live: FORMAT.path('projects', namespace, 'live', 'jobs', name),
      zipJob,
    };
  };
}

/** What the part of the page with the log needs of the job. */
function logPart(zipJob: ZipJob) {
  const { namespace, name } = zipJob.metadata;
  return {
    path: pathOf(zipJob),
    liveLog: FORMAT.path('projects', namespace, 'live', 'jobs', name, 'log'),
    isOver: isFinished(zipJob),
  };
}

/** Errors caused by the state of the job appear on its page; all others become an error page. */
function showRefusal(error: unknown, to: string): GoTo {
  const codes = ['Refused', 'TimedOut', 'AlreadyExists', 'Conflict'];
  if (error instanceof AdministrationError && codes.includes(error.code))
    return { kind: 'go', to, flash: { kind: 'failed', text: error.message } };
  throw error;
}

interface Changed extends Flash {
  /** Default: the page of the job. */
  readonly to?: string;
}

type Change = (request: PageRequest, job: ZipJob) => Promise<Changed>;

function jobsOf({ user, namespace }: PageRequest, options: Pick<JobsOptions, 'newUuid'> = {}): Jobs {
  return user.administration.jobs(namespace, { namesOnly: true, ...options });
}

const cancel: Change = async (request, { metadata }) => {
  await jobsOf(request).cancel(metadata.name);
  return { kind: 'done', text: 'Cancellation requested. Any partial upload is removed.' };
};

const runAgain: Change = async (request, job) => {
  const { name } = job.metadata;
  const uuid = hashedUuid('zipjobs rerun', formIdIn(request.form), name);
  const to = pathOf(zipJobAgain(job, uuid));
  try {
    await jobsOf(request, { newUuid: () => uuid }).runAgain(name);
    return { kind: 'done', to, text: `New job created with the files of ${name}` };
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    return { kind: 'done', to, text: 'This form was sent before and has created the new job.' };
  }
};

/** To one endpoint it waits for the response. */
const replayWebhook: Change = async (request, job) => {
  const { name } = job.metadata;
  const jobs = jobsOf(request);
  const [endpoint = DEFAULT_ENDPOINT, ...more] = endpointsToResend(job);
  if (more.length > 0) {
    const all = [endpoint, ...more];
    await Promise.all(all.map((one) => jobs.beginReplayWebhook(name, request.signal, one)));
    const text = `Resend requested for these endpoints: ${all.join(', ')}. See the deliveries below.`;
    return { kind: 'done', text };
  }
  const { webhook } = await jobs.replayWebhook(name, { limitMs: REPLAY_LIMIT_MS }, endpoint);
  const delivery = findEndpoint<WebhookState>(webhook ?? undefined, endpoint);
  return delivery?.state === 'Delivered'
    ? { kind: 'done', text: 'Webhook delivered' }
    : { kind: 'failed', text: `Webhook ${resendFailure(delivery)}` };
};

function changeRoute({
  verb,
  needs,
  change,
}: {
  readonly verb: string;
  readonly needs: Question;
  readonly change: Change;
}): Route {
  return {
    method: 'POST',
    path: `${PATH}/${verb}`,
    needs: [needs],
    handle: async (request) => {
      const job = await readJob(request);
      try {
        const { to = pathOf(job), ...flash } = await change(request, job);
        return { kind: 'go', to, flash };
      } catch (error) {
        return showRefusal(error, pathOf(job));
      }
    },
  };
}

/** The log as a part of the page, and as a file. */
function logRoutes(deps: PageDeps, logOf: ReturnType<typeof createLogOf>): readonly Route[] {
  const { metrics, config } = deps;
  const places = config.dashboardExportsInFlight;
  const takePlace = createUserPlaces({ limit: 'exports', places, retryAfterSeconds: 5, metrics });
  return [
    {
      method: 'GET',
      path: '/projects/:project/live/jobs/:job/log',
      handle: async (request) => {
        const zipJob = await readJob(request);
        const log = await logOf(request, zipJob);
        return { kind: 'fragment', view: '/jobs/job-log', data: { ...logPart(zipJob), log, logReason: '' } };
      },
    },
    withPlace(takePlace)({
      method: 'GET',
      path: `${PATH}/log/download`,
      needs: READ_LOG,
      handle: async (request) => downloadLog(request, await readJob(request)),
    }),
  ];
}

/** The page of one job and its actions. Read live with the token of the user. */
export function createJobPage(deps: PageDeps): readonly Route[] {
  const jobData = createJobData(deps);
  const logOf = createLogOf(deps);
  return [
    {
      method: 'GET',
      path: PATH,
      handle: async (request) => {
        const { zipJob, ...data } = await jobData(request);
        const trail = [
          { label: SECTION_LABELS.jobs, href: FORMAT.path('projects', request.namespace, 'jobs') },
        ];
        // The pod of an archived job is gone.
        const log = data.isArchived ? undefined : await logOf(request, zipJob);
        const logReason = data.isArchived || log !== undefined ? '' : await logObstacle(request);
        return {
          kind: 'page',
          view: '/jobs/job',
          title: data.title,
          trail,
          section: 'jobs',
          data: { ...data, ...logPart(zipJob), log, logReason },
        };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/jobs/:job',
      handle: async (request) => ({
        kind: 'fragment',
        view: '/jobs/job-state',
        data: await jobData(request),
      }),
    },
    ...logRoutes(deps, logOf),
    changeRoute({ verb: 'cancel', needs: CHANGE_JOB, change: cancel }),
    changeRoute({ verb: 'run-again', needs: CREATE_JOB, change: runAgain }),
    changeRoute({ verb: 'replay-webhook', needs: CHANGE_JOB, change: replayWebhook }),
    { method: 'GET', path: `${PATH}/download`, handle: (request) => download(deps, request) },
  ];
}
