import { hasCode } from '#administration/errors/administration-error.ts';
import { readLines } from '#administration/jobs/read-lines.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import { fileListOwner } from '#crds/api-group.ts';
import { type ListedFile, MOST_FILES, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import { bucketOf, isFileListDeleted } from '#crds/zip-job-facts.ts';
import { fileListBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import { chosenManifest } from '#runtime/zip-request/manifest-choice.ts';
import { PageError, type PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { readFileListLines } from '../jobs/file-list-lines.ts';
import { type FoundJob, findJob } from '../jobs/find-job.ts';
import { fieldText, valueAt } from '../settings/option-values.ts';
import type { FormState } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { refusalOf } from '../user/reason-against.ts';
import { bucketChoice } from './bucket-choices.ts';
import { isAllowed, NEW_JOB_OPTIONS } from './job-fields.ts';

/** Of the list as a browser sends it, so that the form fits into the largest one. */
const MOST_FORM_BYTES = 72 * 1024;

type Deps = Pick<PageDeps, 'config' | 'history'>;
type Defaults = ProjectSettings['jobDefaults'];

/** The job that a form is filled in from. */
export interface SourceJob {
  readonly values: FormState['values'];
  /** Why nothing of its list is in the form; empty if it is. */
  readonly reason: string;
  /** Undefined for a job that was not found. */
  readonly job: { readonly key: string; readonly href: string } | undefined;
  /** Number of files with request headers or expected sizes and checksums, which the form does not have. */
  readonly reduced: number;
}

interface List {
  readonly files: readonly ListedFile[];
  readonly reason: string;
}

function unknown(reason: string): List {
  return { files: [], reason };
}

const TOO_LARGE = unknown(
  'Its list is too large for this form. Run the job again as it is, or send the list through the API or the command line.',
);
const UNREADABLE = unknown('Its list of files cannot be read.');

function isListed(value: unknown): value is ListedFile {
  const { url, filename } = (value ?? {}) as { readonly url?: unknown; readonly filename?: unknown };
  return typeof url === 'string' && typeof filename === 'string';
}

class ListTooLarge extends Error {}

/** With the token of the user. @throws ListTooLarge */
async function readList({ user }: PageRequest, zipJob: ZipJob, maxBytes: number): Promise<List> {
  const count = zipJob.spec.filesFrom?.count ?? 0;
  const files: ListedFile[] = [];
  let bytes = 0;
  const isRead = await readFileListLines(user.kube, zipJob, {
    wanted: new Set(Array.from({ length: count }, (_, index) => index)),
    maxBytes,
    onLine: (_, line) => {
      bytes += line.length;
      if (bytes > MOST_FORM_BYTES) throw new ListTooLarge();
      const file: unknown = JSON.parse(line);
      if (isListed(file)) files.push(file);
    },
  });
  if (!isRead) throw new ListTooLarge();
  return files.length === count ? { files, reason: '' } : UNREADABLE;
}

function secretRights({ spec }: ZipJob) {
  return (spec.filesFrom?.secretNames ?? []).map(
    (name) => ({ verb: 'get', resource: 'secrets', group: '', name }) as const,
  );
}

/** Why the stored list is not read; empty if it is. */
async function obstacle(
  deps: Deps,
  request: PageRequest,
  { zipJob, isArchived }: FoundJob,
): Promise<List | undefined> {
  const { files, filesFrom } = zipJob.spec;
  if (files !== undefined && !isArchived) return { files, reason: '' };
  if (isArchived || filesFrom === undefined || isFileListDeleted(zipJob))
    return unknown('Its list of files was deleted, so only its key, bucket and options are filled in.');
  // Anyone who can create a ZipJob chooses these names.
  if (fileListOwner(filesFrom.secretNames) === undefined) return UNREADABLE;
  if (filesFrom.count > MOST_FILES || fileListBytesOf(zipJob) > deps.config.dashboardFileListBytes)
    return TOO_LARGE;
  const refusal = await refusalOf(request, secretRights(zipJob));
  return refusal === '' ? undefined : unknown(`Its URLs are in the stored list of files. ${refusal}`);
}

async function listOf(deps: Deps, request: PageRequest, found: FoundJob): Promise<List> {
  const known = await obstacle(deps, request, found);
  if (known !== undefined) return known;
  try {
    return await readList(request, found.zipJob, deps.config.dashboardFileListBytes);
  } catch (error) {
    if (error instanceof ListTooLarge) return TOO_LARGE;
    // The session ends.
    if (hasCode(error, 'Unauthorized')) throw error;
    return UNREADABLE;
  }
}

function textOf(files: readonly ListedFile[]): string {
  return files.map(({ url, filename }) => `${url} ${filename}`).join('\n');
}

/** Whether the form would be read as the same files: a URL or a name may have characters that separate them there. */
function isReadBack(urls: string, files: readonly ListedFile[]): boolean {
  const read = readLines(urls).files.map(({ url, filename }) => [url, filename]);
  return isSame(
    read,
    files.map(({ url, filename }) => [url, filename]),
  );
}

/** Why a list cannot be in the form; empty if it can. */
function unfitReason(urls: string, files: readonly ListedFile[]): string {
  if (new URLSearchParams({ urls }).toString().length > MOST_FORM_BYTES) return TOO_LARGE.reason;
  return isReadBack(urls, files)
    ? ''
    : 'Its list has URLs or names with spaces or line breaks that this form cannot hold. Send the list through the API or the command line.';
}

function isReduced(file: ListedFile): boolean {
  return Object.keys(file).some((name) => name !== 'url' && name !== 'filename');
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Only what the job does not have from its project: the new job then follows the project. */
function optionTexts({ spec }: ZipJob, defaults: Defaults): FormState['values'] {
  const ofJob =
    chosenManifest({}, spec).manifestFormat ?? (spec.manifestEntry === undefined ? undefined : 'json');
  const ofProject = chosenManifest({}, defaults);
  const job = { ...spec, manifestFormat: ofJob };
  const project = {
    ...SPEC_DEFAULTS,
    ...defaults,
    manifestFormat: ofProject.manifestFormat ?? (ofProject.manifestEntry === undefined ? undefined : 'json'),
  };
  return Object.fromEntries(
    NEW_JOB_OPTIONS.flatMap((option) => {
      const value = valueAt(job, option.path);
      if (value === undefined || isSame(value, valueAt(project, option.path))) return [];
      const text = fieldText(option, value);
      return isAllowed(option, text, defaults) ? [[option.name, text] as const] : [];
    }),
  );
}

function valuesOf(zipJob: ZipJob, defaults: Defaults, urls: string): FormState['values'] {
  const { service, name } = bucketOf(zipJob);
  const { key, metadata = SPEC_DEFAULTS.metadata } = zipJob.spec;
  return {
    bucket: bucketChoice({ service, bucketName: name }),
    key,
    urls,
    jobMetadata: metadata === SPEC_DEFAULTS.metadata ? '' : metadata,
    ...optionTexts(zipJob, defaults),
  };
}

/** What a form of a new job takes from another job, by its ID or name. The list is there only for users who may read it. */
export async function sourceJob(
  deps: Deps,
  request: PageRequest,
  { id, defaults }: { readonly id: string; readonly defaults: Defaults },
): Promise<SourceJob> {
  try {
    const found = await findJob(deps, {
      ...request,
      params: { ...request.params, job: id },
    });
    const { zipJob } = found;
    const { files, reason } = await listOf(deps, request, found);
    const urls = textOf(files);
    const unfit = unfitReason(urls, files);
    const { namespace, name } = zipJob.metadata;
    return {
      values: valuesOf(zipJob, defaults, unfit === '' ? urls : ''),
      reason: unfit === '' ? reason : unfit,
      job: { key: zipJob.spec.key, href: FORMAT.path('projects', namespace, 'jobs', name) },
      reduced: unfit === '' ? files.filter(isReduced).length : 0,
    };
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return { values: {}, reason: error.message, job: undefined, reduced: 0 };
  }
}
