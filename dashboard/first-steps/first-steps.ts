import { randomUUID } from 'node:crypto';
import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { hasCode } from '#administration/errors/administration-error.ts';
import { IncompleteJobError, type NewJobRules } from '#administration/jobs/new-jobs.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { BUCKET_RIGHTS } from '../buckets/bucket-rights.ts';
import { newBucketHref } from '../buckets/new-bucket.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { bucketChoices, chosenBucket } from '../new-job/bucket-choices.ts';
import { NEW_JOB_RIGHTS, newJobRules } from '../new-job/job-rules.ts';
import { newJobHref } from '../new-job/new-job.ts';
import { projectOf } from '../projects/project-of.ts';
import { TOKEN_RIGHTS } from '../tokens/token-rights.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { firstCommands, firstRequest } from './first-request.ts';
import { readSteps } from './steps.ts';
import { testArchive } from './test-archive.ts';

const PATH = '/projects/:project/first-steps';
const TEST_PATH = `${PATH}/test-archive`;

function selfHref(namespace: string): string {
  return FORMAT.path('projects', namespace, 'first-steps');
}

/** Prefers a bucket whose last test passed. */
function bestOf(buckets: readonly Bucket[]): Bucket | undefined {
  const usable = buckets.filter(({ deletingSince }) => deletingSince === null);
  return usable.find(({ lastTest }) => lastTest?.ok === true) ?? usable[0];
}

interface TestForm extends FormState {
  /** Of a job that the same form completes. */
  readonly uuid?: string | undefined;
}

/** Undefined for a user who is not allowed to see them. */
async function readBuckets(request: PageRequest): Promise<readonly Bucket[] | undefined> {
  return (await reasonAgainst(request, BUCKET_RIGHTS.list)) === ''
    ? request.user.administration.buckets(request.namespace).list()
    : undefined;
}

function hrefsOf(namespace: string) {
  return {
    self: selfHref(namespace),
    bucket: newBucketHref(namespace),
    test: FORMAT.path('projects', namespace, 'first-steps', 'test-archive'),
    job: newJobHref(namespace),
    token: FORMAT.path('projects', namespace, 'new-token'),
    jobs: FORMAT.path('projects', namespace, 'jobs'),
  };
}

async function dataOf(deps: PageDeps, request: PageRequest, form: TestForm) {
  const { namespace } = request;
  const [buckets, add, token, job] = await Promise.all([
    readBuckets(request),
    reasonAgainst(request, BUCKET_RIGHTS.add),
    reasonAgainst(request, TOKEN_RIGHTS.create),
    reasonAgainst(request, NEW_JOB_RIGHTS),
  ]);
  const { dashboardApiUrl: apiUrl } = deps.config;
  const bucket = bestOf(buckets ?? []);
  return {
    ...projectOf(deps.caches.zipProjects, namespace),
    progress: await readSteps(deps, request, buckets),
    live: FORMAT.path('projects', namespace, 'live', 'first-steps'),
    form,
    uuid: form.uuid ?? randomUUID(),
    bucket,
    buckets: bucketChoices(buckets ?? []),
    reasons: { add, token, job },
    hrefs: hrefsOf(namespace),
    isAddressKnown: apiUrl !== '',
    request: firstRequest({ apiUrl, namespace, bucket }),
    commands: firstCommands({ apiUrl, namespace, bucket }),
  };
}

async function show(deps: PageDeps, request: PageRequest, form: TestForm): Promise<ShownPage> {
  return {
    kind: 'page',
    view: '/first-steps/first-steps',
    title: SECTION_LABELS['first-steps'],
    section: 'first-steps',
    data: await dataOf(deps, request, form),
    status: formStatus(form.errors),
  };
}

async function createTest(
  deps: PageDeps,
  rules: NewJobRules,
  request: PageRequest,
): Promise<ShownPage | GoTo> {
  const { namespace, user, form, now } = request;
  const values = filledIn(form, 'bucket');
  const given = form.get('uuid') ?? '';
  const uuid = isUuid(given) ? given : randomUUID();
  const job = testArchive(chosenBucket(values['bucket'] ?? ''), uuid, now);
  function done(text: string): GoTo {
    return {
      kind: 'go',
      to: selfHref(namespace),
      flash: { kind: 'done', text },
    };
  }
  try {
    await user.administration.newJobs(namespace).create(job, rules);
    return done('The job for the test archive was created.');
  } catch (error) {
    if (hasCode(error, 'AlreadyExists')) return done('This form has already created the job.');
    const [message = ''] = Object.values(formErrors(error));
    return show(deps, request, {
      values,
      errors: { bucket: message },
      uuid: error instanceof IncompleteJobError ? uuid : undefined,
    });
  }
}

/** The guide to the first archive, filled in with the values of the project. */
export function createFirstStepsPage(deps: PageDeps): readonly Route[] {
  const rules = newJobRules(deps);
  return [
    { method: 'GET', path: PATH, handle: (request) => show(deps, request, EMPTY_FORM) },
    {
      method: 'GET',
      path: '/projects/:project/live/first-steps',
      handle: async (request) => ({
        kind: 'fragment',
        view: '/first-steps/steps',
        data: { progress: await readSteps(deps, request, await readBuckets(request)) },
      }),
    },
    {
      method: 'POST',
      path: TEST_PATH,
      needs: NEW_JOB_RIGHTS,
      handle: (request) => createTest(deps, rules, request),
    },
  ];
}
