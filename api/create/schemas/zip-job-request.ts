import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { type ListedFile, MAX_SOURCE_BUCKETS, SERVICES, type Service, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { MAX_DATA_BYTES, MAX_DATA_BYTES_IN_ALL, MAX_DATA_URL_LENGTH } from '#runtime/entries/data-url.ts';
import { LONGEST_NAME_BYTES } from '#runtime/entries/entry-name.ts';
import { ENTRY_FIELDS, type EntryFault } from '#runtime/zip-request/entry-faults.ts';
import { SOURCE_HEADER_LIMITS, SOURCE_HEADER_NAME_PATTERN } from '#runtime/zip-request/source-headers.ts';
import {
  HIGHEST_LIMITS,
  MAX_METADATA_DEPTH,
  MAX_URL_BYTES_IN_ALL,
  type RequestLimits,
} from '../../body/request-limits.ts';
import type { Steps } from '../../body/steps.ts';
import {
  type ApiError,
  parameterInvalid,
  parameterMissing,
  parameterMisspelled,
} from '../../errors/api-error.ts';
import { grouped } from '../../openapi/grouped.ts';
import { sizeText } from '../../openapi/size-text.ts';
import { createFindMeant } from '../misspelling.ts';
import { OPTION_SCHEMAS, OPTIONS_TEXT, type OptionFields } from './job-options.ts';
import { OBJECT_SCHEMA } from './object-options.ts';
import { FILENAME_PATTERN, HEADER_VALUE_PATTERN, KEY_PATTERN, URL_PATTERN } from './patterns.ts';
import { EXPECTATION_SCHEMAS, type RequestedFile, toListedFile } from './requested-file.ts';

/** The body of `POST /zips` as guaranteed by its JSON Schema; unknown fields have no effect. */
export interface ZipJobBody extends OptionFields {
  readonly bucket_name: string;
  readonly key: string;
  readonly urls: readonly RequestedFile[];
  readonly service?: Service;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Required fields in the order in which missing ones are reported. */
const REQUIRED_FIELDS = ['bucket_name', 'key', 'urls'] as const;

function fileEntrySchema({ maxUrlLength }: RequestLimits) {
  return {
    title: 'File entry',
    type: 'object',
    required: ['url', 'filename'],
    properties: {
      url: {
        type: 'string',
        minLength: 1,
        maxLength: Math.max(maxUrlLength, MAX_DATA_URL_LENGTH),
        pattern: URL_PATTERN,
        description: `URL of the file: an http or https URL of a publicly accessible host, without user name and password, of at most ${grouped(maxUrlLength)} characters. All URLs of a request may have ${sizeText(MAX_URL_BYTES_IN_ALL)}. It is requested as it is written, so \`.\` and \`..\` segments, backslashes, and a \`#\` that is followed by a \`.\`, \`/\` or \`?\` are refused: write \`%23\` for a \`#\` in a path. Any other fragment is not sent. A presigned URL is treated as a secret. \`s3://BUCKET/KEY\` and \`r2://BUCKET/KEY\` are objects of a readable bucket of your project: the key is everything after the slash that follows the bucket name, exactly as written, without percent-encoding, and \`headers\` are refused. The files of a job can be in at most ${MAX_SOURCE_BUCKETS} buckets. A \`data:\` URL (base64 or percent-encoded) contains a small file itself: at most ${sizeText(MAX_DATA_BYTES)}, and ${sizeText(MAX_DATA_BYTES_IN_ALL)} in all such URLs of a request.`,
        examples: ['https://files.example.com/2026/report.pdf'],
      },
      filename: {
        type: 'string',
        minLength: 1,
        maxLength: LONGEST_NAME_BYTES,
        pattern: FILENAME_PATTERN,
        description:
          'Name of the file inside the archive; `/` separates folders. Must be relative and, unless `duplicate_names` is `rename`, unique, without `.` and `..` segments and backslashes. Names that differ only in Unicode normalization count as equal. Unless `portable_names` is `rewrite`, it must also have no control characters, bidirectional control characters or drive, and at most 1,024 bytes of UTF-8 (255 per segment).',
        examples: ['reports/2026.pdf'],
      },
      headers: {
        type: 'object',
        maxProperties: SOURCE_HEADER_LIMITS.headers,
        propertyNames: { maxLength: SOURCE_HEADER_LIMITS.nameLength, pattern: SOURCE_HEADER_NAME_PATTERN },
        additionalProperties: {
          type: 'string',
          maxLength: SOURCE_HEADER_LIMITS.valueLength,
          pattern: HEADER_VALUE_PATTERN,
        },
        description: `Request headers for this source, such as Authorization: at most ${SOURCE_HEADER_LIMITS.headers}, each value up to ${grouped(SOURCE_HEADER_LIMITS.valueLength)} characters of printable ASCII. They are not forwarded when a source redirects to another origin.`,
        examples: [{ authorization: 'Bearer SOURCE_TOKEN' }],
      },
      ...EXPECTATION_SCHEMAS,
    },
  };
}

/** What happens to fields that the schema does not have. */
const UNKNOWN_FIELDS_TEXT =
  'A field whose name differs from a known one in one letter, in letter case or in separators is refused with 422. Other unknown fields are ignored, and the response header `Ignored-Fields` lists them; `object` refuses them with 422. `metadata` may contain any fields.';

/** JSON Schema of the body, used for validation (except KEYWORDS_OF_CHECKS) and for the OpenAPI document. */
export function zipJobRequestSchema(limits: RequestLimits) {
  return {
    title: 'Create request',
    description: `${UNKNOWN_FIELDS_TEXT}\n\n${OPTIONS_TEXT}`,
    type: 'object',
    required: REQUIRED_FIELDS,
    properties: {
      urls: {
        type: 'array',
        minItems: 1,
        maxItems: limits.maxFiles,
        items: fileEntrySchema(limits),
        description: 'The files of the archive, in order. Your project may have a lower limit.',
      },
      bucket_name: {
        type: 'string',
        minLength: 1,
        description: 'Name of a bucket of your project.',
        examples: ['reports'],
      },
      key: {
        type: 'string',
        minLength: 1,
        maxLength: limits.maxKeyBytes,
        pattern: KEY_PATTERN,
        description: `File name or path of the archive in the bucket: at most ${grouped(limits.maxKeyBytes)} bytes of UTF-8, without control characters and without \`.\` and \`..\` segments. An existing object is replaced, unless the option \`on_conflict\`, your project or the bucket says \`fail\`.`,
        examples: ['archives/2026.zip'],
      },
      service: {
        type: 'string',
        enum: SERVICES,
        // Not as `default`: openapi-typescript makes fields with a default required.
        description: `Storage service of the bucket: S3 or R2. Default: ${SPEC_DEFAULTS.service}.`,
      },
      metadata: {
        type: 'object',
        additionalProperties: true,
        description: `Any JSON object, at most ${sizeText(limits.maxMetadataBytes)} and ${MAX_METADATA_DEPTH} levels deep. Every response and webhook returns it exactly as sent.`,
        examples: [{ order: 4711 }],
      },
      ...OPTION_SCHEMAS,
    },
  };
}

/** The fields of a request. */
export const REQUEST_FIELDS: readonly string[] = Object.keys(zipJobRequestSchema(HIGHEST_LIMITS).properties);

const findMeantOfObject = createFindMeant(Object.keys(OBJECT_SCHEMA.properties));

/** Functions check these keywords after the schema, with more specific error messages. */
const KEYWORDS_OF_CHECKS = [
  'pattern',
  'format',
  'propertyNames',
  'maxProperties',
  'minimum',
  'maximum',
] as const;

/** Callers choose the names in `headers`, `metadata` and `tags`, which can be as long as the body. */
const SHOWN_NAME_LENGTH = 64;

/** `/urls/3/url` -> `urls[3].url` */
function fieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.slice(0, SHOWN_NAME_LENGTH))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

/** The error message for each schema keyword. */
function problemOf(error: DefinedError): string {
  if (error.keyword === 'type') return `must be of type ${error.params.type}`;
  if (error.keyword === 'required') return `is missing the field ${error.params.missingProperty}`;
  if (error.keyword === 'additionalProperties')
    return `has the unknown field ${JSON.stringify(error.params.additionalProperty.slice(0, SHOWN_NAME_LENGTH))}`;
  if (error.keyword === 'minItems') return 'must contain at least one entry';
  if (error.keyword === 'maxItems') return `has more than ${error.params.limit} entries`;
  if (error.keyword === 'maxLength') return `is longer than ${error.params.limit} characters`;
  if (error.keyword === 'minLength') return 'must not be empty';
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  return 'is not valid';
}

/** Only `object` refuses all unknown fields. */
function misspelledOf(error: DefinedError): ApiError | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const { additionalProperty: name } = error.params;
  const meant = findMeantOfObject(name);
  return meant === undefined ? undefined : parameterMisspelled('object', `object.${name}`, meant);
}

function apiErrorOf(error: DefinedError): ApiError {
  const misspelled = misspelledOf(error);
  if (misspelled !== undefined) return misspelled;
  if (error.instancePath === '' && error.keyword === 'required')
    return parameterMissing(error.params.missingProperty);
  const field = fieldName(error.instancePath);
  const [param = 'urls'] = /^\w+/.exec(field) ?? [];
  return parameterInvalid(param, `${field} ${problemOf(error)}.`, { path: field });
}

/** The fault of an entry that was validated by itself. */
function entryFaultOf(index: number, error: DefinedError | undefined): EntryFault {
  if (error === undefined) return { index, field: null, place: '', problem: 'is not valid' };
  const [, inside = ''] = error.instancePath.split('/');
  const name = error.keyword === 'required' ? error.params.missingProperty : inside;
  return {
    index,
    field: ENTRY_FIELDS.find((field) => field === name) ?? null,
    place: fieldName(`/urls${error.instancePath}`).slice('urls'.length),
    problem: problemOf(error),
  };
}

/** Checks presence and types of the fields of a parsed body. */
export interface ZipJobBodyCheck {
  /**
   * Required fields first, then the entries. Their texts can be as long as the body.
   * @throws ApiError parameter_missing or parameter_invalid for the first error.
   */
  readonly checkBody: (body: Readonly<Record<string, unknown>>) => Steps<ZipJobBody>;
  /** Checks one element of `urls`. The fault has the message that checkBody reports for it. */
  readonly checkEntry: (
    entry: unknown,
    index: number,
  ) => { readonly file: ListedFile } | { readonly fault: EntryFault };
}

/** Entries that are checked at once. */
const BATCH_ENTRIES = 100;

/** None if there are too many, which are refused by their number. */
function entriesOf({ urls }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(urls) && urls.length <= HIGHEST_LIMITS.maxFiles ? urls : [];
}

/** Errors in other fields come after those in the entries. */
function isFirst({ instancePath }: DefinedError): boolean {
  return instancePath === '' || instancePath === '/urls' || instancePath.startsWith('/urls/');
}

/** Reports the first error, in the order in which the schema lists the fields. */
function createCheckBody(
  validate: ValidateFunction<ZipJobBody>,
  isEntry: ValidateFunction<RequestedFile>,
): ZipJobBodyCheck['checkBody'] {
  function errorOf(isValid: ValidateFunction, value: unknown): DefinedError | undefined {
    return isValid(value) ? undefined : (isValid.errors as DefinedError[] | null | undefined)?.[0];
  }
  return function* checkBody(body) {
    const entries = entriesOf(body);
    const later = entries.slice(1);
    const error = errorOf(validate, later.length > 0 ? { ...body, urls: entries.slice(0, 1) } : body);
    if (error !== undefined && isFirst(error)) throw apiErrorOf(error);
    for (const [index, entry] of later.entries()) {
      const fault = errorOf(isEntry, entry);
      if (fault !== undefined)
        throw apiErrorOf({ ...fault, instancePath: `/urls/${index + 1}${fault.instancePath}` });
      if (index % BATCH_ENTRIES === 0) yield;
    }
    if (error !== undefined) throw apiErrorOf(error);
    return body as unknown as ZipJobBody;
  };
}

export function createZipJobBodyCheck(): ZipJobBodyCheck {
  // ownProperties: ignore inherited fields. Our own schemas need no check against the schema of schemas.
  const ajv = new Ajv({
    allErrors: false,
    strict: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
  });
  for (const keyword of KEYWORDS_OF_CHECKS) ajv.removeKeyword(keyword);
  ajv.addVocabulary([...KEYWORDS_OF_CHECKS]);
  const validate: ValidateFunction<ZipJobBody> = ajv.compile<ZipJobBody>(zipJobRequestSchema(HIGHEST_LIMITS));
  const isEntry: ValidateFunction<RequestedFile> = ajv.compile<RequestedFile>(
    fileEntrySchema(HIGHEST_LIMITS),
  );
  return {
    checkBody: createCheckBody(validate, isEntry),
    checkEntry: (entry, index) => {
      if (isEntry(entry)) return { file: toListedFile(entry) };
      const [error] = (isEntry.errors ?? []) as DefinedError[];
      return { fault: entryFaultOf(index, error) };
    },
  };
}
