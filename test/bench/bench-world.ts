import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { createBucket, startStore } from '#tools/local-cluster/store.ts';
import type { BenchCase } from './bench-case.ts';
import type { OriginOrder } from './origin-main.ts';

export const BUCKET = 'bench';

/** What all contenders share: one real S3 server and the environment of a zipper pod. */
export interface BenchWorld extends AsyncDisposable {
  readonly store: StoreAccess;
  readonly host: ZipperHost;
  readonly directory: string;
  /** Returns the size of the object and deletes it. */
  takeObject(key: string): Promise<number>;
}

export const openWorld = async (log: (line: string) => void, parent = tmpdir()): Promise<BenchWorld> => {
  await using opened = new AsyncDisposableStack();
  const { cluster, store: binary } = await ensureBinaries(log);
  const directory = await mkdtemp(join(parent, 'zipjobs-bench-'));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'logs'));
  const store = await startStore({
    dir: directory,
    binary,
    launcher: cluster,
    onProcess: (process) => opened.defer(() => process.kill()),
  });
  await createBucket(store, BUCKET);
  const { endpoint, region, ...credentials } = store;
  const client = opened.adopt(new S3Client({ endpoint, region, forcePathStyle: true, credentials }), (s3) =>
    s3.destroy(),
  );
  const host = opened.use(await ZipperHost.start());
  const resources = opened.move();
  return {
    store,
    host,
    directory,
    takeObject: async (Key) => {
      const { ContentLength = 0 } = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key }));
      await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
      return ContentLength;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

/** Starts the origin of a case as a separate process. */
export const openOrigin = async ({ latencyMs, files }: BenchCase) => {
  const child = fork(join(import.meta.dirname, 'origin-main.ts'));
  const order: OriginOrder = { latencyMs, files };
  child.send(order);
  const [origin] = (await once(child, 'message')) as [string];
  return {
    url: `${origin}/set/`,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
};

/** Bytes on the loopback interface so far, with network headers, of all processes on this machine. */
export const loopbackBytes = async (): Promise<number> =>
  Number(/^\s*lo:\s*(\d+)/m.exec(await readFile('/proc/net/dev', 'utf8'))?.[1] ?? 0);
