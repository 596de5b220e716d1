import { readArgumentFile } from './read-argument-file.ts';
import type { Session } from './session.ts';

/** @throws UsageError if the file cannot be read */
export async function readCaFile(
  path: string | undefined,
  session: Pick<Session, 'cwd'>,
): Promise<string | undefined> {
  return path === undefined
    ? undefined
    : readArgumentFile(
        { path, what: 'CA file', hint: '. Pass a file with certificates in PEM form' },
        session,
      );
}
