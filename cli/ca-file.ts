import { readArgumentFile } from './read-argument-file.ts';

/** @throws UsageError if the file cannot be read */
export const readCaFile = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined
    ? undefined
    : readArgumentFile(path, 'CA file', '. Pass a file with certificates in PEM form');
