export interface AppErrorOptions {
  /** Stable, machine-readable code of the cause, such as `SourceNotFound`. */
  readonly code: string;
  /** Whether a retry can succeed. */
  readonly retryable: boolean;
  readonly cause?: unknown;
  /** Details for logs and status. Must not contain secrets or signed URLs. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** From the Retry-After header of the response. */
  readonly retryAfterMs?: number;
}

/** The base class of our errors. The message says what failed, on what, why, and what to do next. */
export class AppError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
  /** The message says what may be known, and the cause may say more, such as a host: logs leave out cause and stack. */
  readonly hidesCause: boolean = false;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.retryable = options.retryable;
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An invalid setting, argument or file. Never retryable. */
export class ConfigError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidConfig', retryable: false, cause });
  }
}

/** Converts any thrown value to an Error. A value that is not an Error becomes the cause. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`a value that is not an Error was thrown: ${typeof thrown}`, { cause: thrown });
}

/** The system or library error code of a thrown value (`ECONNRESET`), from the first cause that has one. */
export function errorCode(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return undefined;
}

/** True if the value or one of its causes is the abort of a signal. */
export function isAbort(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if (error.name === 'AbortError') return true;
  }
  return false;
}
