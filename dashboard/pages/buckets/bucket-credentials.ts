import { type AdministrationError, hasCode } from '#administration/administration-error.ts';
import { credentialsVersion } from '#administration/bucket-changes.ts';
import type { Bucket } from '#administration/bucket-view.ts';
import { checkVersion } from '#administration/change-spec.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../../page.ts';
import { conflictErrors, type FormState, filledIn, formErrors, formStatus, isUnchanged } from '../form.ts';
import { reasonAgainst, refusalOf } from '../reason-against.ts';
import {
  ACCESS_CHOICES,
  credentialsIn,
  emptyFields,
  KEY_FIELDS,
  ROLE_FIELDS,
  roleIn,
} from './bucket-fields.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';
import { goToTest } from './save-and-test.ts';

const PATH = `${BUCKET_PATH}/credentials`;
const ACCESS = { name: 'access', label: 'Credentials', choices: ACCESS_CHOICES } as const;
const VALUE_NAMES = [ACCESS.name, ...ROLE_FIELDS.map(({ name }) => name)];

const read = (request: PageRequest): Promise<Bucket> =>
  request.user.administration.buckets(request.namespace).show(bucketRefOf(request));

const valuesOf = ({ webIdentity }: Bucket): FormState['values'] => {
  if (webIdentity === null) return { access: 'keys' };
  const { durationSeconds, ...role } = webIdentity;
  return { access: 'role', ...role, durationSeconds: durationSeconds?.toString() ?? '' };
};

const show = async (request: PageRequest, bucket: Bucket, form: FormState): Promise<ShownPage> => ({
  kind: 'page',
  view: '/pages/buckets/bucket-credentials',
  title: `Update credentials of ${bucket.bucketName}`,
  section: 'buckets',
  trail: bucketTrail(request.namespace, bucket),
  data: {
    bucketName: bucket.bucketName,
    form,
    access: {
      choices: ACCESS_CHOICES,
      keyFields: KEY_FIELDS,
      roleFields: ROLE_FIELDS,
      keysReason: await reasonAgainst(request, BUCKET_RIGHTS.storeKeys),
    },
    hasRole: bucket.service === 's3',
    version: credentialsVersion(bucket),
    href: bucketHref(request.namespace, bucket, 'credentials'),
    back: bucketHref(request.namespace, bucket),
  },
  status: formStatus(form.errors),
});

/** A form without the choice keeps the kind of credentials that the bucket has. */
const usesRole = (bucket: Bucket, { access }: FormState['values']): boolean =>
  bucket.service === 's3' && (access === '' ? bucket.webIdentity !== null : access === 'role');

const update = async (
  request: PageRequest,
  bucket: Bucket,
  values: FormState['values'],
): Promise<FormState['errors']> => {
  const { user, namespace, form } = request;
  const version = form.get('version') ?? '';
  checkVersion(credentialsVersion(bucket), version);
  const isRole = usesRole(bucket, values);
  const empty = emptyFields(form, isRole ? ROLE_FIELDS : KEY_FIELDS);
  if (Object.keys(empty).length > 0) return empty;
  const buckets = user.administration.buckets(namespace);
  if (isRole) {
    await buckets.useRole(bucket, roleIn(values), version);
    return {};
  }
  const refusal = await refusalOf(request, BUCKET_RIGHTS.storeKeys);
  if (refusal !== '') return { [bucket.service === 'r2' ? 'accessKeyId' : ACCESS.name]: refusal };
  await buckets.updateCredentials(bucket, credentialsIn(form), { replaceRole: true, version });
  return {};
};

const showConflict = async (
  request: PageRequest,
  values: FormState['values'],
  error: AdministrationError,
): Promise<ShownPage> => {
  const bucket = await read(request);
  const current = valuesOf(bucket);
  const fields = [ACCESS, ...(current['access'] === 'role' ? ROLE_FIELDS : [])];
  const changed = fields.filter(({ name }) => !isUnchanged(request.form, name, current[name]));
  return show(request, bucket, { values, errors: conflictErrors(error, changed, current) });
};

const post = async (request: PageRequest): Promise<ShownPage | GoTo> => {
  const bucket = await read(request);
  const values = filledIn(request.form, ...VALUE_NAMES);
  try {
    const errors = await update(request, bucket, values);
    if (Object.keys(errors).length > 0) return show(request, bucket, { values, errors });
  } catch (error) {
    if (hasCode(error, 'Conflict')) return showConflict(request, values, error);
    return show(request, bucket, { values, errors: formErrors(error) });
  }
  return goToTest(request, bucket, 'Credentials updated. Jobs that start from now on use them.');
};

/** The form that replaces the credentials of a bucket. */
export const createBucketCredentialsPage = (): readonly Route[] => [
  {
    method: 'GET',
    path: PATH,
    needs: BUCKET_RIGHTS.setCredentials,
    handle: async (request) => {
      const bucket = await read(request);
      return show(request, bucket, { values: valuesOf(bucket), errors: {} });
    },
  },
  { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.setCredentials, handle: post },
];
