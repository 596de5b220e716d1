import { SERVICES, type Service } from '#crds/zip-job.ts';
import { FORMAT } from '../../format.ts';
import { type GoTo, notFound, type PageRequest, type Route, type ShownPage } from '../../page.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../form.ts';
import { BUCKET_FIELDS, credentialsIn, emptyFields, OPTION_FIELDS, optionsIn } from './bucket-fields.ts';
import { bucketHref, bucketsHref } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';

const PATH = '/projects/:project/new-bucket/:service';

export const newBucketHref = (namespace: string, service: Service): string =>
  FORMAT.path('projects', namespace, 'new-bucket', service);

const serviceOf = ({ params }: PageRequest): Service => {
  const service = SERVICES.find((one) => one === params['service']);
  if (service === undefined) throw notFound();
  return service;
};

const show = (request: PageRequest, form: FormState): ShownPage => {
  const service = serviceOf(request);
  const { namespace } = request;
  const href = newBucketHref(namespace, service);
  return {
    kind: 'page',
    view: '/pages/buckets/new-bucket',
    title: `New ${service.toUpperCase()} bucket`,
    section: 'buckets',
    data: {
      service,
      form,
      fields: BUCKET_FIELDS[service],
      options: OPTION_FIELDS[service],
      href,
      back: bucketsHref(namespace),
    },
    status: formStatus(form.errors),
  };
};

const post = async (request: PageRequest): Promise<ShownPage | GoTo> => {
  const { namespace, form } = request;
  const service = serviceOf(request);
  const optionNames = OPTION_FIELDS[service].map(({ name }) => name);
  const values = filledIn(form, 'bucketName', 'region', 'host', 'accountId', ...optionNames);
  const { bucketName = '', region, host, accountId } = values;
  const errors = emptyFields(form, BUCKET_FIELDS[service]);
  if (Object.keys(errors).length > 0) return show(request, { values, errors });
  const ofService = service === 's3' ? { region } : { host, accountId };
  try {
    await request.user.administration
      .buckets(request.namespace)
      .create({ service, bucketName, ...ofService, objectOptions: optionsIn(values) }, credentialsIn(form));
  } catch (error) {
    return show(request, { values, errors: formErrors(error, 'bucketName') });
  }
  const text = `Bucket ${bucketName} added. Test the connection before you use it.`;
  return { kind: 'go', to: bucketHref(namespace, { service, bucketName }), flash: { kind: 'done', text } };
};

/** The form that adds an S3 or R2 bucket. */
export const createNewBucketPage = (): readonly Route[] => [
  {
    method: 'GET',
    path: PATH,
    needs: BUCKET_RIGHTS.add,
    handle: (request) => Promise.resolve(show(request, EMPTY_FORM)),
  },
  { method: 'POST', path: PATH, needs: BUCKET_RIGHTS.add, handle: post },
];
