export interface AppErrorOptions {
  /** Stable, machine-readable name of the cause, such as `SourceNotFound`. */
  readonly code: string;
  /** Whether doing the same again later can help. */
  readonly retryable: boolean;
  readonly cause?: unknown;
  /** Facts for logs and status; never a secret or a signed URL. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Retry-After of the other side. */
  readonly retryAfterMs?: number;
}

/** The base of every error that this project throws. The message says what failed, on what, why, and what to do next. */
export class AppError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.retryable = options.retryable;
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A setting, argument or file that is wrong; never retryable. */
export class ConfigError extends AppError {
  constructor(message: string, cause?: unknown) {
    super(message, { code: 'InvalidConfig', retryable: false, cause });
  }
}

/** Any thrown value as an Error; what is none is kept as the cause. */
export const toError = (thrown: unknown): Error =>
  thrown instanceof Error
    ? thrown
    : new Error(`a value that is not an Error was thrown: ${typeof thrown}`, { cause: thrown });

/** The system or library error code of a thrown value (`ECONNRESET`), looked for along the chain of causes. */
export const errorCode = (thrown: unknown): string | undefined => {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if ('code' in error && typeof error.code === 'string') return error.code;
  }
  return undefined;
};

/** True when the value, or one of its causes, is the abort of a signal. */
export const isAbort = (thrown: unknown): boolean => {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    if (error.name === 'AbortError') return true;
  }
  return false;
};
