import type { BucketSettings } from '#administration/bucket-input.ts';
import type { Bucket } from '#administration/bucket-view.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import type { StoreRules } from '#runtime/store/store-location.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../../page.ts';
import { type FormState, filledIn, formErrors, formStatus } from '../form.ts';
import type { PageDeps } from '../page-deps.ts';
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

const endpointOf = ({ service }: Bucket): Field => {
  const { required: _required, ...field } = ENDPOINT;
  const provider = providerOf({ service, endpoint: null });
  return { ...field, hint: `${field.hint} Default: ${provider}.` };
};

/** Service and name cannot be changed, and credentials have a page of their own. */
const fieldsOf = (bucket: Bucket): readonly Field[] => [
  ...(bucket.service === 's3' ? [REGION] : R2_FIELDS),
  endpointOf(bucket),
];

const valuesOf = (bucket: Bucket): FormState['values'] => {
  const { region, accountId, host, endpoint, caBundle, objectOptions } = bucket;
  return {
    region: region ?? '',
    accountId: accountId ?? '',
    host: host ?? '',
    endpoint: endpoint ?? '',
    caBundle: caBundle ?? '',
    ...optionValues(objectOptions),
  };
};

const read = (request: PageRequest): Promise<Bucket> =>
  request.user.administration.buckets(request.namespace).show(bucketRefOf(request));

const show = ({ namespace }: PageRequest, bucket: Bucket, form: FormState): ShownPage => ({
  kind: 'page',
  view: '/pages/buckets/edit-bucket',
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
    href: bucketHref(namespace, bucket, 'settings'),
    back: bucketHref(namespace, bucket),
  },
  status: formStatus(form.errors),
});

const settingsIn = ({ service }: Bucket, values: FormState['values']): BucketSettings => {
  const { region, accountId = '', host, endpoint, caBundle } = values;
  return {
    ...(service === 's3' ? { region } : { accountId, host: host || hostOfAccount(accountId) }),
    ...(endpoint && { endpoint }),
    ...(caBundle && { caBundle }),
    objectOptions: optionsIn(values, optionFieldsOf(service, endpoint || null)),
  };
};

const update = async (
  request: PageRequest,
  rules: StoreRules,
  { bucket, settings }: { readonly bucket: Bucket; readonly settings: BucketSettings },
): Promise<FormState['errors']> => {
  const { service, bucketName } = bucket;
  try {
    const refused = storeProblem({ ...settings, service, bucketName }, rules);
    if (Object.keys(refused).length > 0) return refused;
    await request.user.administration.buckets(request.namespace).update(bucket, settings);
    return {};
  } catch (error) {
    return formErrors(error);
  }
};

const post = async (rules: StoreRules, request: PageRequest): Promise<ShownPage | GoTo> => {
  const bucket = await read(request);
  const names = fieldsOf(bucket).map(({ name }) => name);
  const values = filledIn(request.form, ...names, CA_BUNDLE.name, ...OPTION_NAMES);
  const empty = emptyFields(request.form, fieldsOf(bucket));
  if (Object.keys(empty).length > 0) return show(request, bucket, { values, errors: empty });
  const errors = await update(request, rules, { bucket, settings: settingsIn(bucket, values) });
  if (Object.keys(errors).length > 0) return show(request, bucket, { values, errors });
  return goToTest(request, bucket, 'Settings saved.');
};

/** The form that changes where a bucket is and the options of its objects. */
export const createEditBucketPage = ({ config }: Pick<PageDeps, 'config'>): readonly Route[] => {
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
};
