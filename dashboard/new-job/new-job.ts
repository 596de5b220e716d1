import { randomUUID } from 'node:crypto';
import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import { hasCode, invalidInput } from '#administration/errors/administration-error.ts';
import {
  IncompleteJobError,
  InvalidEntriesError,
  type NewJob,
  type NewJobRules,
} from '#administration/jobs/new-jobs.ts';
import { type ReadLines, readLines } from '#administration/jobs/read-lines.ts';
import { zipJobName } from '#crds/api-group.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { isJsonObject } from '#runtime/kube/client/decode.ts';
import { BUCKET_RIGHTS } from '../buckets/bucket-rights.ts';
import { newBucketHref } from '../buckets/new-bucket.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { bucketChoice, bucketChoices, chosenBucket } from './bucket-choices.ts';
import { type SourceJob, sourceJob } from './from-job.ts';
import { NEW_JOB_OPTIONS, optionFields, optionsIn } from './job-fields.ts';
import { NEW_JOB_RIGHTS, newJobRules } from './job-rules.ts';

const PATH = '/projects/:project/new-job';
/** Faulty lines that the page lists. */
const SHOWN_FAULTS = 20;
/** Its own name, because the object has metadata too. */
const JOB_METADATA = 'jobMetadata';
const VALUE_NAMES = ['bucket', 'key', 'urls', JOB_METADATA, ...NEW_JOB_OPTIONS.map(({ name }) => name)];

/** With a bucket, the form has it chosen. */
export function newJobHref(namespace: string, bucket?: BucketRef): string {
  const path = FORMAT.path('projects', namespace, 'new-job');
  return bucket === undefined
    ? path
    : `${path}?${new URLSearchParams({ bucket: bucketChoice(bucket) }).toString()}`;
}

function jobsHref(namespace: string): string {
  return FORMAT.path('projects', namespace, 'jobs');
}

type Deps = Pick<PageDeps, 'config' | 'history'>;

/** A form, and what is wrong with single lines. */
interface JobForm extends FormState {
  readonly lineFaults?: readonly string[];
  /** Of a job that the same form completes. */
  readonly uuid?: string | undefined;
  /** The job that the form was filled in from. */
  readonly source?: SourceJob;
}

function defaultsOf({ user, namespace }: PageRequest) {
  return user.administration
    .projects()
    .settings(namespace)
    .then(({ jobDefaults }) => jobDefaults);
}

async function show(request: PageRequest, form: JobForm): Promise<ShownPage> {
  const { namespace, user } = request;
  const { lineFaults = [], source } = form;
  const fields = optionFields(await defaultsOf(request));
  const names = [...fields.map(({ name }) => name), JOB_METADATA];
  return {
    kind: 'page',
    view: '/new-job/new-job',
    title: 'New job',
    section: 'jobs',
    trail: [{ label: SECTION_LABELS.jobs, href: jobsHref(namespace) }],
    data: {
      form,
      uuid: form.uuid ?? randomUUID(),
      buckets: bucketChoices(await user.administration.buckets(namespace).list()),
      fields,
      isOpen: names.some((name) => (form.values[name] ?? '') !== '' || form.errors[name] !== undefined),
      source,
      lineFaults: lineFaults.slice(0, SHOWN_FAULTS),
      moreFaults: Math.max(0, lineFaults.length - SHOWN_FAULTS),
      href: newJobHref(namespace),
      back: jobsHref(namespace),
      addBucket: { href: newBucketHref(namespace), reason: await reasonAgainst(request, BUCKET_RIGHTS.add) },
    },
    status: formStatus(form.errors),
  };
}

function toNewJob(form: URLSearchParams, { files }: ReadLines, uuid: string): NewJob {
  const {
    bucket = '',
    key = '',
    [JOB_METADATA]: metadata = '',
  } = filledIn(form, 'bucket', 'key', JOB_METADATA);
  if (metadata !== '' && !isJsonObject(metadata))
    throw invalidInput(JOB_METADATA, 'Metadata for the webhook must be a JSON object, such as {"order": 7}');
  return {
    uuid,
    ...chosenBucket(bucket),
    key,
    files,
    ...(metadata !== '' && { metadata }),
    options: optionsIn(form),
  };
}

function faultsOf({ faults }: InvalidEntriesError, { lines }: ReadLines): readonly string[] {
  return faults
    .map(({ index, field, problem }) => ({ line: lines[index] ?? 0, field, problem }))
    .toSorted((a, b) => a.line - b.line)
    .map(
      ({ line, field, problem }) => `Line ${line}: the ${field === 'filename' ? 'name' : 'URL'} ${problem}`,
    );
}

/** Errors name the fields of a bucket, the form has one list of buckets. */
function inForm({ bucketName, service, ...errors }: FormState['errors']): FormState['errors'] {
  const ofBucket = bucketName ?? service;
  return ofBucket === undefined ? errors : { ...errors, bucket: ofBucket };
}

async function post(rules: NewJobRules, request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, user, form } = request;
  const values = filledIn(form, ...VALUE_NAMES);
  // Not trimmed: the numbers of the lines are those of the field.
  const read = readLines(form.get('urls') ?? '');
  const given = form.get('uuid') ?? '';
  const uuid = isUuid(given) ? given : randomUUID();
  const to = FORMAT.path('projects', namespace, 'jobs', zipJobName(uuid));
  try {
    await user.administration.newJobs(namespace).create(toNewJob(form, read, uuid), rules);
    return { kind: 'go', to, flash: { kind: 'done', text: 'Job created' } };
  } catch (error) {
    if (hasCode(error, 'AlreadyExists'))
      return { kind: 'go', to, flash: { kind: 'done', text: 'This form has already created the job.' } };
    const lineFaults = error instanceof InvalidEntriesError ? faultsOf(error, read) : [];
    const kept = { ...values, urls: form.get('urls') ?? '' };
    return show(request, {
      values: kept,
      errors: inForm(formErrors(error)),
      lineFaults,
      uuid: error instanceof IncompleteJobError ? uuid : undefined,
    });
  }
}

async function get(deps: Deps, request: PageRequest): Promise<ShownPage> {
  const id = request.query.get('from') ?? '';
  if (id === '')
    return show(request, { ...EMPTY_FORM, values: { bucket: request.query.get('bucket') ?? '' } });
  const source = await sourceJob(deps, request, { id, defaults: await defaultsOf(request) });
  return show(request, { values: source.values, errors: {}, source });
}

/** The form that creates a job with the permissions of the user. A refused form repeats its list to its sender only. */
export function createNewJobPage(deps: Deps): readonly Route[] {
  const rules = newJobRules(deps);
  return [
    { method: 'GET', path: PATH, needs: NEW_JOB_RIGHTS, handle: (request) => get(deps, request) },
    { method: 'POST', path: PATH, needs: NEW_JOB_RIGHTS, handle: (request) => post(rules, request) },
  ];
}
