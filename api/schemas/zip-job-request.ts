import { Ajv, type DefinedError, type ValidateFunction } from 'ajv';
import { type ListedFile, SERVICES, type Service } from '#crds/zip-job.ts';
import { type ApiError, parameterInvalid, parameterMissing } from '../api-error.ts';

/** The body of `POST /zips` as far as its JSON Schema guarantees it; unknown fields are ignored. */
export interface ZipJobBody {
  readonly bucket_name: string;
  readonly key: string;
  readonly urls: readonly ListedFile[];
  readonly service?: Service;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Required fields in the order in which a missing one is reported. */
const REQUIRED_FIELDS = ['bucket_name', 'key', 'urls'] as const;

const FILE_ENTRY_SCHEMA = {
  type: 'object',
  required: ['url', 'filename'],
  properties: {
    url: { type: 'string', minLength: 1 },
    filename: { type: 'string', minLength: 1 },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as const;

const SCHEMA = {
  type: 'object',
  required: REQUIRED_FIELDS,
  properties: {
    bucket_name: { type: 'string', minLength: 1 },
    key: { type: 'string', minLength: 1 },
    urls: { type: 'array', minItems: 1, items: FILE_ENTRY_SCHEMA },
    service: { type: 'string', enum: SERVICES },
    metadata: { type: 'object' },
  },
} as const;

/** `/urls/3/url` -> `urls[3].url` */
const fieldName = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');

/** What to say for each keyword of the schema. */
const problemOf = (error: DefinedError): string => {
  if (error.keyword === 'type') return `must be of type ${error.params.type}`;
  if (error.keyword === 'required') return `lacks the field ${error.params.missingProperty}`;
  if (error.keyword === 'minItems') return 'must have at least one entry';
  if (error.keyword === 'minLength') return 'must not be empty';
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  return 'is not valid';
};

const apiErrorOf = (error: DefinedError): ApiError => {
  if (error.instancePath === '' && error.keyword === 'required')
    return parameterMissing(error.params.missingProperty);
  const field = fieldName(error.instancePath);
  const [param = 'urls'] = /^\w+/.exec(field) ?? [];
  return parameterInvalid(param, `${field} ${problemOf(error)}.`);
};

/**
 * Checks presence and types of a parsed body, required fields first.
 * @throws ApiError parameter_missing or parameter_invalid for the first fault.
 */
export type ZipJobBodyCheck = (body: unknown) => ZipJobBody;

export const createZipJobBodyCheck = (): ZipJobBodyCheck => {
  // ownProperties: a field counts only when the body itself has it, whatever its prototype.
  const ajv = new Ajv({ allErrors: false, strict: true, ownProperties: true });
  const validate: ValidateFunction<ZipJobBody> = ajv.compile<ZipJobBody>(SCHEMA);
  return (body) => {
    if (validate(body)) return body;
    const [error] = (validate.errors ?? []) as DefinedError[];
    throw error === undefined ? parameterInvalid('urls', 'The body is not valid.') : apiErrorOf(error);
  };
};
