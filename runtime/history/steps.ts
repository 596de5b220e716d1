import { toError } from '../errors.ts';

/** Independent steps of one work: a step that fails stops no other. */
export interface Steps {
  /** The result of the step; undefined if it failed. @throws the reason of the aborted signal, and nothing else */
  run<T>(name: string, step: () => Promise<T>): Promise<T | undefined>;
  /** @throws AggregateError with the errors of all steps that failed */
  check(): void;
}

/** Errors that the message contains, because there may be one for each project. */
const MOST_MESSAGES = 5;

function messageOf(failures: readonly (readonly [string, Error])[]): string {
  const first = failures.slice(0, MOST_MESSAGES).map(([name, { message }]) => `${name}: ${message}`);
  const more = failures.length - first.length;
  return `${failures.length} steps failed. ${first.join(' | ')}${more > 0 ? ` | and ${more} more` : ''}`;
}

export function createSteps(signal: AbortSignal): Steps {
  const failures: (readonly [string, Error])[] = [];
  return {
    run: async (name, step) => {
      signal.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        signal.throwIfAborted();
        failures.push([name, toError(error)]);
        return undefined;
      }
    },
    check: () => {
      const errors = failures.map(([, error]) => error);
      if (errors.length > 0) throw new AggregateError(errors, messageOf(failures), { cause: errors[0] });
    },
  };
}
