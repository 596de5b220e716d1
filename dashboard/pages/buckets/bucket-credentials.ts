import type { GoTo, PageRequest, Route, ShownPage } from '../../page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../form.ts';
import { CREDENTIAL_FIELDS, credentialsIn, emptyFields } from './bucket-fields.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';

const PATH = `${BUCKET_PATH}/credentials`;

const show = async (request: PageRequest, errors: FormState['errors']): Promise<ShownPage> => {
  const bucket = await request.user.administration.buckets(request.namespace).show(bucketRefOf(request));
  const { namespace } = request;
  const data = {
    bucketName: bucket.bucketName,
    form: { values: {}, errors },
    fields: CREDENTIAL_FIELDS,
    href: bucketHref(namespace, bucket, 'credentials'),
    back: bucketHref(namespace, bucket),
  };
  return {
    kind: 'page',
    view: '/pages/buckets/bucket-credentials',
    title: `Update credentials of ${bucket.bucketName}`,
    section: 'buckets',
    data,
    status: formStatus(errors),
  };
};

const post = async (request: PageRequest): Promise<ShownPage | GoTo> => {
  const { namespace, form } = request;
  const errors = emptyFields(form, CREDENTIAL_FIELDS);
  if (Object.keys(errors).length > 0) return show(request, errors);
  const ref = bucketRefOf(request);
  try {
    await request.user.administration.buckets(request.namespace).updateCredentials(ref, credentialsIn(form));
  } catch (error) {
    return show(request, formErrors(error));
  }
  const text = 'Credentials updated. Jobs that start from now on use them. Test the connection.';
  return { kind: 'go', to: bucketHref(namespace, ref), flash: { kind: 'done', text } };
};

/** The form that replaces the credentials of a bucket. */
export const createBucketCredentialsPage = (): readonly Route[] => [
  {
    method: 'GET',
    path: PATH,
    needs: BUCKET_RIGHTS.setCredentials,
    handle: (request) => show(request, EMPTY_FORM.errors),
  },
  { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.setCredentials, handle: post },
];
