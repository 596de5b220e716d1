import { hasCode } from '#administration/errors/administration-error.ts';
import type { FileSource } from '#administration/errors/failure-cause.ts';
import { fileListOwner } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isFileListDeleted } from '#crds/zip-job-facts.ts';
import { fileListBytesOf } from '#runtime/project-limits/stored-bytes.ts';
import type { PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { createSharedReads } from '../user/shared-reads.ts';
import { readFileListLines } from './file-list-lines.ts';
import type { FoundJob } from './find-job.ts';
import { failingIndices, type KnownSources, toKnownSource } from './known-sources.ts';

/** The failing files of a job with a stored file list. */
export interface StoredSources {
  readonly sources: KnownSources;
  /** Why they are unknown; empty if they are known, or if there are none. */
  readonly reason: string;
}

/** The failing files of a finished job never change, and its page is polled while its webhook is pending. */
const SHARED_MS = 60_000;
/** Of a valid entry: 1,024 bytes. */
const MAX_NAME_LENGTH = 1_024;
/** Of a name in DNS: 253 characters, and those of a port. */
const MAX_HOST_LENGTH = 259;
/** Two bytes per character. */
const BYTES_OF_A_SOURCE = 4 * 1024;

const NOTHING: StoredSources = { sources: new Map(), reason: '' };

function unknown(reason: string): StoredSources {
  return { sources: new Map(), reason };
}

const DELETED = unknown('File names and hosts are no longer known, because the file list was deleted.');
const TOO_LARGE = unknown('The file list is too large to show file names and hosts.');
const UNREADABLE = unknown('The file list cannot be read, so file names and hosts are unknown.');

function isShort({ filename, host }: FileSource): boolean {
  return filename.length <= MAX_NAME_LENGTH && host.length <= MAX_HOST_LENGTH;
}

/** Undefined for a line that the API would not write. */
function toSource(line: string): FileSource | undefined {
  const { url, filename } = JSON.parse(line) as { readonly url?: unknown; readonly filename?: unknown };
  if (typeof url !== 'string' || typeof filename !== 'string') return undefined;
  const source = toKnownSource({ url, filename });
  return isShort(source) ? source : undefined;
}

async function findSources(
  { user }: PageRequest,
  zipJob: ZipJob,
  wanted: { readonly wanted: ReadonlySet<number>; readonly maxBytes: number },
): Promise<StoredSources> {
  const found = new Map<number, FileSource>();
  function onLine(index: number, line: string): void {
    const source = toSource(line);
    if (source !== undefined) found.set(index, source);
  }
  if (!(await readFileListLines(user.sharedKube, zipJob, { ...wanted, onLine }))) return TOO_LARGE;
  return found.size === 0 ? UNREADABLE : { sources: found, reason: '' };
}

async function readSources(request: PageRequest, zipJob: ZipJob, maxBytes: number): Promise<StoredSources> {
  try {
    return await findSources(request, zipJob, { wanted: new Set(failingIndices(zipJob)), maxBytes });
  } catch (error) {
    // The session ends.
    if (hasCode(error, 'Unauthorized')) throw error;
    return UNREADABLE;
  }
}

/** Why the file list of a job is not read; undefined if it is. */
function obstacle({ zipJob, isArchived }: FoundJob, maxBytes: number): StoredSources | undefined {
  const { filesFrom } = zipJob.spec;
  if (filesFrom === undefined || failingIndices(zipJob).length === 0) return NOTHING;
  if (isArchived || isFileListDeleted(zipJob)) return DELETED;
  // Anyone who can create a ZipJob chooses these names.
  if (fileListOwner(filesFrom.secretNames) === undefined) return UNREADABLE;
  return fileListBytesOf(zipJob) > maxBytes ? TOO_LARGE : undefined;
}

/**
 * Reads names and hosts of the failing files from the Secrets of the file list, with the token of the user, who must be allowed to
 * read them. Keeps nothing else of a URL.
 */
export function createStoredSources({
  config,
  clock,
  metrics,
}: Pick<PageDeps, 'config' | 'clock' | 'metrics'>) {
  const share = createSharedReads<StoredSources>({
    clock,
    ageMs: SHARED_MS,
    maxBytes: config.dashboardSharedReadBytes,
    // A failed read is not kept.
    bytesOf: ({ sources, reason }) => (reason === '' ? (sources.size + 1) * BYTES_OF_A_SOURCE : Infinity),
    onShared: () => metrics.sharedReads.inc({ kind: 'sources' }),
  });
  const maxBytes = config.dashboardFileListBytes;
  return async (request: PageRequest, found: FoundJob): Promise<StoredSources> => {
    const { user, namespace } = request;
    const { zipJob } = found;
    const known = obstacle(found, maxBytes);
    if (known !== undefined) return known;
    const { secretNames = [] } = zipJob.spec.filesFrom ?? {};
    const verdicts = await Promise.all(
      secretNames.map((name) => user.may(namespace, { verb: 'get', resource: 'secrets', group: '', name })),
    );
    const refused = verdicts.findIndex(({ allowed }) => !allowed);
    if (refused !== -1)
      return unknown(
        `You are not allowed to read the file list (Secret ${secretNames[refused]}), so names and hosts of files are hidden.`,
      );
    function read(): Promise<StoredSources> {
      return readSources(request, zipJob, maxBytes);
    }
    try {
      return await share(user.name, [namespace, zipJob.metadata.name, uidOf(zipJob)], read);
    } catch (error) {
      // The token of another session may have expired during its read, which must not end this session.
      if (!hasCode(error, 'Unauthorized')) throw error;
      return read();
    }
  };
}
