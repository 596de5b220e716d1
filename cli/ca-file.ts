import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';

/** @throws UsageError if the file cannot be read */
export const readCaFile = async (
  path: string | undefined,
  session: Pick<Session, 'cwd'>,
): Promise<string | undefined> =>
  path === undefined
    ? undefined
    : readArgumentFile(
        { path, what: 'CA file', hint: '. Pass a file with certificates in PEM form' },
        session,
      );
