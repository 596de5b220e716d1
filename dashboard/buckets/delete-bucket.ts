import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { isFinished } from '#crds/zip-job.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { ALL, NAMESPACE_INDEX } from '../live/caches.ts';
import type { ListedJob } from '../live/listed-job.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf, bucketsHref, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';

const PATH = `${BUCKET_PATH}/delete`;
/** Most jobs that the page lists by name. */
const NAMED = 20;
/** The controller usually needs less; a bucket that takes longer is shown as deleting. */
const GONE_LIMIT_MS = 3_000;

type Deps = Pick<PageDeps, 'caches'>;

/** Writes its archive to the bucket, or still reads files from it. */
function refersTo(job: ListedJob, { resource }: Bucket): boolean {
  const { bucketRef, sourceBuckets } = job.spec;
  return bucketRef.name === resource || (sourceBuckets?.includes(resource) === true && !isFinished(job));
}

/** Counts the jobs that refer to the bucket and lists some of them; finished ones only when no other is left. */
function jobsOf(jobs: readonly ListedJob[], bucket: Bucket) {
  const referring = jobs.filter((job) => refersTo(job, bucket));
  const unfinished = referring.filter((job) => !isFinished(job));
  const shown = unfinished.length > 0 ? unfinished : referring;
  return {
    count: referring.length,
    unfinished: unfinished.length,
    more: Math.max(0, shown.length - NAMED),
    named: shown.slice(0, NAMED).map(({ metadata: { namespace, name } }) => ({
      name,
      href: FORMAT.path('projects', namespace, 'jobs', name),
    })),
  };
}

async function show({ caches }: Deps, request: PageRequest, errors: FormState['errors']): Promise<ShownPage> {
  const { namespace } = request;
  const bucket = await request.user.administration.buckets(request.namespace).show(bucketRefOf(request));
  return {
    kind: 'page',
    view: '/buckets/delete-bucket',
    title: `Delete ${bucket.bucketName}`,
    section: 'buckets',
    trail: bucketTrail(namespace, bucket),
    data: {
      bucket,
      jobs: jobsOf(caches.zipJobs.byIndex(NAMESPACE_INDEX, namespace, ALL), bucket),
      form: { values: {}, errors },
      href: bucketHref(namespace, bucket, 'delete'),
      back: bucketHref(namespace, bucket),
    },
    status: formStatus(errors),
  };
}

function gone(namespace: string, bucket: Pick<Bucket, 'bucketName'>, isGone: boolean): GoTo {
  const text = isGone
    ? `Bucket ${bucket.bucketName} and its credentials deleted. Its objects stay at your provider.`
    : `Bucket ${bucket.bucketName} is marked for deletion. It is deleted once no job refers to it.`;
  return { kind: 'go', to: bucketsHref(namespace), flash: { kind: 'done', text } };
}

async function post(deps: Deps, request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, form } = request;
  const ref = bucketRefOf(request);
  const force = form.get('force') === 'yes';
  if (force && (form.get('confirm') ?? '').trim() !== ref.bucketName)
    return show(deps, request, {
      confirm: `Type ${ref.bucketName} to delete the bucket anyway`,
    });
  try {
    const { isGone } = await request.user.administration
      .buckets(request.namespace)
      .delete(ref, { limitMs: GONE_LIMIT_MS, force });
    return gone(namespace, ref, isGone);
  } catch (error) {
    return show(deps, request, formErrors(error));
  }
}

/** Deletes a bucket. While jobs refer to it, the user must type its name to confirm. */
export function createDeleteBucketPage(deps: Deps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: BUCKET_RIGHTS.delete,
      handle: (request) => show(deps, request, EMPTY_FORM.errors),
    },
    { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.delete, handle: (request) => post(deps, request) },
  ];
}
