import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { isFinished, type Phase } from '#crds/zip-job.ts';
import type { PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { TOKEN_RIGHTS } from '../tokens/token-rights.ts';
import { FORMAT } from '../ui/format.ts';
import { type Look, PHASE_LOOKS } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';

type StepName = 'project' | 'bucket' | 'archive' | 'token' | 'request';

/** One step of the guide, as the project is now. */
export interface Step {
  readonly name: StepName;
  readonly label: string;
  readonly isDone: boolean;
  readonly look: Look;
  readonly state: string;
  readonly text: string;
  readonly link?: { readonly label: string; readonly href: string };
}

export interface Steps {
  readonly steps: readonly Step[];
  /** Nothing changes any more that the user can see. */
  readonly isQuiet: boolean;
  /** The first step that the user can see and that is not done; undefined when all are. */
  readonly current: StepName | undefined;
}

const DONE = { isDone: true, look: 'good', state: 'Done' } as const;
const TO_DO = { isDone: false, look: 'quiet', state: 'To do' } as const;
const UNKNOWN = { isDone: false, look: 'quiet', state: 'Unknown' } as const;

function bucketStep(buckets: readonly Bucket[] | undefined): Step {
  const step = { name: 'bucket', label: 'Add a bucket' } as const;
  if (buckets === undefined) return { ...step, ...UNKNOWN, text: 'You cannot see the buckets.' };
  const usable = buckets.filter(({ deletingSince }) => deletingSince === null);
  const ready = usable.find(({ lastTest }) => lastTest?.ok === true);
  if (ready) return { ...step, ...DONE, text: `${ready.bucketName} works.` };
  if (usable.some(({ testPending }) => testPending))
    return { ...step, isDone: false, look: 'going', state: 'Testing', text: 'The bucket is being tested.' };
  if (usable.length === 0) return { ...step, ...TO_DO, text: 'The project has no bucket.' };
  return usable.every(({ lastTest }) => lastTest === null)
    ? { ...step, ...TO_DO, text: 'No bucket has been tested.' }
    : { ...step, isDone: false, look: 'bad', state: 'Failed', text: 'The test of every bucket failed.' };
}

const STATE_TEXTS: Readonly<Record<Phase, string>> = {
  Queued: 'Waiting for a slot.',
  Starting: 'Starting the pod.',
  Running: 'Writing the archive.',
  Finalizing: 'Cleaning up.',
  Succeeded: 'The archive is in the bucket.',
  Failed: 'The archive was not created.',
  Cancelled: 'The job was cancelled.',
};

function jobLink({ metadata: { namespace, name } }: ListedJob): Step['link'] & object {
  return {
    label: 'Job and download',
    href: FORMAT.path('projects', namespace, 'jobs', name),
  };
}

/** The newest job of each kind. */
interface NewestJobs {
  readonly test: ListedJob | undefined;
  readonly other: ListedJob | undefined;
}

/** Reads only these two jobs: the first name that differs from those of the test archives is the newest other job. */
function newestJobs(
  { caches: { zipJobs }, jobs: { order, testOrder } }: Pick<PageDeps, 'caches' | 'jobs'>,
  namespace: string,
): NewestJobs {
  function jobOf(name: string | undefined): ListedJob | undefined {
    return name === undefined ? undefined : zipJobs.get(`${namespace}/${name}`);
  }
  const tests = testOrder.newestFirst(namespace);
  let other: string | undefined;
  for (const name of order.newestFirst(namespace))
    if (name !== tests.next().value) {
      other = name;
      break;
    }
  return { test: jobOf(testOrder.newest(namespace)?.name), other: jobOf(other) };
}

function archiveStep(jobs: NewestJobs | undefined): Step {
  const step = { name: 'archive', label: 'Create a test archive' } as const;
  if (jobs === undefined) return { ...step, ...UNKNOWN, text: 'You cannot see the jobs.' };
  const job = jobs.test;
  if (job === undefined) return { ...step, ...TO_DO, text: 'No test archive yet.' };
  const { phase = 'Queued', progress } = job.status;
  const files = progress === undefined || isFinished(job) ? '' : ` ${progress.display} files.`;
  const isDone = phase === 'Succeeded';
  return {
    ...step,
    isDone,
    look: PHASE_LOOKS[phase],
    state: isDone ? 'Done' : phase,
    text: `${STATE_TEXTS[phase]}${files}`,
    link: jobLink(job),
  };
}

function tokenStep(count: number | undefined): Step {
  const step = { name: 'token', label: 'Create an access token' } as const;
  if (count === undefined) return { ...step, ...UNKNOWN, text: 'You cannot see the tokens.' };
  return count === 0
    ? { ...step, ...TO_DO, text: 'The project has no token.' }
    : { ...step, ...DONE, text: `The project has ${FORMAT.count(count, 'token')}.` };
}

function requestStep(jobs: NewestJobs | undefined): Step {
  const step = { name: 'request', label: 'Send a request' } as const;
  if (jobs === undefined) return { ...step, ...UNKNOWN, text: 'You cannot see the jobs.' };
  const job = jobs.other;
  return job === undefined
    ? { ...step, ...TO_DO, text: 'No other jobs yet.' }
    : { ...step, ...DONE, text: 'The project has jobs.', link: { ...jobLink(job), label: 'Newest job' } };
}

/** The steps of a project. Buckets and tokens are read with the permissions of the user, jobs come from the cache. */
export async function readSteps(
  deps: Pick<PageDeps, 'caches' | 'jobs'>,
  request: PageRequest,
  buckets: readonly Bucket[] | undefined,
): Promise<Steps> {
  const { namespace, user } = request;
  const [noTokens, mayListJobs] = await Promise.all([
    reasonAgainst(request, TOKEN_RIGHTS.list),
    user.may(namespace, { verb: 'list', resource: 'zipjobs' }),
  ]);
  const tokens = noTokens === '' ? await user.administration.tokens(namespace).list() : undefined;
  const jobs = mayListJobs.allowed ? newestJobs(deps, namespace) : undefined;
  const steps: readonly Step[] = [
    { name: 'project', label: 'Create a project', ...DONE, text: `Namespace ${namespace}.` },
    bucketStep(buckets),
    archiveStep(jobs),
    tokenStep(tokens?.length),
    requestStep(jobs),
  ];
  const open = steps.filter(({ isDone, state }) => !isDone && state !== UNKNOWN.state);
  return { steps, isQuiet: open.length === 0, current: open[0]?.name };
}
