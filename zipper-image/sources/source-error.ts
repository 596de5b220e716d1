import type { FailureCode } from '#crds/exit-codes.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';

export type SourceErrorCode = Extract<FailureCode, `Source${string}`>;

function isSourceCode(code: FailureCode): code is SourceErrorCode {
  return code.startsWith('Source');
}

/** The error of one attempt, before the file is known. */
export interface SourceFault {
  readonly code: SourceErrorCode;
  /** The text after "file 3: ". */
  readonly text: string;
  readonly retryable: boolean;
  /** The received bytes must not be continued by a range: the next attempt starts at the first byte. */
  readonly voidsReceived?: true;
  /** The source sends other bytes than those that were received, so they can never be continued. */
  readonly refutesReceived?: true;
  /** Nothing was requested, because the port is not allowed. */
  readonly refused?: true;
  /** Nothing came from the origin in time. */
  readonly noResponse?: true;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Carries a fault to the caller that knows the file. */
export class SourceFaultError extends AppError {
  readonly fault: SourceFault;
  override readonly hidesCause = true;

  constructor(fault: SourceFault) {
    super(fault.text, fault);
    this.fault = fault;
  }
}

/** The highest that the definition of ZipJob allows. The API server would reject the whole status with a higher one, such as 999. */
const HIGHEST_HTTP_STATUS = 599;

/**
 * A source could not be read. The message contains the index of the file but nothing of its URL: links to shared files are credentials
 * as a whole, and users who may not see them can read logs. The cause may contain hosts, and why an address was refused.
 */
export class SourceError extends AppError {
  declare readonly code: SourceErrorCode;
  readonly fileIndex: number;
  readonly httpStatus: number | undefined;
  readonly voidsReceived: boolean;
  readonly refutesReceived: boolean;
  readonly refused: boolean;

  readonly #fault: SourceFault;

  override readonly hidesCause = true;

  constructor(file: { readonly index: number }, fault: SourceFault) {
    const { code } = fault;
    const httpStatus = (fault.httpStatus ?? 0) > HIGHEST_HTTP_STATUS ? undefined : fault.httpStatus;
    super(`file ${file.index}: ${fault.text}`, {
      ...fault,
      details: { fileIndex: file.index, ...defined({ httpStatus }), code },
    });
    this.#fault = fault;
    this.fileIndex = file.index;
    this.httpStatus = httpStatus;
    this.voidsReceived = fault.voidsReceived === true;
    this.refutesReceived = fault.refutesReceived === true;
    this.refused = fault.refused === true;
  }

  /** The same failure, which another attempt would repeat. */
  asPermanent(): SourceError {
    return new SourceError({ index: this.fileIndex }, { ...this.#fault, retryable: false });
  }
}

/** Why an earlier pod left a file out, which is final. @throws RangeError for a code that is not of a source */
export function recordedFailure(
  index: number,
  { code, httpStatus }: { readonly code: FailureCode; readonly httpStatus?: number },
): SourceError {
  if (!isSourceCode(code)) throw new RangeError(`file ${index} was left out because of ${code}`);
  const text = 'an earlier attempt left it out';
  return new SourceError({ index }, { code, text, retryable: false, ...defined({ httpStatus }) });
}
