import type { BucketCredentials, NewBucket } from '#administration/buckets/bucket-input.ts';
import { SERVICES } from '#crds/zip-job.ts';
import { iamPolicy } from '#runtime/store/bucket-permissions.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import type { StoreRules } from '#runtime/store/store-location.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst, refusalOf } from '../user/reason-against.ts';
import {
  ACCESS_CHOICES,
  BUCKET_NAME,
  CA_BUNDLE,
  credentialsIn,
  DEFAULT_OTHER_REGION,
  ENDPOINT,
  emptyFields,
  type Field,
  hostOfAccount,
  KEY_FIELDS,
  OTHER_REGION,
  R2_FIELDS,
  REGION,
  ROLE_FIELDS,
  roleIn,
} from './bucket-fields.ts';
import { bucketsHref, bucketTrail } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';
import { OPTION_NAMES, optionFieldsOf, optionsIn } from './option-fields.ts';
import { goToTest } from './save-and-test.ts';
import { storeProblem } from './store-problem.ts';

const PATH = '/projects/:project/new-bucket';

const PROVIDERS = [
  { value: 'aws', text: 'Amazon S3' },
  { value: 'r2', text: 'Cloudflare R2' },
  { value: 'other', text: 'Other S3-compatible store' },
] as const;
const [S3, R2] = SERVICES;
type Provider = (typeof PROVIDERS)[number]['value'];

const PROVIDER_FIELDS: Readonly<Record<Provider, readonly Field[]>> = {
  aws: [REGION],
  r2: R2_FIELDS,
  other: [ENDPOINT],
};

/** Without the credentials, which are never sent back to the browser. */
const VALUE_NAMES = [
  'provider',
  'access',
  ...[BUCKET_NAME, REGION, ...R2_FIELDS, ENDPOINT, OTHER_REGION, CA_BUNDLE, ...ROLE_FIELDS].map(
    ({ name }) => name,
  ),
  ...OPTION_NAMES,
];

export function newBucketHref(namespace: string): string {
  return FORMAT.path('projects', namespace, 'new-bucket');
}

function providerIn({ provider }: FormState['values']): Provider {
  return PROVIDERS.find(({ value }) => value === provider)?.value ?? 'aws';
}

function hasRole(values: FormState['values']): boolean {
  return values['access'] === 'role' && providerIn(values) !== 'r2';
}

async function show(request: PageRequest, form: FormState): Promise<ShownPage> {
  const { namespace } = request;
  const { bucketName = '', region = '' } = form.values;
  return {
    kind: 'page',
    view: '/buckets/new-bucket',
    title: 'New bucket',
    section: 'buckets',
    trail: bucketTrail(namespace),
    data: {
      form,
      providers: PROVIDERS,
      bucketName: BUCKET_NAME,
      region: REGION,
      r2Fields: R2_FIELDS,
      endpoint: ENDPOINT,
      otherRegion: OTHER_REGION,
      caBundle: CA_BUNDLE,
      access: {
        choices: ACCESS_CHOICES,
        keyFields: KEY_FIELDS,
        roleFields: ROLE_FIELDS,
        keysReason: await reasonAgainst(request, BUCKET_RIGHTS.storeKeys),
      },
      options: optionFieldsOf(S3),
      policy: iamPolicy({ bucketName: bucketName === '' ? 'BUCKET_NAME' : bucketName, region }),
      policyNote: bucketName === '' ? 'Replace BUCKET_NAME.' : '',
      href: newBucketHref(namespace),
      back: bucketsHref(namespace),
    },
    status: formStatus(form.errors),
  };
}

function toR2({ accountId = '', host }: FormState['values']) {
  return {
    service: R2,
    accountId,
    host: host || hostOfAccount(accountId),
  };
}

function toOtherStore({ endpoint, otherRegion, caBundle }: FormState['values']) {
  return {
    service: S3,
    endpoint,
    region: otherRegion || DEFAULT_OTHER_REGION,
    ...(caBundle && { caBundle }),
  };
}

function toPlace(values: FormState['values']) {
  switch (providerIn(values)) {
    case 'aws':
      return { service: S3, region: values['region'] };
    case 'r2':
      return toR2(values);
    case 'other':
      return toOtherStore(values);
  }
}

/** What the chosen provider needs; the fields of the others are ignored. */
function toNewBucket(values: FormState['values']): NewBucket {
  const place = toPlace(values);
  return {
    ...place,
    bucketName: values['bucketName'] ?? '',
    ...(hasRole(values) && { webIdentity: roleIn(values) }),
    objectOptions: optionsIn(values, optionFieldsOf(place.service)),
  };
}

/** The administration names the fields of a ZipBucket, the form has one region for each provider. */
function inForm(errors: FormState['errors'], values: FormState['values']): FormState['errors'] {
  const { region, ...others } = errors;
  return region !== undefined && providerIn(values) === 'other' ? { ...others, otherRegion: region } : errors;
}

function requiredOf(values: FormState['values']): readonly Field[] {
  return [
    BUCKET_NAME,
    ...PROVIDER_FIELDS[providerIn(values)],
    ...(hasRole(values) ? ROLE_FIELDS : KEY_FIELDS),
  ];
}

async function create(
  request: PageRequest,
  rules: StoreRules,
  given: { readonly bucket: NewBucket; readonly credentials: BucketCredentials | undefined },
): Promise<FormState['errors']> {
  try {
    const refused = storeProblem(given.bucket, rules);
    if (Object.keys(refused).length > 0) return refused;
    await request.user.administration.buckets(request.namespace).create(given.bucket, given.credentials);
    return {};
  } catch (error) {
    return formErrors(error, 'bucketName');
  }
}

/** Why the user may not store the keys of the form. */
async function keysRefusal(request: PageRequest, values: FormState['values']): Promise<FormState['errors']> {
  const reason = hasRole(values) ? '' : await refusalOf(request, BUCKET_RIGHTS.storeKeys);
  if (reason === '') return {};
  return { [providerIn(values) === 'r2' ? 'accessKeyId' : 'access']: reason };
}

async function post(rules: StoreRules, request: PageRequest): Promise<ShownPage | GoTo> {
  const { form } = request;
  const values = filledIn(form, ...VALUE_NAMES);
  const empty = emptyFields(form, requiredOf(values));
  if (Object.keys(empty).length > 0) return show(request, { values, errors: empty });
  const refused = await keysRefusal(request, values);
  if (Object.keys(refused).length > 0) return show(request, { values, errors: refused });
  const bucket = toNewBucket(values);
  const credentials = bucket.webIdentity ? undefined : credentialsIn(form);
  const errors = inForm(await create(request, rules, { bucket, credentials }), values);
  if (Object.keys(errors).length > 0) return show(request, { values, errors });
  return goToTest(request, bucket, `Bucket ${bucket.bucketName} added.`);
}

/** A user who cannot store keys can use a role. */
async function showEmpty(request: PageRequest): Promise<ShownPage> {
  const canStore = (await reasonAgainst(request, BUCKET_RIGHTS.storeKeys)) === '';
  return show(request, canStore ? EMPTY_FORM : { ...EMPTY_FORM, values: { access: 'role' } });
}

/** The form that adds a bucket of any provider, with keys or with a role. */
export function createNewBucketPage({ config }: Pick<PageDeps, 'config'>): readonly Route[] {
  const rules = toStoreRules(config);
  return [
    {
      method: 'GET',
      path: PATH,
      needs: BUCKET_RIGHTS.add,
      handle: showEmpty,
    },
    { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.add, handle: (request) => post(rules, request) },
  ];
}
