import {
  EXIT_CODES,
  type ExitName,
  FAILURE_CODES,
  type FailureCode,
  isPermanentExit,
} from '#crds/exit-codes.ts';
import type { Failure } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError, isAbort, toError } from '#runtime/errors.ts';
import { redactText } from '#runtime/log/redact.ts';

type ZipperFailure = Failure & { readonly code: FailureCode };

const MOST_MESSAGE_CHARACTERS = 1000;
/** Includes the brackets around a URL, and the space before them. The scheme is bounded for linear time. */
const URL_IN_TEXT =
  /\s?\([a-z][a-z0-9+.-]{0,31}:\/\/[^\s"'<>`\\)]+\)|(?:[a-z][a-z0-9+.-]{0,31})?:\/\/[^\s"'<>`\\]+/gi;

interface Exits {
  readonly exit: ExitName;
  readonly retriableExit?: ExitName;
}

const EXITS: Readonly<Record<FailureCode, Exits>> = FAILURE_CODES;

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURE_CODES, code);
}

function numberIn(details: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = details[name];
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function codeOf(error: Error): FailureCode {
  if (error instanceof AppError) {
    if (isFailureCode(error.code)) return error.code;
    if (error.code === 'InvalidConfig') return 'InvalidTask';
  }
  return isAbort(error) ? 'Terminated' : 'Internal';
}

/** For users and the status: contains no URL, not even a redacted one. */
function messageOf(error: Error, code: FailureCode): string {
  if (!(error instanceof AppError)) return FAILURE_CODES[code].text;
  const text = error.message.replace(URL_IN_TEXT, (url) => (url.endsWith(')') ? '' : '[url]'));
  return redactText(text).slice(0, MOST_MESSAGE_CHARACTERS);
}

/** Exit code of a failure. A pod that was stopped and left its upload to the next one has its own. */
export function exitCodeOf({
  code,
  retriable,
  upload,
}: Pick<ZipperFailure, 'code' | 'retriable' | 'upload'>): number {
  if (code === 'Terminated' && upload === 'kept') return EXIT_CODES.checkpointed;
  const { exit, retriableExit = exit } = EXITS[code];
  return EXIT_CODES[retriable ? retriableExit : exit];
}

/** Of most codes, all failures are alike. Of the others, the error says whether another attempt may help. */
function isRetriable(error: Error, code: FailureCode): boolean {
  const { exit, retriableExit } = EXITS[code];
  if (retriableExit === undefined) return !isPermanentExit(EXIT_CODES[exit]);
  return error instanceof AppError && error.retryable;
}

/** Converts any thrown value to the failure in the status and the termination message. */
export function toFailure(thrown: unknown): ZipperFailure {
  const error = toError(thrown);
  const code = codeOf(error);
  const details = error instanceof AppError ? error.details : {};
  const fileIndex = numberIn(details, 'fileIndex');
  const httpStatus = numberIn(details, 'httpStatus');
  return {
    code,
    message: messageOf(error, code),
    ...defined({ fileIndex, httpStatus }),
    retriable: isRetriable(error, code),
  };
}
