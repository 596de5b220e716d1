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
export async function readArgumentFile(
  { path, what, hint = '' }: ArgumentFile,
  { cwd }: Pick<Session, 'cwd'>,
): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(cwd, path));
  } catch (error) {
    throw new UsageError(`Cannot read the ${what} ${path} (${errorCode(error)})${hint}`, error);
  }
  try {
    // Removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`The ${what} ${path} is not text in UTF-8${hint}`);
  }
}
