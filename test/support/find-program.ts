import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Path of the first program with this name in the folders of PATH. */
export async function findProgram(name: string, env = process.env): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter((one) => one !== '')) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
