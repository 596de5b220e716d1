import { type Bucket, certificatesOf } from '#administration/buckets/bucket-view.ts';
import { iamPolicy } from '#runtime/store/bucket-permissions.ts';
import { type GoTo, type PageRequest, type Route } from '../http/page.ts';
import { NEW_JOB_RIGHTS } from '../new-job/job-rules.ts';
import { newJobHref } from '../new-job/new-job.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { providerOf } from './bucket-fields.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';
import { testedPermissions } from './tested-permissions.ts';

async function stateOf(request: PageRequest) {
  const bucket = await request.user.administration.buckets(request.namespace).show(bucketRefOf(request));
  return { bucket, ...testedPermissions(bucket), href: bucketHref(request.namespace, bucket) };
}

/** Undefined for R2, whose tokens have no policy. */
function policyOf(bucket: Bucket): string | undefined {
  const { service, endpoint, bucketName, region, objectOptions } = bucket;
  if (service === 'r2' && endpoint === null) return undefined;
  return iamPolicy({ bucketName, region: region ?? undefined, objectOptions });
}

async function dataOf(request: PageRequest) {
  const { namespace } = request;
  const [state, test, job, edit, credentials, deletion] = await Promise.all([
    stateOf(request),
    reasonAgainst(request, BUCKET_RIGHTS.test),
    reasonAgainst(request, NEW_JOB_RIGHTS),
    reasonAgainst(request, BUCKET_RIGHTS.edit),
    reasonAgainst(request, BUCKET_RIGHTS.setCredentials),
    reasonAgainst(request, BUCKET_RIGHTS.delete),
  ]);
  const { bucket } = state;
  function action(name: string, label: string, reason: string) {
    return { name, label, href: bucketHref(namespace, bucket, name), reason, isChange: false };
  }
  const live = FORMAT.path('projects', namespace, 'live', 'buckets', bucket.service, bucket.bucketName);
  return {
    ...state,
    test: { ...action('test', 'Test connection', test), look: 'primary' },
    more: [
      { ...action('new-job', 'New job', job), href: newJobHref(namespace, bucket) },
      action('settings', 'Edit settings', edit),
      action('files', 'Change read access', edit),
      action('credentials', 'Update credentials', credentials),
      action('delete', 'Delete bucket', deletion),
    ],
    provider: providerOf(bucket),
    certificates: certificatesOf(bucket),
    live,
    policy: policyOf(bucket),
  };
}

async function test(request: PageRequest): Promise<GoTo> {
  const ref = bucketRefOf(request);
  await request.user.administration.buckets(request.namespace).beginTest(ref);
  return { kind: 'go', to: bucketHref(request.namespace, ref) };
}

/** The page of one bucket; its connection test runs in the cluster while the page is open. */
export function createBucketPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: BUCKET_PATH,
      needs: BUCKET_RIGHTS.see,
      handle: async (request) => {
        const data = await dataOf(request);
        const title = `Bucket ${data.bucket.bucketName}`;
        const trail = bucketTrail(request.namespace);
        return { kind: 'page', view: '/buckets/bucket', title, section: 'buckets', trail, data };
      },
    },
    {
      method: 'GET',
      path: '/projects/:project/live/buckets/:service/:bucket',
      needs: BUCKET_RIGHTS.see,
      handle: async (request) => ({
        kind: 'fragment',
        view: '/buckets/bucket-test',
        data: await stateOf(request),
      }),
    },
    { method: 'POST', path: `${BUCKET_PATH}/test`, needs: BUCKET_RIGHTS.test, handle: test },
  ];
}
