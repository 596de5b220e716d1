import { type DestinationStream, type Logger, pino } from 'pino';
import { redactError, redactText } from './redact.ts';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const redactValue = (value: unknown): unknown => (typeof value === 'string' ? redactText(value) : value);

/**
 * JSON lines on standard output, every string of a line redacted. Narrow it with `child({ zipJob, uid })`; log an error
 * once, where it is handled, as `{ err }`.
 */
export const createLogger = (
  name: string,
  options: { readonly level: LogLevel; readonly destination?: DestinationStream },
): Logger =>
  pino(
    {
      name,
      level: options.level,
      base: { name },
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'message',
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) =>
          Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, redactValue(value)])),
      },
      serializers: { err: redactError },
    },
    ...(options.destination ? [options.destination] : []),
  );
