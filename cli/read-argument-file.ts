import { readFile } from 'node:fs/promises';
import { errorCode } from '#runtime/errors.ts';
import { UsageError } from './usage-error.ts';

/** The text of a file that an argument names: `what` it is, and a `hint` for the error. @throws UsageError */
export const readArgumentFile = async (path: string, what: string, hint = ''): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read the ${what} ${path} (${errorCode(error)})${hint}`, error);
  }
};
