import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';

const PATH = `${BUCKET_PATH}/files`;

async function show(request: PageRequest, errors: FormState['errors']): Promise<ShownPage> {
  const { namespace, user } = request;
  const [bucket, reason] = await Promise.all([
    user.administration.buckets(namespace).show(bucketRefOf(request)),
    reasonAgainst(request, BUCKET_RIGHTS.allowReading),
  ]);
  const { readable } = bucket;
  const messages = Object.values(errors);
  const href = bucketHref(namespace, bucket, 'files', readable ? 'refuse' : 'allow');
  return {
    kind: 'page',
    view: '/buckets/bucket-files',
    title: `Files in ${bucket.bucketName}`,
    section: 'buckets',
    trail: bucketTrail(namespace, bucket),
    data: {
      bucket,
      action: readable
        ? { label: 'Stop reading files', href, reason: '', look: 'danger' }
        : { label: 'Allow reading files', href, reason, look: 'primary' },
      // All settings are checked together. Their fields are on another page.
      form: { values: {}, errors: messages.length > 0 ? { '': messages.join('. ') } : {} },
      settings: Object.keys(errors).some((name) => name !== '')
        ? bucketHref(namespace, bucket, 'settings')
        : null,
      back: bucketHref(namespace, bucket),
    },
    status: formStatus(errors),
  };
}

async function change(request: PageRequest, readable: boolean): Promise<ShownPage | GoTo> {
  const { namespace, user } = request;
  const ref = bucketRefOf(request);
  try {
    await user.administration.buckets(namespace).update(ref, { readable });
  } catch (error) {
    return show(request, formErrors(error));
  }
  const text = readable
    ? `Jobs can read files from bucket ${ref.bucketName}.`
    : `Jobs can no longer read files from bucket ${ref.bucketName}. Running jobs continue.`;
  return { kind: 'go', to: bucketHref(namespace, ref), flash: { kind: 'done', text } };
}

/** Whether files of jobs can be objects of a bucket, which only admins of the project may allow. */
export function createBucketFilesPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: BUCKET_RIGHTS.edit,
      handle: (request) => show(request, EMPTY_FORM.errors),
    },
    {
      method: 'POST',
      path: `${PATH}/allow`,
      needs: BUCKET_RIGHTS.allowReading,
      handle: (request) => change(request, true),
    },
    {
      method: 'POST',
      path: `${PATH}/refuse`,
      needs: BUCKET_RIGHTS.edit,
      handle: (request) => change(request, false),
    },
  ];
}
