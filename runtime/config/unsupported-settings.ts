import { ConfigError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';

type Env = Readonly<Record<string, string | undefined>>;
/** Values that are no settings, by the name of their field. */
export type Constants = Readonly<Record<string, number>>;
export type ValuesOf<C extends Constants> = { readonly [K in keyof C]: number };

const SWITCH = 'ZIPJOBS_UNSUPPORTED_SETTINGS';

/**
 * Constants that tests of running processes shorten, by the variable that does it. They are read only while
 * ZIPJOBS_UNSUPPORTED_SETTINGS is 1, and may change or go in any release. The controller gives those of the zipper to it in its task.
 */
export const UNSUPPORTED_SETTINGS = {
  controller: [
    'ARCHIVE_BATCH_WAIT_MS',
    'ARCHIVE_RETRY_SECONDS',
    'BUCKET_COUNT_WRITES_PER_SECOND',
    'FULL_PROJECT_TTL_SECONDS',
    'FULL_RECONCILE_SECONDS',
    'LEASE_DURATION_MS',
    'RECOVERY_DEADLINE_SECONDS',
    'RECOVERY_RETRY_SECONDS',
    'RESUME_FROM_BYTES',
    'WEBHOOK_CONCURRENCY_PER_PROJECT',
    'WEBHOOK_SLOW_AFTER_MS',
  ],
  servers: [
    'DASHBOARD_SHARED_READ_MS',
    'HEADERS_TIMEOUT_MS',
    'HISTORY_CONNECT_TIMEOUT_MS',
    'KUBE_REQUEST_TIMEOUT_MS',
    'RETRY_MS',
    'SHUTDOWN_PAUSE_MS',
    'TOKEN_FRESH_MS',
    'TOKEN_STALE_MS',
    'TOKEN_VERIFICATION_TIMEOUT_MS',
  ],
  zipper: [
    'CHECKPOINT_INTERVAL_MS',
    'PART_SIZE_BYTES',
    'SOURCE_IDLE_TIMEOUT_MS',
    'SOURCE_MIN_RATE_WINDOW_MS',
    'SOURCE_RETRY_BASE_MS',
    'STATUS_ACTIVATION_INTERVAL_MS',
    'STATUS_PROGRESS_INTERVAL_MS',
    'STATUS_REQUEST_TIMEOUT_MS',
    'STATUS_RETRY_MAX_MS',
    'STORE_IDLE_TIMEOUT_MS',
    'STORE_RETRY_MAX_MS',
    'STS_RETRY_MS',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The field of a configuration that a variable sets: `workers` for WORKERS. */
export function fieldOf(variable: string): string {
  return variable.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function valueOf(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0 && value <= LONGEST_TIMER_MS) return value;
  throw new ConfigError(`${name}: ${JSON.stringify(text)} is not an integer from 0 to ${LONGEST_TIMER_MS}`);
}

function given(env: Env, names: readonly string[]): readonly (readonly [name: string, text: string])[] {
  if (env[SWITCH] !== '1') return [];
  return names.flatMap((name) => {
    const text = env[name];
    return text === undefined || text === '' ? [] : [[name, text] as const];
  });
}

/** The values of the variables that are set and read, by field. @throws ConfigError */
export function unsupportedValues(env: Env, names: readonly string[]): Constants {
  return Object.fromEntries(given(env, names).map(([name, text]) => [fieldOf(name), valueOf(name, text)]));
}

const ALL: readonly string[] = Object.values(UNSUPPORTED_SETTINGS).flat();

/** These constants, with the values of unsupported settings. @throws ConfigError */
export function withUnsupported<const C extends Constants>(constants: C, env: Env): ValuesOf<C> {
  const changed = Object.entries(unsupportedValues(env, ALL)).filter(([field]) => field in constants);
  return { ...constants, ...Object.fromEntries(changed) };
}

/** Logs at the start that the process does not behave as documented. */
export function warnOfUnsupported(env: Env, log: Logger): void {
  const names = given(env, ALL).map(([name]) => name);
  if (names.length > 0) log.warn({ names }, `${SWITCH} is set: settings that no release supports are in use`);
}
