import { AsyncLocalStorage } from 'node:async_hooks';

export type LogFields = Readonly<Record<string, string | number>>;

const context = new AsyncLocalStorage<LogFields>();

/** Adds these fields to every line that is logged while the task runs. Fields of a nested task replace them. */
export function withLogFields<T>(fields: LogFields, task: () => T): T {
  return context.run(fields, task);
}

/** The fields of the current task. */
export function logFields(): LogFields {
  return context.getStore() ?? {};
}
