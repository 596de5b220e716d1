import type { Bucket } from '#administration/buckets/bucket-view.ts';
import type { ShownCredentials } from '#administration/buckets/buckets.ts';
import { checkCredentialsState } from '#administration/buckets/change-credentials.ts';
import { type AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import {
  conflictErrors,
  type FormState,
  filledIn,
  formErrors,
  formIdIn,
  formStatus,
  isUnchanged,
  shownTexts,
  valuesAfterConflict,
} from '../ui/form.ts';
import { reasonAgainst, refusalOf } from '../user/reason-against.ts';
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
/** Shown if the bucket has keys now: neither those nor the entered ones are shown. */
const KEYS_REPLACED = {
  accessKeyId: 'The keys may have been replaced. They are not shown. Enter yours again to replace them',
} as const;
const VALUE_NAMES = [ACCESS.name, ...ROLE_FIELDS.map(({ name }) => name)];

function read(request: PageRequest): Promise<ShownCredentials> {
  return request.user.administration.buckets(request.namespace).showCredentials(bucketRefOf(request));
}

function valuesOf({ webIdentity }: Bucket): FormState['values'] {
  if (webIdentity === null) return { access: 'keys' };
  const { durationSeconds, ...role } = webIdentity;
  return { access: 'role', ...role, durationSeconds: durationSeconds?.toString() ?? '' };
}

async function show(
  request: PageRequest,
  { bucket, version }: ShownCredentials,
  form: FormState,
): Promise<ShownPage> {
  return {
    kind: 'page',
    view: '/buckets/bucket-credentials',
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
      version,
      shown: shownTexts(bucket.service === 's3' ? VALUE_NAMES : [], valuesOf(bucket)),
      // The same after an error: the form may have claimed the change before.
      formId: formIdIn(request.form),
      href: bucketHref(request.namespace, bucket, 'credentials'),
      back: bucketHref(request.namespace, bucket),
    },
    status: formStatus(form.errors),
  };
}

/** A form without the choice keeps the kind of credentials that the bucket has. */
function usesRole(bucket: Bucket, { access }: FormState['values']): boolean {
  return bucket.service === 's3' && (access === '' ? bucket.webIdentity !== null : access === 'role');
}

async function update(
  request: PageRequest,
  shown: ShownCredentials,
  values: FormState['values'],
): Promise<FormState['errors']> {
  const { user, namespace, form } = request;
  const { bucket } = shown;
  const change = { version: form.get('version') ?? '', form: formIdIn(form) };
  checkCredentialsState(shown, change);
  const isRole = usesRole(bucket, values);
  const empty = emptyFields(form, isRole ? ROLE_FIELDS : KEY_FIELDS);
  if (Object.keys(empty).length > 0) return empty;
  const buckets = user.administration.buckets(namespace);
  if (isRole) {
    await buckets.useRole(bucket, roleIn(values), change);
    return {};
  }
  const refusal = await refusalOf(request, BUCKET_RIGHTS.storeKeys);
  if (refusal !== '') return { [bucket.service === 'r2' ? 'accessKeyId' : ACCESS.name]: refusal };
  await buckets.updateCredentials(bucket, credentialsIn(form), { replaceRole: true, ...change });
  return {};
}

async function showConflict(
  request: PageRequest,
  values: FormState['values'],
  error: AdministrationError,
): Promise<ShownPage> {
  const shown = await read(request);
  const current = valuesOf(shown.bucket);
  const isRole = current['access'] === 'role';
  const fields = [...(shown.bucket.service === 's3' ? [ACCESS] : []), ...(isRole ? ROLE_FIELDS : [])];
  const changed = fields.filter(({ name }) => !isUnchanged(request.form, name, current[name]));
  const areBothRoles = isRole && usesRole(shown.bucket, values);
  return show(request, shown, {
    values: areBothRoles ? valuesAfterConflict(request.form, values, current) : values,
    errors: { ...conflictErrors(error, changed, current), ...(!isRole && KEYS_REPLACED) },
  });
}

async function post(request: PageRequest): Promise<ShownPage | GoTo> {
  const shown = await read(request);
  const values = filledIn(request.form, ...VALUE_NAMES);
  try {
    const errors = await update(request, shown, values);
    if (Object.keys(errors).length > 0) return show(request, shown, { values, errors });
  } catch (error) {
    if (hasCode(error, 'Conflict')) return showConflict(request, values, error);
    return show(request, shown, { values, errors: formErrors(error) });
  }
  return goToTest(request, shown.bucket, 'Credentials updated. Jobs that start from now on use them.');
}

/** The form that replaces the credentials of a bucket. */
export function createBucketCredentialsPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: BUCKET_RIGHTS.setCredentials,
      handle: async (request) => {
        const shown = await read(request);
        return show(request, shown, { values: valuesOf(shown.bucket), errors: {} });
      },
    },
    { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.setCredentials, handle: post },
  ];
}
