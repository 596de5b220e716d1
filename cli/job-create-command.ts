import { randomUUID } from 'node:crypto';
import { readPairs } from '#administration/buckets/object-options-input.ts';
import { hasCode } from '#administration/errors/administration-error.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import {
  IncompleteJobError,
  InvalidEntriesError,
  type NewJobOptions,
  type NewJobRules,
} from '#administration/jobs/new-jobs.ts';
import { readArguments, readFileList } from '#administration/jobs/read-lines.ts';
import {
  COMPRESSIONS,
  type Compression,
  DUPLICATE_NAMES,
  type DuplicateNames,
  type ListedFile,
  MANIFEST_FORMATS,
  type ManifestFormat,
  MOST_FILES,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  type OnConflict,
  type OnSourceError,
  PORTABLE_NAMES,
  type PortableNames,
} from '#crds/zip-job.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { EntryFault } from '#runtime/zip-request/entry-faults.ts';
import { MODIFICATION_TIME_PROBLEM, modificationTime } from '#runtime/zip-request/modification-time.ts';
import { REQUEST_LIMIT_CONSTANTS, REQUEST_LIMIT_SETTINGS } from '#runtime/zip-request/settings.ts';
import { createUrlProblem } from '#runtime/zip-request/url-problem.ts';
import type { Command, CommandGroup } from './command.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { createdOutput } from './job-wait.ts';
import { BUCKET_OPTIONS, TIMEOUT } from './options.ts';
import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

interface OptionArguments {
  readonly compression: Compression | undefined;
  readonly onSourceError: OnSourceError | undefined;
  readonly onConflict: OnConflict | undefined;
  readonly portableNames: PortableNames | undefined;
  readonly duplicateNames: DuplicateNames | undefined;
  readonly manifest: ManifestFormat | undefined;
  readonly sha256: boolean | undefined;
  readonly sequential: boolean | undefined;
  readonly modificationTime: string | undefined;
  readonly contentDisposition: string | undefined;
  readonly contentType: string | undefined;
  readonly cacheControl: string | undefined;
  readonly storageClass: string | undefined;
  readonly objectMetadata: string | undefined;
  readonly tags: string | undefined;
}

interface CreateArguments extends GlobalArguments, OptionArguments {
  readonly urls: readonly string[] | undefined;
  readonly from: string | undefined;
  readonly bucket: string;
  readonly service: string;
  readonly key: string;
  readonly metadata: string | undefined;
  readonly id: string | undefined;
  readonly wait: boolean | undefined;
  readonly timeout: number;
}

/** Of a list on standard input: every URL of the largest list. */
const LIST_LIMIT = { characters: 100_000_000, remedy: 'Split the files into several archives' };
/** Faulty files that an error lists. */
const SHOWN_FAULTS = 20;

/** Which hosts are allowed is a setting of the installation, which the zipper applies. */
const RULES: NewJobRules = {
  urlProblem: createUrlProblem({
    judgeAddress: () => 'allowed',
    allowsLoopback: true,
    allowsName: () => true,
    closedRanges: [],
  }),
  maxFiles: MOST_FILES,
  maxUrlLength: REQUEST_LIMIT_SETTINGS.maxUrlLength.maximum,
  maxKeyBytes: REQUEST_LIMIT_CONSTANTS.maxKeyBytes,
};

interface GivenFiles {
  readonly files: readonly ListedFile[];
  /** Names a file in an error, by its index. */
  readonly placeOf: (index: number) => string;
}

/** A field in an error; other fields have their own name. */
const FIELD_NAMES: Readonly<Record<string, string>> = { filename: 'name', url: 'URL' };

function faultsError(
  faults: readonly (Pick<EntryFault, 'field' | 'problem'> & { readonly place: string })[],
): UsageError {
  const lines = faults.slice(0, SHOWN_FAULTS).map(({ place, field, problem }) => {
    const subject = field === null ? '' : `: the ${FIELD_NAMES[field] ?? field}`;
    return `${place}${subject} ${problem}`;
  });
  const more = faults.length - lines.length;
  return new UsageError(
    [
      `${faults.length} of the files cannot be used`,
      ...lines,
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('\n'),
  );
}

async function filesOf({ urls = [], from }: CreateArguments, session: Session): Promise<GivenFiles> {
  if (from === undefined) return { files: readArguments(urls), placeOf: (index) => `File ${index + 1}` };
  if (urls.length > 0) throw new UsageError('Pass the URLs as arguments or with --from, not both');
  const text =
    from === '-'
      ? await session.terminal.readInput(LIST_LIMIT)
      : await readArgumentFile({ path: from, what: 'list of files' }, session);
  const { files, lines, faults } = readFileList(text);
  if (faults.length > 0)
    throw faultsError(faults.map(({ line, ...fault }) => ({ place: `Line ${line}`, ...fault })));
  return { files, placeOf: (index) => `Line ${lines[index] ?? 0}` };
}

function readTime(text: string | undefined): string | undefined {
  const time = text === undefined ? undefined : modificationTime(text);
  if (text !== undefined && time === undefined)
    throw new UsageError(`--modification-time "${text}" ${MODIFICATION_TIME_PROBLEM}`);
  return time;
}

function objectOptionsOf(args: OptionArguments): NewJobOptions['objectOptions'] {
  const options = defined({
    contentDisposition: args.contentDisposition,
    contentType: args.contentType,
    cacheControl: args.cacheControl,
    storageClass: args.storageClass,
    metadata: readPairs('metadata', args.objectMetadata),
    tags: readPairs('tags', args.tags),
  });
  return Object.keys(options).length === 0 ? undefined : options;
}

function optionsOf(args: OptionArguments): NewJobOptions {
  return defined({
    compression: args.compression,
    onSourceError: args.onSourceError,
    onConflict: args.onConflict,
    portableNames: args.portableNames,
    duplicateNames: args.duplicateNames,
    manifest: args.manifest,
    sha256: args.sha256,
    sequential: args.sequential,
    fixedModificationTime: readTime(args.modificationTime),
    objectOptions: objectOptionsOf(args),
  });
}

function idOf({ id }: CreateArguments): string {
  if (id === undefined) return randomUUID();
  if (isUuid(id)) return id;
  throw new UsageError('--id must be a UUID in lower case');
}

async function createJob(args: CreateArguments, given: GivenFiles, session: Session): Promise<Job> {
  const { bucket: bucketName, service, key, metadata } = args;
  const uuid = idOf(args);
  const ref = { bucketName, service };
  const job = { ...ref, uuid, key, files: given.files, options: optionsOf(args), ...defined({ metadata }) };
  try {
    return await session.administration.newJobs(session.namespace).create(job, RULES);
  } catch (error) {
    if (error instanceof InvalidEntriesError)
      throw faultsError(error.faults.map((fault) => ({ ...fault, place: given.placeOf(fault.index) })));
    if (error instanceof IncompleteJobError) session.terminal.note(`Repeat the command with --id ${uuid}`);
    if (args.id === undefined || !hasCode(error, 'AlreadyExists')) throw error;
    const existing = await session.administration.jobs(session.namespace).show(uuid);
    const isSame =
      existing.key === key &&
      existing.bucketName === bucketName &&
      existing.service === service &&
      existing.files.count === given.files.length;
    if (isSame) return existing;
    throw error;
  }
}

const create: Command<CreateArguments> = async (args, session) => {
  const given = await filesOf(args, session);
  const job = await createJob(args, given, session);
  const text = `Job "${job.name}" created. Its ID is ${job.id}.`;
  return createdOutput({ job, text, name: job.id }, args, session);
};

function text<const D extends string>(describe: D) {
  return { type: 'string', requiresArg: true, describe } as const;
}

const CREATE_OPTIONS = {
  bucket: { ...text('Bucket for the archive'), demandOption: true },
  ...BUCKET_OPTIONS.one,
  key: { ...text('Key of the archive, such as reports/may.zip'), demandOption: true },
  from: text(
    'File with one "URL [NAME]" or JSON object per line, or - for standard input. Use it for signed URLs. An object is an entry of "urls" in the API: {"url": ..., "filename": ..., "headers": {...}, "size": ..., "sha256": ..., "crc32": ..., "content_type": ...}',
  ),
  wait: { type: 'boolean', describe: 'Wait until the job finishes' },
  timeout: TIMEOUT('1h'),
  compression: { choices: COMPRESSIONS, requiresArg: true, describe: 'Which files are compressed' },
  'on-source-error': {
    choices: ON_SOURCE_ERRORS,
    requiresArg: true,
    describe: 'What to do when a file cannot be downloaded',
  },
  'on-conflict': {
    choices: ON_CONFLICTS,
    requiresArg: true,
    describe: 'What to do when the key already exists',
  },
  'portable-names': {
    choices: PORTABLE_NAMES,
    requiresArg: true,
    describe: 'What to do with names that some systems cannot store',
  },
  'duplicate-names': {
    choices: DUPLICATE_NAMES,
    requiresArg: true,
    describe: 'What to do with names that another file has',
  },
  manifest: { choices: MANIFEST_FORMATS, requiresArg: true, describe: 'Add a manifest in this format' },
  sha256: { type: 'boolean', describe: 'Compute the SHA-256 of the archive' },
  sequential: { type: 'boolean', describe: 'Request the files one after another' },
  'modification-time': text('Modification time of all files in the archive, such as 2026-01-31T12:00:00Z'),
  metadata: text('JSON object that the webhook and the API return'),
  'content-disposition': text('Content-Disposition of the archive'),
  'content-type': text('Content-Type of the archive'),
  'cache-control': text('Cache-Control of the archive'),
  'storage-class': text('Storage class of the archive'),
  'object-metadata': text('User metadata of the archive, such as team=sales,stage=live'),
  tags: text('Tags of the archive, such as team=sales,stage=live'),
  id: text('UUID of the new job. With the same UUID, the command creates only one job'),
} as const;

export const addCreateCommand: CommandGroup = (group, run) =>
  group.command(
    'create [urls..]',
    'Create an archive from URLs',
    (args) =>
      args
        .positional('urls', {
          type: 'string',
          array: true,
          describe: 'URLs of the files, as URL or NAME=URL',
        })
        .options(CREATE_OPTIONS)
        .example(
          '$0 job create --bucket reports --key may.zip https://example.com/a.pdf b.pdf=https://example.com/2 --wait',
          'Create an archive of two files and wait for it',
        )
        .example(
          '$0 job create --bucket reports --key may.zip --from files.txt',
          'Read the URLs from a file',
        ),
    run(create),
  );
