import { failureHelp } from '#administration/errors/failure-help.ts';
import { meaningOf } from '#administration/errors/meaning-of.ts';

/** In plain words, or the code if it is not known. */
export function reasonText(code: string): string {
  return failureHelp(code)?.words ?? (meaningOf(code) || code);
}
