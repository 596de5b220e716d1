import {
  COMPRESSIONS,
  DUPLICATE_NAMES,
  MANIFEST_FORMATS,
  type ManifestFormat,
  ON_CONFLICTS,
  PORTABLE_NAMES,
} from '#crds/zip-job.ts';
import { OBJECT_SCHEMA, type ObjectFields } from './object-options.ts';
import { TIME_PATTERN } from './patterns.ts';

export const SOURCE_ERROR_CHOICES = ['fail', 'skip', 'placeholder'] as const;

/** The options of a request; crds/caller-options.ts has their names. */
export interface OptionFields {
  readonly on_source_error?: (typeof SOURCE_ERROR_CHOICES)[number];
  readonly compression?: (typeof COMPRESSIONS)[number];
  readonly on_conflict?: (typeof ON_CONFLICTS)[number];
  readonly sha256?: boolean;
  readonly manifest?: ManifestFormat;
  readonly portable_names?: (typeof PORTABLE_NAMES)[number];
  readonly duplicate_names?: (typeof DUPLICATE_NAMES)[number];
  readonly modification_time?: string;
  readonly sequential?: boolean;
  readonly object?: ObjectFields;
}

/** What all options have in common. */
export const OPTIONS_TEXT =
  'All options are optional. If a request does not set one, the default of your project applies. The operator or your project can close an option: a request that sets it is then refused with 422.';

function byDefault(otherwise: string): string {
  return `Default: set by your project, or else ${otherwise}.`;
}

export const OPTION_SCHEMAS = {
  on_source_error: {
    type: 'string',
    enum: SOURCE_ERROR_CHOICES,
    description: `What happens if the download of a file fails for good before its entry has started: \`fail\` fails the job, \`skip\` leaves the file out, \`placeholder\` writes a short text in its place. \`?expand=archive\` and the webhook list the skipped and replaced files. ${byDefault('`fail`')}`,
  },
  compression: {
    type: 'string',
    enum: COMPRESSIONS,
    description: `\`store\` does not compress, \`deflate\` compresses, \`auto\` compresses files that shrink. ${byDefault('`store`')}`,
  },
  on_conflict: {
    type: 'string',
    enum: ON_CONFLICTS,
    description: `What happens if an object exists at the key: \`replace\` replaces it, \`fail\` fails the job and keeps the object. \`replace\` is refused if the bucket or your project requires \`fail\`. Default: set by the bucket or your project, or else \`replace\`.`,
  },
  sha256: {
    type: 'boolean',
    description: `Computes the SHA-256 of the archive, which \`?expand=archive\` then contains. ${byDefault('false')}`,
  },
  manifest: {
    type: 'string',
    enum: MANIFEST_FORMATS,
    description: `Adds entries that contain the SHA-256 of each file in the archive, after the files. \`json\`: one entry, which also lists the skipped files. Its name is set by your project, or else \`manifest.json\`. \`sha256sum\`: the entry \`manifest-sha256.txt\`, which \`sha256sum -c\` verifies after unpacking. No file may have the name of such an entry, or be in a folder of that name. Unicode normalization does not count, and letter case only if \`portable_names\` is \`keep\`. \`bagit\`: the archive is a BagIt 1.0 bag (RFC 8493). Its only folder at the top has the name of the key without \`.zip\`, and contains the tag files and the folder \`data\` with the files. Their names must not contain \`%\` or a line separator or end with a space, because validators misread them. ${byDefault('none')}`,
  },
  portable_names: {
    type: 'string',
    enum: PORTABLE_NAMES,
    description: `What happens to file names that Windows does not support, and to paths above 240 UTF-16 code units: \`keep\` keeps them, \`refuse\` refuses the request. \`rewrite\` changes them before they are checked: it replaces characters, removes invisible ones, composes letters (Unicode NFC), shortens long names and numbers equal ones. Dot segments, backslashes and absolute names are refused in any case. A request can only be stricter than your project, in this order. ${byDefault('`keep`')}`,
  },
  duplicate_names: {
    type: 'string',
    enum: DUPLICATE_NAMES,
    description: `What happens to a file whose name an earlier one has, or whose name is a folder of another one: \`refuse\` refuses the request, \`rename\` adds a number to the file name, such as \`a (2).jpg\`. Names are compared as \`portable_names\` says. With \`rename\`, \`?expand=archive\` lists the new names. ${byDefault('`refuse`')}`,
  },
  modification_time: {
    type: 'string',
    format: 'date-time',
    pattern: TIME_PATTERN,
    description: `Modification time of all entries, from 1980 to 2107 (RFC 3339), so that the same files produce the same archive. ${byDefault('the Last-Modified of each source, or the time of the request if a source has none')}`,
    examples: ['2026-01-31T12:00:00Z'],
  },
  sequential: {
    type: 'boolean',
    description: `Requests the URLs strictly one after another, each exactly once unless it fails. Slower; use it for URLs that work only once. ${byDefault('by the operator (normally false)')}`,
  },
  object: OBJECT_SCHEMA,
} as const;
