import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../processes/run-program.ts';

/** A folder that is removed when it is disposed of. */
export interface Unpacked extends AsyncDisposable {
  readonly directory: string;
  /** Verifies the files of a manifest with `sha256sum`, in this folder below `directory`. Rejects if one differs. */
  readonly verify: (manifest: string, folder?: string) => Promise<void>;
}

/** Unpacks an archive with `unzip`. */
export async function unpack(archive: Buffer): Promise<Unpacked> {
  const parent = await mkdtemp(join(tmpdir(), 'zipjobs-unpacked-'));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(parent, { recursive: true, force: true }));
  const file = join(parent, 'archive.zip');
  const directory = join(parent, 'files');
  await writeFile(file, archive);
  await runProgram('unzip', ['-q', file, '-d', directory]);
  const resources = undo.move();
  return {
    directory,
    verify: async (manifest, folder = '.') => {
      const command = 'cd "$1" && sha256sum --check --strict --quiet "$2"';
      await runProgram('sh', ['-c', command, 'sh', join(directory, folder), manifest]);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
