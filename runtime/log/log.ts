import { type DestinationStream, type Logger, pino } from 'pino';
import { logFields } from './log-context.ts';
import { redactError, redactText, removeUrls } from './redact.ts';
import { withUniqueKeys } from './unique-keys.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Logs JSON lines to standard output. Each complete line is redacted and has each key once, whatever fields, child
 * bindings and libraries add. Add context with `child({ zipJob, uid })`. Log an error once, where it is handled, as `{ err }`.
 */
export function createLogger(
  name: string,
  options: {
    readonly level: LogLevel;
    readonly destination?: DestinationStream;
    /** Whether lines contain the scheme, host and path of URLs. Default true. */
    readonly keepsUrls?: boolean;
  },
): Logger {
  const { destination = pino.destination({ fd: 1, sync: true }), keepsUrls = true } = options;
  function redact(line: string): string {
    return redactText(keepsUrls ? line : removeUrls(line));
  }
  return pino(
    {
      level: options.level,
      base: { process: name },
      // A copy, because pino modifies the object of the mixin.
      mixin: () => ({ ...logFields() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => redactError(error) },
    },
    { write: (line) => destination.write(redact(withUniqueKeys(line))) },
  );
}
