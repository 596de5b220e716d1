/** The rules for the entries of a request, for the API and for jobs that users create. */
import { type ListedFile, MAX_SOURCE_BUCKETS } from '#crds/zip-job.ts';
import { isDataUrl, MAX_DATA_BYTES_IN_ALL, readDataUrl } from '../entries/data-url.ts';
import { expectationFault } from '../entries/expectations.ts';
import type { ManifestNameRules } from '../entries/manifest-names.ts';
import { bucketObjectOf, bucketUrlProblem, isBucketUrl, zipBucketOf } from './bucket-url.ts';
import { sourceHeadersProblem } from './source-headers.ts';

/** The fields of an entry, as requests spell them. */
export const ENTRY_FIELDS = [
  'url',
  'filename',
  'headers',
  'size',
  'sha256',
  'crc32',
  'content_type',
] as const satisfies readonly (Exclude<keyof ListedFile, 'contentType'> | 'content_type')[];
export type EntryField = (typeof ENTRY_FIELDS)[number];

/** A fault of one entry. Its text contains no value of the request. */
export interface EntryFault {
  readonly index: number;
  /** Null for the entry as a whole. */
  readonly field: EntryField | null;
  /** Where in the entry, as the end of a path. */
  readonly place: string;
  /** The end of a sentence. */
  readonly problem: string;
}

/** Finds one fault after another, until the reader stops; undefined is a pause, as in Steps. */
export type Faults = Generator<EntryFault | undefined, void, undefined>;

export interface EntryCheckDeps {
  /** Describes a URL that is not allowed; undefined if it is. */
  readonly urlProblem: (url: string) => string | undefined;
  /** The names that are invalid or conflict with other names. */
  readonly findNameFaults: (names: readonly string[], rules: ManifestNameRules) => Faults;
  readonly limits: { readonly maxUrlLength: number };
  /** The largest size that an entry can state. Absent: entries state none. */
  readonly maxFileBytes?: number;
}

/** The first fault of an entry except those of its name, or the bytes of content in the URL. */
type Checked = { readonly bytes: number } | { readonly field: EntryField; readonly problem: string };

export function faultOf(index: number, field: EntryField, problem: string): EntryFault {
  return {
    index,
    field,
    place: `.${field}`,
    problem,
  };
}

/** The path of what is faulty in the request. */
export function placeOf({ index, place }: Pick<EntryFault, 'index' | 'place'>): string {
  return `urls[${index}]${place}`;
}

/** The error message of a fault. */
export function messageOf(fault: EntryFault): string {
  return `${placeOf(fault)} ${fault.problem}.`;
}

function remoteProblem(url: string, { urlProblem, limits }: EntryCheckDeps): string | undefined {
  if (url.length > limits.maxUrlLength) return `is longer than ${limits.maxUrlLength} characters`;
  if (!url.isWellFormed()) return 'is not valid Unicode: it contains an unpaired surrogate';
  return isBucketUrl(url) ? bucketUrlProblem(url) : urlProblem(url);
}

function checkInline({ url, headers }: ListedFile): Checked {
  const content = readDataUrl(url);
  if (!content.ok) return { field: 'url', problem: content.problem };
  if (headers !== undefined) return { field: 'headers', problem: 'cannot be sent: the URL is a data: URL' };
  return { bytes: content.bytes.length };
}

function checkRemote({ url, headers }: ListedFile, deps: EntryCheckDeps): Checked {
  const ofUrl = remoteProblem(url, deps);
  if (ofUrl !== undefined) return { field: 'url', problem: ofUrl };
  if (headers !== undefined && isBucketUrl(url))
    return {
      field: 'headers',
      problem: 'cannot be sent: zipjobs signs the request to a bucket. Remove them',
    };
  const ofHeaders = headers && sourceHeadersProblem(headers);
  return ofHeaders === undefined ? { bytes: 0 } : { field: 'headers', problem: ofHeaders };
}

function checkExpectations(
  entry: ListedFile,
  { maxFileBytes = Number.MAX_SAFE_INTEGER }: EntryCheckDeps,
): Checked {
  const fault = expectationFault(entry);
  if (fault)
    return { field: fault.name === 'contentType' ? 'content_type' : fault.name, problem: fault.problem };
  if ((entry.size ?? 0) <= maxFileBytes) return { bytes: 0 };
  return { field: 'size', problem: `is larger than the maximum file size of ${maxFileBytes} bytes` };
}

function checkEntry(entry: ListedFile, deps: EntryCheckDeps): Checked {
  const checked = isDataUrl(entry.url) ? checkInline(entry) : checkRemote(entry, deps);
  if ('problem' in checked) return checked;
  const stated = checkExpectations(entry, deps);
  return 'problem' in stated ? stated : checked;
}

/** Finds the first entry with one bucket too many. */
function createBucketLimit() {
  const buckets = new Set<string>();
  return (url: string): string | undefined => {
    const object = bucketObjectOf(url);
    if (!object) return undefined;
    buckets.add(zipBucketOf(object));
    return buckets.size > MAX_SOURCE_BUCKETS
      ? `names one bucket too many: the files of a job can be in at most ${MAX_SOURCE_BUCKETS} buckets. Split them into several archives`
      : undefined;
  };
}

/** The faults of entries whose types are valid: first those of all URLs, headers and expectations, then those of the names. */
export function* findEntryFaults(
  entries: readonly ListedFile[],
  rules: ManifestNameRules,
  deps: EntryCheckDeps,
): Faults {
  let inline = 0;
  const bucketExcess = createBucketLimit();
  for (const [index, entry] of entries.entries()) {
    const excess = bucketExcess(entry.url);
    const checked =
      excess === undefined ? checkEntry(entry, deps) : ({ field: 'url', problem: excess } as const);
    if ('problem' in checked) {
      yield faultOf(index, checked.field, checked.problem);
      continue;
    }
    inline += checked.bytes;
    yield checked.bytes > 0 && inline > MAX_DATA_BYTES_IN_ALL
      ? faultOf(
          index,
          'url',
          `exceeds the ${MAX_DATA_BYTES_IN_ALL} bytes that all data: URLs of a request can contain`,
        )
      : undefined;
  }
  yield* deps.findNameFaults(
    entries.map(({ filename }) => filename),
    rules,
  );
}
