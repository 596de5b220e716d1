import { type BucketChange, settingsVersion, withChange } from '#administration/buckets/bucket-changes.ts';
import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { checkVersion } from '#administration/changes/change-spec.ts';
import { type AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import type { StoreRules } from '#runtime/store/store-location.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import {
  conflictErrors,
  type FormState,
  filledIn,
  formErrors,
  formStatus,
  isUnchanged,
  shownTexts,
  valuesAfterConflict,
} from '../ui/form.ts';
import {
  CA_BUNDLE,
  ENDPOINT,
  emptyFields,
  type Field,
  hostOfAccount,
  providerOf,
  R2_FIELDS,
  REGION,
} from './bucket-fields.ts';
import { BUCKET_PATH, bucketHref, bucketRefOf, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';
import { OPTION_NAMES, optionFieldsOf, optionsIn, optionValues } from './option-fields.ts';
import { goToTest } from './save-and-test.ts';
import { storeProblem } from './store-problem.ts';

const PATH = `${BUCKET_PATH}/settings`;

function endpointOf({ service }: Bucket): Field {
  const { required: _required, ...field } = ENDPOINT;
  const provider = providerOf({ service, endpoint: null });
  return { ...field, hint: `${field.hint} Default: ${provider}.` };
}

/** Service and name cannot be changed, and credentials have a page of their own. */
function fieldsOf(bucket: Bucket): readonly Field[] {
  return [...(bucket.service === 's3' ? [REGION] : R2_FIELDS), endpointOf(bucket)];
}

function valuesOf(bucket: Bucket): FormState['values'] {
  const { region, accountId, host, endpoint, caBundle, objectOptions } = bucket;
  return {
    region: region ?? '',
    accountId: accountId ?? '',
    host: host ?? '',
    endpoint: endpoint ?? '',
    caBundle: caBundle ?? '',
    ...optionValues(objectOptions),
  };
}

function read(request: PageRequest): Promise<Bucket> {
  return request.user.administration.buckets(request.namespace).show(bucketRefOf(request));
}

function show({ namespace }: PageRequest, bucket: Bucket, form: FormState): ShownPage {
  return {
    kind: 'page',
    view: '/buckets/edit-bucket',
    title: `Settings of ${bucket.bucketName}`,
    section: 'buckets',
    trail: bucketTrail(namespace, bucket),
    data: {
      bucket,
      provider: providerOf(bucket),
      form,
      fields: fieldsOf(bucket),
      caBundle: CA_BUNDLE,
      options: optionFieldsOf(bucket.service, form.values['endpoint'] || null),
      version: settingsVersion(bucket),
      shown: shownTexts(fieldNames(bucket), valuesOf(bucket)),
      href: bucketHref(namespace, bucket, 'settings'),
      back: bucketHref(namespace, bucket),
    },
    status: formStatus(form.errors),
  };
}

function fieldNames(bucket: Bucket): readonly string[] {
  return [...fieldsOf(bucket).map(({ name }) => name), CA_BUNDLE.name, ...OPTION_NAMES];
}

/** The fields whose text differs from that of the bucket. */
function changedIn(form: URLSearchParams, bucket: Bucket): ReadonlySet<string> {
  const shown = valuesOf(bucket);
  return new Set(fieldNames(bucket).filter((name) => !isUnchanged(form, name, shown[name])));
}

/** Options that the store does not have any more are removed. */
function optionsAfter(
  { service }: Bucket,
  values: FormState['values'],
  changed: ReadonlySet<string>,
): BucketChange['objectOptions'] {
  const { common, s3Only } = optionFieldsOf(service, values['endpoint'] || null);
  const left = new Set([...common, ...s3Only].map(({ name }) => name));
  const read = new Map(Object.entries(optionsIn(values, { common, s3Only })));
  return Object.fromEntries(
    OPTION_NAMES.filter((name) => changed.has(name) || !left.has(name)).map((name) => [
      name,
      read.get(name) ?? null,
    ]),
  );
}

function changeIn(bucket: Bucket, values: FormState['values'], changed: ReadonlySet<string>): BucketChange {
  const { accountId = '', host } = values;
  const names = fieldNames(bucket).filter((name) => changed.has(name) && !OPTION_NAMES.includes(name));
  return {
    ...Object.fromEntries(names.map((name) => [name, values[name] || null])),
    ...(bucket.service === 'r2' && host === '' && { host: hostOfAccount(accountId) }),
    objectOptions: optionsAfter(bucket, values, changed),
  };
}

async function update(
  { form, namespace, user }: PageRequest,
  rules: StoreRules,
  { bucket, values }: { readonly bucket: Bucket; readonly values: FormState['values'] },
): Promise<FormState['errors']> {
  const version = form.get('version') ?? '';
  checkVersion(settingsVersion(bucket), version);
  const empty = emptyFields(form, fieldsOf(bucket));
  if (Object.keys(empty).length > 0) return empty;
  const changed = changedIn(form, bucket);
  if (changed.size === 0) return {};
  const change = changeIn(bucket, values, changed);
  const refused = storeProblem(withChange(bucket, change), rules);
  if (Object.keys(refused).length > 0) return refused;
  await user.administration.buckets(namespace).update(bucket, change, version);
  return {};
}

async function showConflict(
  request: PageRequest,
  values: FormState['values'],
  error: AdministrationError,
): Promise<ShownPage> {
  const bucket = await read(request);
  const changed = changedIn(request.form, bucket);
  const { common, s3Only } = optionFieldsOf(bucket.service, bucket.endpoint);
  const fields = [...fieldsOf(bucket), CA_BUNDLE, ...common, ...s3Only].filter(({ name }) =>
    changed.has(name),
  );
  const current = valuesOf(bucket);
  return show(request, bucket, {
    values: valuesAfterConflict(request.form, values, current),
    errors: conflictErrors(error, fields, current),
  });
}

async function post(rules: StoreRules, request: PageRequest): Promise<ShownPage | GoTo> {
  const bucket = await read(request);
  const values = filledIn(request.form, ...fieldNames(bucket));
  try {
    const errors = await update(request, rules, { bucket, values });
    if (Object.keys(errors).length > 0) return show(request, bucket, { values, errors });
  } catch (error) {
    if (hasCode(error, 'Conflict')) return showConflict(request, values, error);
    return show(request, bucket, { values, errors: formErrors(error) });
  }
  return goToTest(request, bucket, 'Settings saved.');
}

/** The form that changes where a bucket is and the options of its objects. */
export function createEditBucketPage({ config }: Pick<PageDeps, 'config'>): readonly Route[] {
  const rules = toStoreRules(config);
  return [
    {
      method: 'GET',
      path: PATH,
      needs: BUCKET_RIGHTS.edit,
      handle: async (request) => {
        const bucket = await read(request);
        return show(request, bucket, { values: valuesOf(bucket), errors: {} });
      },
    },
    { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.edit, handle: (request) => post(rules, request) },
  ];
}
