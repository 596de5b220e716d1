import { ENTRY_FIELDS } from '#runtime/zip-request/entry-faults.ts';
import type { Steps } from '../body/steps.ts';
import { type ApiError, parameterMisspelled } from '../errors/api-error.ts';
import { createFindMeant, type FindMeant } from './misspelling.ts';
import { REQUEST_FIELDS, type ZipJobBody } from './schemas/zip-job-request.ts';

/** Of the header `Ignored-Fields`. */
export const MOST_SHOWN_FIELDS = 10;
/** Of one name in the header. */
export const SHOWN_FIELD_LENGTH = 64;
/** Names that are not judged again in another entry. */
const MOST_REMEMBERED = 1_000;
const CUT = '...';

/** A name that is not a field, and the field that it misspells. */
export interface Misspelling {
  readonly name: string;
  readonly meant: string;
}

/** The fixed fields of one object. */
interface Level {
  readonly known: ReadonlySet<string>;
  readonly findMeant: FindMeant;
}

function levelOf(fields: readonly string[]): Level {
  return { known: new Set(fields), findMeant: createFindMeant(fields) };
}

const REQUEST = levelOf(REQUEST_FIELDS);
const ENTRY = levelOf(ENTRY_FIELDS);

/** The first misspelled name of the object. Adds other unknown names to `ignored`, whose names are not judged again. */
function findIn(object: object, { known, findMeant }: Level, ignored: Set<string>): Misspelling | undefined {
  let first: Misspelling | undefined;
  for (const name of Object.keys(object)) {
    if (known.has(name) || ignored.has(name)) continue;
    const meant = findMeant(name);
    if (meant !== undefined) first ??= { name, meant };
    else if (ignored.size < MOST_REMEMBERED) ignored.add(name);
  }
  return first;
}

/** The first misspelled name of an entry of `urls`. */
export function findMisspelled(entry: unknown): Misspelling | undefined {
  return typeof entry === 'object' && entry !== null ? findIn(entry, ENTRY, new Set()) : undefined;
}

/** Printable ASCII of limited length. */
function shown(path: string): string {
  const text =
    path.length > SHOWN_FIELD_LENGTH ? `${path.slice(0, SHOWN_FIELD_LENGTH - CUT.length)}${CUT}` : path;
  return text.replaceAll(/[^ -~]/g, '?');
}

/** A list of strings of RFC 9651. */
function headerText(paths: readonly string[]): string {
  return [...new Set(paths.map(shown))]
    .slice(0, MOST_SHOWN_FIELDS)
    .map((path) => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
    .join(', ');
}

/** The fields of a request that the API does not know, except those in `metadata` and `headers`, whose names callers choose. */
interface UnknownFields {
  /** Value of the header `Ignored-Fields`; empty without ignored fields. */
  readonly ignored: string;
  /** The refusal of the first misspelled field. Those of entries come last. */
  readonly misspelled: ApiError | undefined;
}

/** Entries that are read at once. */
const BATCH_ENTRIES = 500;

export function* findUnknownFields(body: ZipJobBody): Steps<UnknownFields> {
  const ofRequest = new Set<string>();
  const ofEntries = new Set<string>();
  const top = findIn(body, REQUEST, ofRequest);
  let misspelled = top && parameterMisspelled(top.name, top.name, top.meant);
  for (const [index, entry] of body.urls.entries()) {
    const found = findIn(entry, ENTRY, ofEntries);
    if (found) misspelled ??= parameterMisspelled('urls', `urls[${index}].${found.name}`, found.meant);
    if (index % BATCH_ENTRIES === 0) yield;
  }
  return {
    ignored: headerText([...ofRequest, ...Array.from(ofEntries, (name) => `urls[].${name}`)]),
    misspelled,
  };
}
