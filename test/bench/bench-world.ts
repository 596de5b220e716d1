import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { createBucket, createStoreClient, startStore } from '#tools/local-cluster/store.ts';
import type { BenchCase } from './bench-case.ts';
import type { OriginOrder } from './origin-main.ts';

export const BUCKET = 'bench';

export interface WorldOptions {
  readonly log: (line: string) => void;
  /** Origin and store speak HTTP instead of HTTPS. */
  readonly plain: boolean;
  /** Folder of the store. Default: the folder for temporary files. */
  readonly parent?: string | undefined;
}

/** What all contenders share: one real S3 server and the environment of a zipper pod. */
export interface BenchWorld extends AsyncDisposable {
  readonly plain: boolean;
  readonly store: StoreAccess;
  readonly storePid: number;
  readonly host: ZipperHost;
  readonly directory: string;
  /** Returns the size of the object and deletes it. */
  takeObject(key: string): Promise<number>;
}

export async function openWorld({ log, plain, parent = tmpdir() }: WorldOptions): Promise<BenchWorld> {
  await using opened = new AsyncDisposableStack();
  const { cluster, store: binary } = await ensureBinaries(log);
  const directory = await mkdtemp(join(parent, 'zipjobs-bench-'));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  await mkdir(join(directory, 'logs'));
  let storePid = 0;
  const store = await startStore({
    dir: directory,
    binary,
    launcher: cluster,
    onProcess: (process) => {
      storePid = process.pid;
      opened.defer(() => process.kill());
    },
    ...(!plain && { tls: PRIVATE_TLS }),
  });
  await createBucket(store, BUCKET);
  const client = opened.adopt(createStoreClient(store), (s3) => s3.destroy());
  const host = opened.use(await ZipperHost.start());
  const resources = opened.move();
  return {
    plain,
    store,
    storePid,
    host,
    directory,
    takeObject: async (Key) => {
      const { ContentLength = 0 } = await client.send(new HeadObjectCommand({ Bucket: BUCKET, Key }));
      await client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
      return ContentLength;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export interface BenchOrigin extends AsyncDisposable {
  /** Ends with a slash. The path of a file follows. */
  readonly url: string;
  readonly pid: number;
}

/** Starts the origin of a case as a separate process, with HTTPS unless `plain`. */
export async function openOrigin(
  { latencyMs, files }: BenchCase,
  { plain }: { readonly plain: boolean },
): Promise<BenchOrigin> {
  const child = fork(join(import.meta.dirname, 'origin-main.ts'));
  const order: OriginOrder = { latencyMs, files, plain };
  child.send(order);
  const [origin] = (await once(child, 'message')) as [string];
  return {
    url: `${origin}/set/`,
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Bytes on the loopback interface so far, with network headers, of all processes on this machine. */
export async function loopbackBytes(): Promise<number> {
  return Number(/^\s*lo:\s*(\d+)/m.exec(await readFile('/proc/net/dev', 'utf8'))?.[1] ?? 0);
}
