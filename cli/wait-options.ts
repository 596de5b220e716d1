import type { WaitOptions } from '#administration/changes/wait-for.ts';
import type { Session } from './session.ts';

/** The wait of a command with `--timeout`. Prints failures that do not end it, each text once in a row. */
export function waitOptions(
  { timeout: limitMs }: { readonly timeout: number },
  { signal, terminal }: Pick<Session, 'signal' | 'terminal'>,
): WaitOptions {
  let last = '';
  return {
    limitMs,
    signal,
    onFailure: ({ message }) => {
      if (message !== last) terminal.note(`${message}. Waiting continues`);
      last = message;
    },
  };
}
