import { Ajv } from 'ajv';
import type { Failure } from '#crds/zip-job.ts';
import type { TerminationMessage } from '#crds/zipper-contract.ts';
import { redactText } from '#runtime/redact.ts';

const integer = { type: 'integer', minimum: 0 } as const;
const failure = {
  type: 'object',
  required: ['code', 'retriable'],
  properties: {
    code: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9]{0,63}$' },
    message: { type: 'string' },
    fileIndex: integer,
    httpStatus: integer,
    retriable: { type: 'boolean' },
  },
} as const;
const result = {
  type: 'object',
  required: ['bytes', 'etag', 'entries', 'seconds', 'peakMemory', 'retries', 'contractVersion'],
  properties: {
    bytes: integer,
    etag: { type: 'string', maxLength: 256 },
    entries: integer,
    seconds: { type: 'number', minimum: 0 },
    peakMemory: integer,
    retries: integer,
    contractVersion: integer,
  },
} as const;
const recovered = {
  type: 'object',
  required: ['outcome'],
  oneOf: [
    {
      required: ['bytes', 'etag'],
      properties: {
        outcome: { const: 'published' },
        bytes: integer,
        etag: { type: 'string', maxLength: 256 },
      },
    },
    { properties: { outcome: { const: 'absent' } } },
    { properties: { outcome: { const: 'unknown' }, missingPermission: { type: 'string' } } },
  ],
} as const;
const check = {
  type: 'object',
  required: ['ok', 'missingPermissions'],
  properties: {
    ok: { type: 'boolean' },
    missingPermissions: { type: 'array', items: { type: 'string' } },
    failure,
  },
} as const;

const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false });
const isTerminationMessage = ajv.compile<TerminationMessage>({
  type: 'object',
  required: ['contractVersion', 'mode'],
  oneOf: [
    { required: ['result'], properties: { mode: { const: 'archive' }, result } },
    {
      required: ['failure'],
      properties: { mode: { enum: ['archive', 'recover', 'check-bucket'] }, failure },
    },
    { required: ['recovered'], properties: { mode: { const: 'recover' }, recovered } },
    { required: ['check'], properties: { mode: { const: 'check-bucket' }, check } },
  ],
  properties: {
    contractVersion: { type: 'integer', minimum: 1 },
    abortFailures: integer,
    startUnconfirmed: { type: 'boolean' },
  },
});

/** The termination message of a zipper pod; undefined if it is invalid, for example the end of the log after a crash. */
export const parseTerminationMessage = (text: string | undefined): TerminationMessage | undefined => {
  if (text === undefined || text === '') return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isTerminationMessage(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};

/** One sentence about a failure, with the index of the file and without secrets of a URL. */
export const describeFailure = (
  failureSeen: Pick<Failure, 'code' | 'message' | 'fileIndex' | 'httpStatus'>,
  fallback: string,
): string => {
  const status = failureSeen.httpStatus === undefined ? '' : ` (HTTP ${failureSeen.httpStatus})`;
  const text = redactText(failureSeen.message ?? `${fallback}${status}`);
  const file = failureSeen.fileIndex === undefined ? undefined : `file ${failureSeen.fileIndex}`;
  return file === undefined || text.startsWith(file) ? text : `${file}: ${text}`;
};
