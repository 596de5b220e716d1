import { AsyncLocalStorage } from 'node:async_hooks';

export type LogFields = Readonly<Record<string, string | number>>;

const context = new AsyncLocalStorage<LogFields>();

/** Every line that is logged while the task runs, by whatever it calls, carries these fields. An inner task's take their place. */
export const withLogFields = <T>(fields: LogFields, task: () => T): T => context.run(fields, task);

/** The fields of the task that runs now. */
export const logFields = (): LogFields => context.getStore() ?? {};
