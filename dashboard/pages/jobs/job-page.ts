import { AdministrationError } from '#administration/administration-error.ts';
import type { Jobs } from '#administration/jobs.ts';
import { createUserClient } from '#administration/user-client.ts';
import { bucketSecretName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import { locateStore, StoreLocationError } from '#runtime/store/store-location.ts';
import { FORMAT } from '../../format.ts';
import { type GoTo, PageError, type PageRequest, type Route } from '../../page.ts';
import type { Question } from '../../user/access.ts';
import { SECTION_LABELS } from '../../words.ts';
import type { PageDeps } from '../page-deps.ts';
import { findJob, readJob } from './find-job.ts';
import { actionsOf, CHANGE_JOB, CREATE_JOB } from './job-actions.ts';
import { rerunAdvice } from './job-failure.ts';
import { createLogOf } from './job-log.ts';
import { jobView } from './job-view.ts';
import { LIST_JOBS } from './list-jobs-right.ts';
import { NO_RERUNS, type Reruns, rerunsOf } from './reruns.ts';
import { signedDownload } from './signed-download.ts';
import { createStoredSources } from './stored-sources.ts';

const PATH = '/projects/:project/jobs/:job';
/** The controller usually needs less; a later delivery appears on the live page. */
const REPLAY_LIMIT_MS = 5_000;

const pathOf = ({ metadata: { namespace, name } }: ZipJob): string =>
  FORMAT.path('projects', namespace, 'jobs', name);

/** Of a user who is not allowed to list jobs, none. */
const readReruns = async (deps: PageDeps, { user, namespace }: PageRequest, job: ZipJob): Promise<Reruns> => {
  const reruns = rerunsOf(deps.caches.zipJobs, job.metadata);
  if (reruns.rows.length === 0) return NO_RERUNS;
  const verdicts = await Promise.all(LIST_JOBS.map((question) => user.may(namespace, question)));
  return verdicts.every(({ allowed }) => allowed) ? reruns : NO_RERUNS;
};

const createJobData = (deps: PageDeps) => {
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
    const view = jobView(zipJob, { samples, now: request.now, sources });
    const { runAgainOf } = view.job;
    return {
      ...view,
      isLive: view.isLive && !isArchived,
      isArchived,
      actions: await actionsOf(found, request.user, rerunAdvice(view.job, reruns)),
      sourcesReason,
      reruns,
      origin: runAgainOf && {
        name: runAgainOf,
        href: FORMAT.path('projects', namespace, 'jobs', runAgainOf),
      },
      path: pathOf(zipJob),
      live: FORMAT.path('projects', namespace, 'live', 'jobs', name),
      zipJob,
    };
  };
};

/** `48448.zip` of the key `exports/2026/48448.zip`. */
const nameOfKey = (key: string): string => key.split('/').findLast((part) => part !== '') ?? key;

/** Errors caused by the state of the job appear on its page; all others become an error page. */
const showRefusal = (error: unknown, to: string): GoTo => {
  const codes = ['Refused', 'TimedOut', 'AlreadyExists', 'Conflict'];
  if (error instanceof AdministrationError && codes.includes(error.code))
    return { kind: 'go', to, flash: { kind: 'failed', text: error.message } };
  throw error;
};

type Change = (jobs: Jobs, name: string, signal: AbortSignal) => Promise<{ to?: string; text: string }>;

const cancel: Change = async (jobs, name) => {
  await jobs.cancel(name);
  return { text: 'Cancelling; removing the partial upload' };
};

const runAgain: Change = async (jobs, name) => {
  const again = await jobs.runAgain(name);
  return {
    to: FORMAT.path('projects', again.project, 'jobs', again.name),
    text: `New job created with the files of ${name}`,
  };
};

const replayWebhook: Change = async (jobs, name, signal) => {
  const { webhook } = await jobs.replayWebhook(name, { limitMs: REPLAY_LIMIT_MS, signal });
  return {
    text:
      webhook?.state === 'Delivered'
        ? 'Webhook delivered'
        : 'Webhook sent, but the receiver did not accept it. See the deliveries below.',
  };
};

const changeRoute = ({
  verb,
  needs,
  change,
}: {
  readonly verb: string;
  readonly needs: Question;
  readonly change: Change;
}): Route => ({
  method: 'POST',
  path: `${PATH}/${verb}`,
  needs: [needs],
  handle: async (request) => {
    const job = await readJob(request);
    const { user, namespace, signal } = request;
    const jobs = user.administration.jobs(namespace, { namesOnly: true });
    try {
      const { to = pathOf(job), text } = await change(jobs, job.metadata.name, signal);
      return { kind: 'go', to, flash: { kind: 'done', text } };
    } catch (error) {
      return showRefusal(error, pathOf(job));
    }
  },
});

const missing = (what: string): PageError => new PageError(409, 'Not possible', what);
const credentialsGone = (bucket: string): PageError =>
  missing(`The bucket ${bucket} or its credentials no longer exist, so you cannot download the archive.`);

/** Reads the bucket of a job and checks its store by the rules of the zipper, so that no credentials sign for another one. */
const readStore = async ({ config }: PageDeps, { user, namespace, signal }: PageRequest, name: string) => {
  const bucket = await createUserClient(user.kube, RESOURCES.zipBuckets).get(namespace, name, signal);
  if (bucket === undefined) throw credentialsGone(name);
  const { bucketName, credentials, ...place } = bucket.spec;
  if (credentials)
    throw missing(
      `The bucket ${name} uses a role and has no stored credentials that could sign a link. Download the archive at your provider.`,
    );
  try {
    return { bucketName, store: locateStore({ name: bucketName, ...place }, toStoreRules(config)) };
  } catch (error) {
    throw error instanceof StoreLocationError
      ? missing(`The bucket ${name} has invalid settings: ${error.message}.`)
      : error;
  }
};

/** Redirects to a presigned URL, which is not stored and is signed with credentials that the user may read. */
const download = async (deps: PageDeps, request: PageRequest): Promise<GoTo> => {
  const { zipJob: job } = await findJob(deps, request);
  const { user, namespace, signal } = request;
  if (job.status?.phase !== 'Succeeded') throw missing('This job has no archive.');
  const { name } = job.spec.bucketRef;
  const archive = await readStore(deps, request, name);
  const secretName = bucketSecretName(name);
  const secret = await createUserClient(user.kube, RESOURCES.secrets).get(namespace, secretName, signal);
  if (secret === undefined) throw credentialsGone(name);
  const valueOf = (key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  const to = await signedDownload({
    ...archive,
    key: job.spec.key,
    credentials: {
      accessKeyId: valueOf(BUCKET_SECRET_KEYS.accessKeyId),
      secretAccessKey: valueOf(BUCKET_SECRET_KEYS.secretAccessKey),
      // Empty without one.
      sessionToken: valueOf(BUCKET_SECRET_KEYS.sessionToken),
    },
  });
  return { kind: 'go', to };
};

/** The page of one job and its actions. Read live with the token of the user. */
export const createJobPage = (deps: PageDeps): readonly Route[] => {
  const jobData = createJobData(deps);
  const logOf = createLogOf(deps);
  return [
    {
      method: 'GET',
      path: PATH,
      handle: async (request) => {
        const { zipJob, ...data } = await jobData(request);
        const title = `${data.phase} · ${nameOfKey(data.job.key)}`;
        const trail = [
          { label: SECTION_LABELS.jobs, href: FORMAT.path('projects', request.namespace, 'jobs') },
        ];
        // The pod of an archived job is gone.
        const log = data.isArchived ? undefined : await logOf(request, zipJob);
        return {
          kind: 'page',
          view: '/pages/jobs/job',
          title,
          trail,
          section: 'jobs',
          data: { ...data, log },
        };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/jobs/:job',
      handle: async (request) => ({
        kind: 'fragment',
        view: '/pages/jobs/job-state',
        data: await jobData(request),
      }),
    },
    changeRoute({ verb: 'cancel', needs: CHANGE_JOB, change: cancel }),
    changeRoute({ verb: 'run-again', needs: CREATE_JOB, change: runAgain }),
    changeRoute({ verb: 'replay-webhook', needs: CHANGE_JOB, change: replayWebhook }),
    { method: 'GET', path: `${PATH}/download`, handle: (request) => download(deps, request) },
  ];
};
