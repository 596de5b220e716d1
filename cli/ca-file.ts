import { readFile } from 'node:fs/promises';
import { errorCode } from '#runtime/errors.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError if the file cannot be read */
export const readCaFile = async (path: string | undefined): Promise<string | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `Cannot read the CA file ${path} (${errorCode(error)}). Pass a file with certificates in PEM form`,
      error,
    );
  }
};
