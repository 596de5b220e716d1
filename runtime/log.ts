import { type DestinationStream, type Logger, pino } from 'pino';
import { logFields } from './log-context.ts';
import { redactError, redactText } from './redact.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines on standard output. Each finished line is redacted as a whole, so that no field, child binding or message
 * of a library gets around it. Narrow it with `child({ zipJob, uid })`; log an error once, where it is handled, as `{ err }`.
 */
export const createLogger = (
  name: string,
  options: { readonly level: LogLevel; readonly destination?: DestinationStream },
): Logger => {
  const destination = options.destination ?? pino.destination({ fd: 1, sync: true });
  return pino(
    {
      level: options.level,
      base: { process: name },
      // A copy: the mixin's object is written to.
      mixin: () => ({ ...logFields() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => redactError(error) },
    },
    { write: (line) => destination.write(redactText(line)) },
  );
};
