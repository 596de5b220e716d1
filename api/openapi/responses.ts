import { STATUS_CODES } from 'node:http';
import { MAX_LISTED_ENTRIES } from '../create/list-entry-faults.ts';
import { errorBody } from '../errors/api-error.ts';
import { ERROR_CODES, type ErrorCode, type ErrorCodeFacts, type Responded } from '../errors/error-codes.ts';
import type { Examples, Response } from './document-types.ts';
import { type ErrorExamples, errorExamples } from './error-examples.ts';
import { headersOf } from './headers.ts';
import type { PublishedSettings } from './published-settings.ts';
import { POSITION, schemaRef } from './schemas/schema-ref.ts';

const CODES = Object.keys(ERROR_CODES) as readonly ErrorCode[];

function factsOf(code: ErrorCode): ErrorCodeFacts {
  return ERROR_CODES[code];
}

/** The body of every error response, as the schemas of the OpenAPI document. */
export const ERROR_SCHEMAS = {
  ErrorResponse: {
    type: 'object',
    description: 'The body of every error response.',
    required: ['error'],
    properties: { error: schemaRef('Error') },
  },
  Error: {
    type: 'object',
    description: 'Why the request was refused or failed.',
    required: ['type', 'code', 'message', 'param'],
    properties: {
      type: {
        type: 'string',
        enum: [...new Set(CODES.map((code) => factsOf(code).type))],
        description: 'Category of the error.',
      },
      code: {
        type: 'string',
        enum: CODES,
        'x-enum-descriptions': CODES.map((code) => factsOf(code).text),
        description: 'Machine-readable code; stable. Later releases may add codes.',
      },
      message: { type: 'string', description: 'Human-readable message; may change.' },
      param: { type: ['string', 'null'], description: 'Name of the invalid field, or null.' },
      files: {
        type: 'array',
        maxItems: MAX_LISTED_ENTRIES,
        items: schemaRef('InvalidFile'),
        description: `Only with \`expand=error\`, if entries of \`urls\` are invalid: the first ${MAX_LISTED_ENTRIES} of them.`,
      },
      files_total: {
        type: 'integer',
        format: 'int64',
        minimum: 1,
        description: 'Number of invalid entries of `urls`; present with `files`.',
      },
    },
  },
  InvalidFile: {
    type: 'object',
    description: 'An invalid entry of `urls`, with its first error.',
    required: ['file_index', 'param', 'code', 'message'],
    properties: {
      file_index: { type: 'integer', format: 'int64', minimum: 0, description: POSITION },
      param: {
        type: ['string', 'null'],
        description:
          'The invalid field: url, filename, headers, size, sha256, crc32 or content_type; null for the entry as a whole, and for a misspelled field.',
      },
      code: { type: 'string', enum: ['parameter_invalid'], description: 'Machine-readable code; stable.' },
      message: { type: 'string', description: 'Human-readable message; may change.' },
    },
  },
} as const;

function responseOf(status: number, codes: readonly ErrorCode[], errors: ErrorExamples): Response {
  const examples: Examples = Object.fromEntries(
    codes.map((code) => {
      const value: unknown = JSON.parse(errorBody(errors[code]));
      return [code, { summary: factsOf(code).text, value }];
    }),
  );
  return {
    description: `${STATUS_CODES[status] ?? 'Error'}: ${codes.join(', ')}.`,
    headers: headersOf(status),
    content: { 'application/json': { schema: schemaRef('ErrorResponse'), examples } },
  };
}

/** The error responses of an operation, by status. */
export function errorResponses(
  operation: Responded,
  settings: PublishedSettings,
): Readonly<Record<string, Response>> {
  const errors = errorExamples(settings);
  const codes = CODES.filter((code) => factsOf(code).on.includes(operation));
  const statuses = [...new Set(codes.map((code) => factsOf(code).status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => factsOf(code).status === status);
      return [String(status), responseOf(status, here, errors)];
    }),
  );
}
