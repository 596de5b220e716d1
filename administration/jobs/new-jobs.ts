import { ANNOTATIONS, bucketResourceName, GROUP_VERSION, LABELS, zipJobName } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import {
  type ChosenObjectOptions,
  isFinished,
  type ListedFile,
  SPEC_DEFAULTS,
  type ZipJob,
  type ZipJobSpec,
} from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { storeKindOf } from '#runtime/store/store-location.ts';
import { sourceBucketsField, sourceBucketsOf } from '#runtime/zip-request/bucket-url.ts';
import { type EntryFault, findEntryFaults } from '#runtime/zip-request/entry-faults.ts';
import {
  type FileList,
  FileListTooLargeError,
  fileListBytes,
  packFileList,
} from '#runtime/zip-request/file-list.ts';
import { fileListSecrets, filesFromOf, jobDefaults, webhookSnapshot } from '#runtime/zip-request/job-spec.ts';
import { keyProblem } from '#runtime/zip-request/key-problem.ts';
import { chosenManifest, type NameOptions, nameRules } from '#runtime/zip-request/manifest-choice.ts';
import { findNameFaults } from '#runtime/zip-request/name-faults.ts';
import { findObjectFault, findUnsupported, mergeObjectOptions } from '#runtime/zip-request/object-options.ts';
import { projectLimit, statedExcess, storeLimit, sumOfStated } from '#runtime/zip-request/stated-sizes.ts';
import { isLooser } from '#runtime/zip-request/strictness.ts';
import { type BucketRef, resourceNameOf } from '../buckets/bucket-input.ts';
import { requiredProject } from '../changes/required-project.ts';
import { AdministrationError, hasCode, invalidInput } from '../errors/administration-error.ts';
import { toLimitView } from '../projects/project-limits.ts';
import { type Job, toJob } from './job-view.ts';

/** Unvalidated input from a form or from arguments. */
export interface NewJob extends BucketRef {
  /** UUID of the job: sending it twice creates one job. */
  readonly uuid: string;
  readonly key: string;
  readonly files: readonly ListedFile[];
  /** A JSON object that the webhook contains. Default: {}. */
  readonly metadata?: string;
  readonly options?: NewJobOptions;
}

/** An absent option has the default of the project. */
export interface NewJobOptions
  extends NameOptions,
    Pick<
      ZipJobSpec,
      | 'onSourceError'
      | 'onConflict'
      | 'compression'
      | 'sha256'
      | 'fixedModificationTime'
      | 'sequential'
      | 'objectOptions'
    > {}

/** The settings of the API that limit requests. */
export interface NewJobRules {
  /** Describes a URL that is not allowed; undefined if it is. */
  readonly urlProblem: (url: string) => string | undefined;
  readonly maxFiles: number;
  /** In characters. */
  readonly maxUrlLength: number;
  /** In bytes of UTF-8. */
  readonly maxKeyBytes: number;
}

/** Entries of a new job that the API would refuse too. */
export class InvalidEntriesError extends AdministrationError {
  readonly faults: readonly EntryFault[];

  constructor(faults: readonly EntryFault[]) {
    super(`${faults.length} of the files cannot be used`, { code: 'InvalidInput', field: 'urls' });
    this.faults = faults;
  }
}

export interface NewJobs {
  /**
   * Creates a job as the API does for a request: the ZipJob, then the Secrets with its files. Sent again, it stores Secrets that are
   * missing.
   * @throws AdministrationError InvalidInput, NotFound, Refused, AlreadyExists; InvalidEntriesError, IncompleteJobError
   */
  create(job: NewJob, rules: NewJobRules): Promise<Job>;
}

export interface NewJobsOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly buckets: Pick<ObjectClient<ZipBucket>, 'get'>;
  readonly secrets: Pick<ObjectClient<Secret>, 'create' | 'get'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'create' | 'get' | 'delete'>;
}

const LIST_LABELS = {
  [LABELS.name]: 'zipjobs',
  [LABELS.component]: 'file-list',
  [LABELS.partOf]: 'zipjobs',
  [LABELS.managedBy]: 'zipjobs-administration',
} as const;

function checkKey(key: string, { maxKeyBytes }: NewJobRules): void {
  if (key === '') throw invalidInput('key', 'Enter a key');
  const problem = keyProblem(key, maxKeyBytes);
  if (problem !== undefined) throw invalidInput('key', `Key ${problem}`);
}

function checkMetadata(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isRecord(value) || Array.isArray(value))
    throw invalidInput('metadata', 'metadata must be a JSON object, such as {"order": 7}');
}

const STRICT_OPTIONS = ['onConflict', 'portableNames'] as const;

/** As the API, which also lets a request only be stricter than its project and its bucket. */
function checkOptions(
  { options = {} }: NewJob,
  { jobDefaults: defaults = {} }: ZipProject['spec'],
  { spec: bucket }: ZipBucket,
): void {
  for (const option of STRICT_OPTIONS) {
    const demanded = [
      defaults[option],
      option === 'onConflict' ? bucket.objectOptions?.onConflict : undefined,
    ];
    const stricter = demanded.find((value) => isLooser(option, options[option], value));
    if (stricter !== undefined)
      throw invalidInput(
        option,
        `${option} cannot be "${options[option]}": the project or the bucket requires "${stricter}"`,
      );
  }
  checkObjectOptions(options.objectOptions ?? {}, defaults.objectOptions ?? {}, bucket);
}

function checkObjectOptions(
  chosen: ChosenObjectOptions,
  defaults: ChosenObjectOptions,
  bucket: ZipBucket['spec'],
): void {
  const kind = storeKindOf(bucket);
  const fault = findObjectFault(chosen) ?? findUnsupported(chosen, kind);
  if (fault) throw invalidInput(fault.field, `${fault.field} of the object ${fault.problem}`);
  const ofProject = findUnsupported(mergeObjectOptions(defaults, chosen), kind);
  if (ofProject)
    throw new AdministrationError(
      `jobDefaults.objectOptions.${ofProject.field} of the project ${ofProject.problem}`,
      { code: 'Refused', field: 'bucket' },
    );
  const all = mergeObjectOptions(mergeObjectOptions(bucket.objectOptions ?? {}, defaults), chosen);
  const excess = findObjectFault(defined({ metadata: all.metadata, tags: all.tags }));
  if (excess)
    throw invalidInput(
      excess.field,
      `${excess.field} of the object ${excess.problem}, together with those of the project and the bucket`,
    );
}

function checkFiles({ files, options = {} }: NewJob, project: ZipProject, rules: NewJobRules): void {
  const { urlProblem, maxUrlLength } = rules;
  const { limits, limitsInForce } = toLimitView(project);
  const most = Math.min(rules.maxFiles, limitsInForce.filesPerJob ?? limits.filesPerJob ?? rules.maxFiles);
  if (files.length === 0) throw invalidInput('urls', 'Enter at least one URL');
  if (files.length > most)
    throw invalidInput(
      'urls',
      `The list has ${files.length} files, and an archive can contain at most ${most}. Split them into several archives`,
    );
  const names = nameRules(options, project.spec.jobDefaults ?? {});
  // No file can be larger than the archive.
  const maxFileBytes = limitsInForce.archiveBytes ?? limits.archiveBytes ?? undefined;
  const deps = { urlProblem, findNameFaults, limits: { maxUrlLength }, ...defined({ maxFileBytes }) };
  const faults = [...findEntryFaults(files, names, deps)].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new InvalidEntriesError(faults);
}

function checkSizes(
  { files, options }: NewJob,
  { spec, status }: ZipProject,
  bucket: ZipBucket['spec'],
): void {
  const { limits, limitsInForce } = toLimitView({ spec, ...defined({ status }) });
  const archiveBytes = limitsInForce.archiveBytes ?? limits.archiveBytes;
  const limitsOfAll = [
    storeLimit(storeKindOf(bucket)),
    ...(archiveBytes === null ? [] : [projectLimit(archiveBytes)]),
  ];
  const statedBytes = sumOfStated(files);
  for (const limit of limitsOfAll) {
    const excess = statedExcess(statedBytes, { ...jobDefaults(spec), ...options }, limit);
    if (excess !== undefined) throw invalidInput('urls', `${excess}. Split the files into several archives`);
  }
}

async function bucketOf(
  { buckets }: NewJobsOptions,
  project: ZipProject,
  ref: BucketRef,
): Promise<ZipBucket> {
  const { namespace } = project.metadata;
  const bucket = await buckets.get(namespace, resourceNameOf(ref));
  if (!bucket || bucket.metadata.deletionTimestamp !== undefined)
    throw new AdministrationError(
      `Bucket "${ref.bucketName}" (${ref.service}) not found in project "${namespace}". Add it, or choose another one`,
      { code: 'NotFound', field: 'bucket' },
    );
  return bucket;
}

/** @throws AdministrationError NotFound or Refused for a bucket of a file that the job must not read */
async function checkSourceBuckets(
  { buckets }: NewJobsOptions,
  { metadata: { namespace } }: ZipProject,
  { files }: NewJob,
): Promise<void> {
  for (const { service, bucketName, zipBucket, index } of sourceBucketsOf(files)) {
    const bucket = await buckets.get(namespace, zipBucket);
    const what = `File ${index + 1} is in bucket "${bucketName}" (${service})`;
    if (!bucket || bucket.metadata.deletionTimestamp !== undefined)
      throw new AdministrationError(
        `${what}, which was not found in project "${namespace}". Add it, or correct the URL`,
        { code: 'NotFound', field: 'urls' },
      );
    if (bucket.spec.readable !== true)
      throw new AdministrationError(
        `${what}, which is not readable. An admin of the project can change that`,
        {
          code: 'Refused',
          field: 'urls',
          commandHint: `Make it readable with: zipjobs bucket update ${bucketName} --service ${service} --readable -n ${namespace}`,
        },
      );
  }
}

async function pack(files: readonly ListedFile[]): Promise<FileList> {
  try {
    return await packFileList(files);
  } catch (error) {
    if (!(error instanceof FileListTooLargeError)) throw error;
    throw invalidInput('urls', `The list ${error.message}. Split the files into several archives`);
  }
}

function toZipJob(
  {
    key,
    files,
    metadata = SPEC_DEFAULTS.metadata,
    options: { manifest, objectOptions, ...options } = {},
  }: NewJob,
  { metadata: { namespace }, spec }: ZipProject,
  made: { readonly bucket: ZipBucket; readonly list: FileList; readonly name: string },
): ZipJob {
  const { bucket, list, name } = made;
  const { service, bucketName } = bucket.spec;
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: {
      namespace,
      name,
      labels: { ...LIST_LABELS, [LABELS.component]: 'archive' },
      annotations: { [ANNOTATIONS.fileListBytes]: String(fileListBytes(list)) },
    },
    spec: {
      ...jobDefaults(spec),
      bucketRef: { name: bucketResourceName(service, bucketName) },
      service,
      key,
      filesFrom: filesFromOf(name, list),
      ...sourceBucketsField(sourceBucketsOf(files)),
      metadata,
      ...options,
      ...(objectOptions && {
        objectOptions: mergeObjectOptions(spec.jobDefaults?.objectOptions ?? {}, objectOptions),
      }),
      ...chosenManifest(defined({ manifest }), spec.jobDefaults ?? {}),
      ...webhookSnapshot(spec),
    },
  };
}

/** `foreign`: of a deleted job of the same name, until the garbage collector deletes it. */
async function ownerOf(
  { secrets }: NewJobsOptions,
  { metadata: { namespace, name } }: Secret,
  uid: string,
): Promise<'ours' | 'none' | 'foreign' | 'unknown'> {
  try {
    const secret = await secrets.get(namespace, name);
    if (secret === undefined) return 'none';
    return secret.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true ? 'ours' : 'foreign';
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return 'unknown';
    throw error;
  }
}

function foreignSecret({ metadata: { name } }: Secret): AdministrationError {
  return new AdministrationError(
    `Secret "${name}" already exists and belongs to another object. Send it again in a moment, or delete the Secret`,
    { code: 'Refused' },
  );
}

/** Stores the Secrets that do not exist yet, and returns their number. */
async function storeList(
  options: NewJobsOptions,
  job: ZipJob,
  { list, isNew }: { readonly list: FileList; readonly isNew: boolean },
): Promise<number> {
  const uid = uidOf(job);
  let stored = 0;
  for (const secret of fileListSecrets(job, list, LIST_LABELS)) {
    if (!isNew && (await ownerOf(options, secret, uid)) === 'ours') continue;
    if (await options.secrets.create(secret)) {
      stored += 1;
      continue;
    }
    const owner = await ownerOf(options, secret, uid);
    // Its name has the UUID of the form, so without the right to read it, it counts as stored by the same form, sent twice.
    if (owner !== 'ours' && owner !== 'unknown') throw foreignSecret(secret);
  }
  return stored;
}

/** The ZipJob exists without its file list. The same job, sent again, completes it. */
export class IncompleteJobError extends AdministrationError {}

function cannotStore(
  error: Error,
  { exists, end }: { readonly exists: boolean; readonly end: string },
): AdministrationError {
  return new (exists ? IncompleteJobError : AdministrationError)(
    `Cannot store the file list: ${error.message}. ${end}`,
    { code: error instanceof AdministrationError ? error.code : 'Failed', cause: error },
  );
}

async function storeListOrDelete(options: NewJobsOptions, job: ZipJob, list: FileList): Promise<void> {
  const { namespace, name } = job.metadata;
  try {
    await storeList(options, job, { list, isNew: true });
  } catch (thrown) {
    const end = await options.zipJobs.delete(namespace, name, { uid: uidOf(job) }).then(
      () => ({ exists: false, end: 'No job was created' }),
      () => ({ exists: true, end: `Job "${name}" has no file list. Send it again, or delete the job` }),
    );
    throw cannotStore(toError(thrown), end);
  }
}

/**
 * Completes the job of an earlier request with the same files, whose response was lost before the file list was stored.
 * @throws AdministrationError AlreadyExists if there is nothing to complete, Refused if the job is being deleted
 */
async function complete(options: NewJobsOptions, wanted: ZipJob, list: FileList): Promise<ZipJob> {
  const { namespace, name } = wanted.metadata;
  const job = await options.zipJobs.get(namespace, name);
  const exists = new AdministrationError(`Job "${name}" already exists`, { code: 'AlreadyExists' });
  const isSame = job !== undefined && job.spec.filesFrom?.sha256 === wanted.spec.filesFrom?.sha256;
  if (!isSame || isFinished(job) || isFileListDeleted(job)) throw exists;
  if (job.metadata.deletionTimestamp !== undefined)
    throw new AdministrationError(`Job "${name}" of this request is being deleted. Send it again`, {
      code: 'Refused',
    });
  const stored = await storeList(options, job, { list, isNew: false }).catch((error: unknown) => {
    const end = `Job "${name}" waits for it. Send it again`;
    throw cannotStore(toError(error), { exists: true, end });
  });
  if (stored === 0) throw exists;
  return job;
}

/** Creates jobs with the permissions of a user. */
export function createNewJobs(options: NewJobsOptions, namespace: string): NewJobs {
  return {
    create: async (job, rules) => {
      checkKey(job.key, rules);
      if (job.metadata !== undefined) checkMetadata(job.metadata);
      const project = await requiredProject(options.projects, namespace);
      const bucket = await bucketOf(options, project, job);
      checkOptions(job, project.spec, bucket);
      checkFiles(job, project, rules);
      checkSizes(job, project, bucket.spec);
      await checkSourceBuckets(options, project, job);
      const list = await pack(job.files);
      const name = zipJobName(job.uuid);
      const wanted = toZipJob(job, project, { bucket, list, name });
      const created = await options.zipJobs.create(wanted);
      if (!created) return toJob(await complete(options, wanted, list));
      await storeListOrDelete(options, created, list);
      return toJob(created);
    },
  };
}
