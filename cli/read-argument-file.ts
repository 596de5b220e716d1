import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from '#runtime/errors.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/** A file that an argument names: `what` it is, and a `hint` for the error. */
export interface ArgumentFile {
  readonly path: string;
  readonly what: string;
  readonly hint?: string;
}

/** The text of the file. @throws UsageError */
export const readArgumentFile = async (
  { path, what, hint = '' }: ArgumentFile,
  { cwd }: Pick<Session, 'cwd'>,
): Promise<string> => {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the ${what} ${path} (${errorCode(error)})${hint}`, error);
  }
};
