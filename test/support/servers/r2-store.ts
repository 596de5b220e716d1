import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import { createBucket, startStore } from '#tools/local-cluster/store.ts';
import { createR2Rules, type R2Rules } from './r2-rules.ts';
import { certificatePath, certificateText } from './tls-front.ts';

export interface R2Store extends AsyncDisposable {
  /** The S3 server behind the rules, over plain HTTP. */
  readonly store: StoreAccess;
  /** `host:port` of the endpoint with the rules, over HTTPS. */
  readonly host: string;
  /** Its certificate authority. */
  readonly caFile: string;
  readonly rules: R2Rules;
}

/** Starts a real S3 server for the region `auto`, and an HTTPS endpoint in front of it that refuses what R2 refuses. */
export async function startR2Store(bucket: string): Promise<R2Store> {
  await using started = new AsyncDisposableStack();
  const binaries = await ensureBinaries((line) => process.stderr.write(`${line}\n`));
  const dir = await mkdtemp(join(tmpdir(), 'zipjobs-r2-'));
  started.defer(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'logs'));
  const store = await startStore({
    dir,
    binary: binaries.store,
    launcher: binaries.cluster,
    region: 'auto',
    onProcess: (process) => started.defer(() => process.kill()),
  });
  await createBucket(store, bucket);
  const tls = { cert: certificateText('loopback.pem'), key: certificateText('server.key') };
  const rules = createR2Rules();
  const front = started.use(await startFaultProxy({ upstream: store.endpoint, tls, judge: rules.judge }));
  const resources = started.move();
  return {
    store,
    host: new URL(front.url).host,
    caFile: certificatePath('loopback.pem'),
    rules,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
