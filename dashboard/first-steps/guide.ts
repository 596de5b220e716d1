import { randomUUID } from 'node:crypto';
import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { bucketHref } from '../buckets/bucket-paths.ts';
import { BUCKET_RIGHTS } from '../buckets/bucket-rights.ts';
import { newBucketHref } from '../buckets/new-bucket.ts';
import type { PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { bucketChoices } from '../new-job/bucket-choices.ts';
import { NEW_JOB_RIGHTS } from '../new-job/job-rules.ts';
import { newJobHref } from '../new-job/new-job.ts';
import { TOKEN_RIGHTS } from '../tokens/token-rights.ts';
import { EMPTY_FORM, type FormState } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { firstCommands, firstRequest } from './first-request.ts';
import { readSteps, type Steps } from './steps.ts';

/** Prefers a bucket whose last test passed. */
function bestOf(buckets: readonly Bucket[]): Bucket | undefined {
  const usable = buckets.filter(({ deletingSince }) => deletingSince === null);
  return usable.find(({ lastTest }) => lastTest?.ok === true) ?? usable[0];
}

export interface TestForm extends FormState {
  /** Of a job that the same form completes. */
  readonly uuid?: string | undefined;
}

/** Undefined for a user who is not allowed to see them. */
async function readBuckets(request: PageRequest): Promise<readonly Bucket[] | undefined> {
  return (await reasonAgainst(request, BUCKET_RIGHTS.list)) === ''
    ? request.user.administration.buckets(request.namespace).list()
    : undefined;
}

export function guideHref(namespace: string): string {
  return FORMAT.path('projects', namespace, 'first-steps');
}

function hrefsOf(namespace: string) {
  return {
    self: guideHref(namespace),
    bucket: newBucketHref(namespace),
    test: FORMAT.path('projects', namespace, 'first-steps', 'test-archive'),
    job: newJobHref(namespace),
    token: FORMAT.path('projects', namespace, 'new-token'),
    jobs: FORMAT.path('projects', namespace, 'jobs'),
  };
}

function openSteps({ steps }: Steps, bucket: Bucket | undefined) {
  function isOpen(name: string): boolean {
    return steps.some((step) => step.name === name && !step.isDone && step.state !== 'Unknown');
  }
  const isBucketOpen = isOpen('bucket');
  return {
    bucket: isBucketOpen && bucket === undefined,
    test: isBucketOpen && bucket !== undefined,
    token: isOpen('token'),
    request: isOpen('request'),
  };
}

/** A live part repeats the id of the form, so that a form that is sent twice creates one job. */
function formUuid({ query }: PageRequest, form: TestForm): string {
  const given = form.uuid ?? query.get('uuid') ?? '';
  return isUuid(given) ? given : randomUUID();
}

/** The guide to the first archive: its steps, filled in with the values of the project, the current one open. */
export async function readGuide(
  deps: Pick<PageDeps, 'caches' | 'jobs' | 'config'>,
  request: PageRequest,
  form: TestForm = EMPTY_FORM,
) {
  const { namespace } = request;
  const [buckets, add, token, job] = await Promise.all([
    readBuckets(request),
    reasonAgainst(request, BUCKET_RIGHTS.add),
    reasonAgainst(request, TOKEN_RIGHTS.create),
    reasonAgainst(request, NEW_JOB_RIGHTS),
  ]);
  const { dashboardApiUrl: apiUrl } = deps.config;
  const bucket = bestOf(buckets ?? []);
  const progress = await readSteps(deps, request, buckets);
  const hasErrors = Object.keys(form.errors).length > 0;
  const uuid = formUuid(request, form);
  return {
    namespace,
    progress,
    current: hasErrors ? 'archive' : progress.current,
    live:
      progress.isQuiet || hasErrors
        ? ''
        : `${FORMAT.path('projects', namespace, 'live', 'first-steps')}?uuid=${uuid}`,
    form,
    uuid,
    bucket,
    bucketHref: bucket && bucketHref(namespace, bucket),
    buckets: bucketChoices(buckets ?? []),
    reasons: { add, token, job },
    hrefs: hrefsOf(namespace),
    isAddressKnown: apiUrl !== '',
    request: firstRequest({ apiUrl, bucket }),
    commands: firstCommands({ namespace, bucket }, openSteps(progress, bucket)),
  };
}
