import { randomUUID } from 'node:crypto';
import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import { hasCode } from '#administration/errors/administration-error.ts';
import {
  IncompleteJobError,
  InvalidEntriesError,
  type NewJob,
  type NewJobRules,
} from '#administration/jobs/new-jobs.ts';
import { type ReadLines, readLines } from '#administration/jobs/read-lines.ts';
import { zipJobName } from '#crds/api-group.ts';
import { COMPRESSIONS, ON_CONFLICTS, ON_SOURCE_ERRORS } from '#crds/zip-job.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { BUCKET_RIGHTS } from '../buckets/bucket-rights.ts';
import { newBucketHref } from '../buckets/new-bucket.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { EMPTY_FORM, type FormState, filledIn, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { bucketChoice, bucketChoices, chosenBucket } from './bucket-choices.ts';
import { NEW_JOB_RIGHTS, newJobRules } from './job-rules.ts';

const PATH = '/projects/:project/new-job';
/** Faulty lines that the page lists. */
const SHOWN_FAULTS = 20;

const PROJECT_DEFAULT = { value: '', text: 'Default of the project' } as const;
const SOURCE_ERROR_TEXTS = {
  Fail: 'Fail the job',
  Skip: 'Leave it out',
  Placeholder: 'Replace it with a short text',
};
const COMPRESSION_TEXTS = { auto: 'Only files that shrink', store: 'None', deflate: 'Every file' };

const CHOICES = {
  sourceErrors: [
    PROJECT_DEFAULT,
    ...ON_SOURCE_ERRORS.map((value) => ({ value, text: SOURCE_ERROR_TEXTS[value] })),
  ],
  compressions: [
    PROJECT_DEFAULT,
    ...COMPRESSIONS.map((value) => ({ value, text: COMPRESSION_TEXTS[value] })),
  ],
  // As for requests: a job can only be stricter than its project and its bucket.
  conflicts: [PROJECT_DEFAULT, { value: ON_CONFLICTS[1], text: 'Fail the job' }],
} as const;

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

/** A form, and what is wrong with single lines. */
interface JobForm extends FormState {
  readonly lineFaults?: readonly string[];
  /** Of a job that the same form completes. */
  readonly uuid?: string | undefined;
}

async function show(request: PageRequest, form: JobForm): Promise<ShownPage> {
  const { namespace, user } = request;
  const { lineFaults = [] } = form;
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
      ...CHOICES,
      lineFaults: lineFaults.slice(0, SHOWN_FAULTS),
      moreFaults: Math.max(0, lineFaults.length - SHOWN_FAULTS),
      href: newJobHref(namespace),
      back: jobsHref(namespace),
      addBucket: { href: newBucketHref(namespace), reason: await reasonAgainst(request, BUCKET_RIGHTS.add) },
    },
    status: formStatus(form.errors),
  };
}

function toNewJob(values: FormState['values'], { files }: ReadLines, uuid: string): NewJob {
  return {
    uuid,
    ...chosenBucket(values['bucket'] ?? ''),
    key: values['key'] ?? '',
    files,
    options: defined({
      onSourceError: ON_SOURCE_ERRORS.find((one) => one === values['onSourceError']),
      onConflict: values['onConflict'] === 'fail' ? ('fail' as const) : undefined,
      compression: COMPRESSIONS.find((one) => one === values['compression']),
    }),
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
  const values = filledIn(form, 'bucket', 'key', 'urls', 'onSourceError', 'onConflict', 'compression');
  // Not trimmed: the numbers of the lines are those of the field.
  const read = readLines(form.get('urls') ?? '');
  const given = form.get('uuid') ?? '';
  const uuid = isUuid(given) ? given : randomUUID();
  const to = FORMAT.path('projects', namespace, 'jobs', zipJobName(uuid));
  try {
    await user.administration.newJobs(namespace).create(toNewJob(values, read, uuid), rules);
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

/** The form that creates a job with the permissions of the user. A refused form repeats its list to its sender only. */
export function createNewJobPage(deps: Pick<PageDeps, 'config'>): readonly Route[] {
  const rules = newJobRules(deps);
  return [
    {
      method: 'GET',
      path: PATH,
      needs: NEW_JOB_RIGHTS,
      handle: (request) =>
        show(request, { ...EMPTY_FORM, values: { bucket: request.query.get('bucket') ?? '' } }),
    },
    { method: 'POST', path: PATH, needs: NEW_JOB_RIGHTS, handle: (request) => post(rules, request) },
  ];
}
