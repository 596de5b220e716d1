import type { components } from './schema.ts';

type Zip = components['schemas']['Zip'];
type ErrorFields = components['schemas']['Error'];
/** Later releases may add values. */
type Open<Known extends string> = Known | (string & Record<never, never>);

const RETRIABLE: readonly number[] = [408, 429, 500, 502, 503, 504];

type Unknowns<Fields> = { readonly [Name in keyof Fields]?: unknown };

/** A proxy may send errors in a form of its own. */
function isOfApi(error: Unknowns<ErrorFields> | null | undefined): error is ErrorFields {
  return [error?.type, error?.code, error?.message].every((field) => typeof field === 'string');
}

/** The body of a response; without fields if the response is not from the API. */
export function parseBody(text: string): { data?: Partial<Zip>; error?: ErrorFields } {
  try {
    const { data, error } = (JSON.parse(text) ?? {}) as {
      data?: Partial<Zip>;
      error?: Unknowns<ErrorFields>;
    };
    return { ...(data && { data }), ...(isOfApi(error) && { error }) };
  } catch {
    return {};
  }
}

/** A response without a job. If a proxy sent it, it has no `type` and no `code`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly type: Open<ErrorFields['type']> | undefined;
  readonly code: Open<ErrorFields['code']> | undefined;
  /** The invalid field of the request. */
  readonly param: string | null;
  /** Id of the request in the logs of the service. */
  readonly requestId: string | null;
  /** The whole error. With `expand: ['error']`, `files` lists the invalid entries of `urls`. */
  readonly details: Partial<ErrorFields>;
  /** Whether the same request may succeed later. */
  readonly isRetriable: boolean;

  constructor({ status, headers }: Response, text: string) {
    const details: Partial<ErrorFields> = parseBody(text).error ?? {};
    super(details.message ?? `The service responded with status ${status}.`);
    this.status = status;
    this.type = details.type;
    this.code = details.code;
    this.param = details.param ?? null;
    this.details = details;
    this.requestId = headers.get('x-request-id');
    this.isRetriable = RETRIABLE.includes(status);
  }
}

/** No complete response arrived. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly isRetriable = true;
}

interface ExpiredWait {
  readonly uuid: string;
  readonly zip: Zip | undefined;
  readonly limitMs: number;
  readonly cause: Error | undefined;
}

/** The job did not finish within the time limit of `wait`. It continues to run. */
export class WaitTimeoutError extends Error {
  override readonly name = 'WaitTimeoutError';
  /** The job when it was last read; undefined if that never succeeded. `cause` has the error of the last request. */
  readonly zip: Zip | undefined;

  constructor({ uuid, zip, limitMs, cause }: ExpiredWait) {
    const state = zip ? `Its status is "${zip.status}".` : 'Its status could not be read.';
    super(`Zip ${uuid} did not finish within ${limitMs} ms. ${state}`, cause && { cause });
    this.zip = zip;
  }
}
