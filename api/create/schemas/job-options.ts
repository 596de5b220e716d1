import {
  COMPRESSIONS,
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
  readonly modification_time?: string;
  readonly sequential?: boolean;
  readonly object?: ObjectFields;
}

const CLOSED =
  'The operator or the project can close this option: then a request with it is refused with 422.';

function byDefault(field: string, otherwise: string): string {
  return `Default: \`jobDefaults.${field}\` of the project, or else ${otherwise}. ${CLOSED}`;
}

export const OPTION_SCHEMAS = {
  on_source_error: {
    type: 'string',
    enum: SOURCE_ERROR_CHOICES,
    description: `What happens if the download of a file finally fails before its entry has started: \`fail\` fails the job, \`skip\` leaves the file out, \`placeholder\` writes a short text in its place. \`?expand=archive\` and the webhook list the indices of skipped and replaced files. ${byDefault('onSourceError', '`fail`')}`,
  },
  compression: {
    type: 'string',
    enum: COMPRESSIONS,
    description: `\`store\` does not compress, \`deflate\` compresses, \`auto\` compresses files that shrink. ${byDefault('compression', '`store`')}`,
  },
  on_conflict: {
    type: 'string',
    enum: ON_CONFLICTS,
    description: `What happens if an object exists at the key: \`replace\` replaces it, \`fail\` fails the job and keeps the object. \`replace\` is refused if the bucket or the project requires \`fail\`. Default: what the bucket or the project requires, or else \`replace\`. ${CLOSED}`,
  },
  sha256: {
    type: 'boolean',
    description: `Whether to compute the SHA-256 of the archive, which \`?expand=archive\` then contains. ${byDefault('sha256', 'false')}`,
  },
  manifest: {
    type: 'string',
    enum: MANIFEST_FORMATS,
    description: `Adds entries that contain the SHA-256 of each file in the archive, after the files. \`json\`: one entry, which also lists the skipped files. Its name is \`jobDefaults.manifestEntry\` of the project, or else \`manifest.json\`. \`sha256sum\`: the entry \`manifest-sha256.txt\`, which \`sha256sum -c\` verifies after unpacking. No file may have the name of such an entry, or be in a folder of that name. Unicode normalization does not count, and letter case only if \`portable_names\` is \`keep\`. \`bagit\`: the archive is a BagIt 1.0 bag (RFC 8493). Its only folder at the top has the name of the key without \`.zip\`, and contains the tag files and the folder \`data\` with the files. Their names must not contain \`%\` or a line separator or end with a space, because validators misread them. Default: \`jobDefaults.manifestFormat\` of the project, or else \`json\` if the project sets \`jobDefaults.manifestEntry\`, or else none. ${CLOSED}`,
  },
  portable_names: {
    type: 'string',
    enum: PORTABLE_NAMES,
    description: `What happens to file names that Windows does not support, and to paths above 240 UTF-16 code units: \`keep\` keeps them, \`refuse\` refuses the request. \`rewrite\` changes them before they are checked: it replaces characters, removes invisible ones, composes letters (Unicode NFC), shortens long names and numbers equal ones. Dot segments, backslashes and absolute names are refused in any case. A request can only be stricter, in this order, than \`jobDefaults.portableNames\` of the project. Default: that of the project, or else \`keep\`. ${CLOSED}`,
  },
  modification_time: {
    type: 'string',
    format: 'date-time',
    pattern: TIME_PATTERN,
    description: `Modification time of all entries, from 1980 to 2107 (RFC 3339), so that the same files produce the same archive. ${byDefault('fixedModificationTime', 'the Last-Modified of each source, or the time of the request if a source has none')}`,
    examples: ['2026-01-31T12:00:00Z'],
  },
  sequential: {
    type: 'boolean',
    description: `Whether to request the URLs strictly one after another, each exactly once unless it fails. Set it for URLs that work only once; it is slower. ${byDefault('sequential', 'the default of the operator (false unless changed)')}`,
  },
  object: OBJECT_SCHEMA,
} as const;
