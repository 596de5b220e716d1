import { DUPLICATE_NAMES, type ListedFile, MANIFEST_FORMATS, PORTABLE_NAMES } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { ManifestNameRules } from '#runtime/entries/manifest-names.ts';
import { type EntryFault, findEntryFaults, messageOf, placeOf } from '#runtime/zip-request/entry-faults.ts';
import { nameRules } from '#runtime/zip-request/manifest-choice.ts';
import type { Steps } from '../body/steps.ts';
import type { StrictJson } from '../body/strict-json.ts';
import { ApiError, misspelledText, parameterInvalid } from '../errors/api-error.ts';
import type { RequestCheckDeps } from './check-request.ts';
import { findMisspelled, type Misspelling } from './unknown-fields.ts';

/** Maximum number of faulty entries in an error response. */
export const MAX_LISTED_ENTRIES = 100;

/** A fault of one entry with its error message. */
interface ListedFault extends Pick<EntryFault, 'index' | 'field'> {
  readonly message: string;
}

/** The first faulty entries of a request, each with its first fault, and the number of all. */
interface FaultList {
  add(fault: ListedFault): void;
  readonly first: readonly ListedFault[];
  readonly total: number;
}

function toListed(fault: EntryFault): ListedFault {
  return { index: fault.index, field: fault.field, message: messageOf(fault) };
}

function misspelledFault(index: number, { name, meant }: Misspelling): ListedFault {
  return { index, field: null, message: misspelledText(placeOf({ index, place: `.${name}` }), meant) };
}

/** Keeps MAX_LISTED_ENTRIES faults: faults arrive by kind, not in the order of the entries. */
function createFaultList(entries: number): FaultList {
  const isFaulty = new Uint8Array(entries);
  const first: ListedFault[] = [];
  let total = 0;
  return {
    add: (fault) => {
      if (isFaulty[fault.index] === 1) return;
      isFaulty[fault.index] = 1;
      total += 1;
      const last = first[MAX_LISTED_ENTRIES - 1];
      if (last !== undefined && fault.index > last.index) return;
      first.push(fault);
      first.sort((a, b) => a.index - b.index);
      first.length = Math.min(first.length, MAX_LISTED_ENTRIES);
    },
    first,
    get total() {
      return total;
    },
  };
}

/** The options of a body may be invalid, since entries are checked first. */
function rulesOf(body: StrictJson['body'], { options }: RequestCheckDeps): ManifestNameRules {
  const portableNames = PORTABLE_NAMES.find((choice) => choice === body['portable_names']);
  const duplicateNames = DUPLICATE_NAMES.find((choice) => choice === body['duplicate_names']);
  const manifest = MANIFEST_FORMATS.find((choice) => choice === body['manifest']);
  return nameRules(defined({ portableNames, duplicateNames, manifest }), options.defaults);
}

function* findFaults(
  body: StrictJson['body'],
  entries: readonly unknown[],
  deps: RequestCheckDeps,
): Steps<FaultList> {
  const list = createFaultList(entries.length);
  /** Entries whose types are valid, and where they are in the request. */
  const valid: ListedFile[] = [];
  const positions: number[] = [];
  for (const [index, entry] of entries.entries()) {
    const checked = deps.checkEntry(entry, index);
    if ('fault' in checked) list.add(toListed(checked.fault));
    else {
      const found = findMisspelled(entry);
      if (found) list.add(misspelledFault(index, found));
      valid.push(checked.file);
      positions.push(index);
    }
    yield;
  }
  for (const fault of findEntryFaults(valid, rulesOf(body, deps), deps)) {
    if (fault) list.add(toListed({ ...fault, index: positions[fault.index] ?? fault.index }));
    yield;
  }
  return list;
}

/** The field `error.files` of the response. */
function listed({ index, field, message }: ListedFault) {
  return { file_index: index, param: field, code: 'parameter_invalid', message };
}

/**
 * The error of a request with invalid entries, with a list of the first ones and the number of all. Any other error is
 * returned unchanged: one that does not concern entries, or that prevents checking them, such as too many.
 */
export function* withEntryFaults(
  error: unknown,
  { body }: Pick<StrictJson, 'body'>,
  deps: RequestCheckDeps,
): Steps<unknown> {
  const { urls } = body;
  if (!(error instanceof ApiError) || error.param !== 'urls') return error;
  if (!Array.isArray(urls) || urls.length > deps.limits.maxFiles) return error;
  const { first, total } = yield* findFaults(body, urls, deps);
  if (total === 0) return error;
  const more = { files: first.map(listed), files_total: total };
  return parameterInvalid('urls', error.message, { more, ...(error.path !== null && { path: error.path }) });
}
