import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import type { ServerProcess } from '#tools/local-cluster/server-process.ts';
import { startStore } from '#tools/local-cluster/store.ts';

export interface RotatingStore extends AsyncDisposable {
  readonly store: StoreAccess;
  /** Starts the server again with other keys, which are the only ones it accepts then. Uploads continue. */
  rotate(): Promise<StoreAccess>;
}

/** Starts a real S3 server of its own. */
export async function startRotatingStore(): Promise<RotatingStore> {
  await using started = new AsyncDisposableStack();
  const binaries = await ensureBinaries((line) => process.stderr.write(`${line}\n`));
  const dir = await mkdtemp(join(tmpdir(), 'zipjobs-rotating-'));
  started.defer(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'logs'));
  let server: ServerProcess | undefined;
  started.defer(() => server?.kill());
  const options = {
    dir,
    binary: binaries.store,
    launcher: binaries.cluster,
    onProcess: (process: ServerProcess) => {
      server = process;
    },
  };
  const store = await startStore(options);
  const resources = started.move();
  return {
    store,
    rotate: async () => {
      await server?.kill();
      return startStore({ ...options, port: Number(new URL(store.endpoint).port) });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
