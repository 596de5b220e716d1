/** Checks what zipjobs needs from an S3-compatible store, with the code of the zipper. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '#runtime/errors.ts';
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { createBucket } from '#tools/local-cluster/store.ts';
import type { LocalStore } from './local-stores.ts';
import { countOf, lineOf, summaryOf } from './report.ts';
import { runChecks } from './run-checks.ts';
import { type Command, readCommand } from './target.ts';
import type { Target } from './world.ts';

const LOCAL_BUCKET = 'store-contract';

async function startLocal(start: LocalStore, life: AsyncDisposableStack): Promise<Target> {
  const dir = await mkdtemp(join(tmpdir(), 'store-contract-'));
  life.defer(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'logs'));
  const access = await start({ dir, life });
  await createBucket(access, LOCAL_BUCKET);
  return { ...access, bucket: LOCAL_BUCKET };
}

async function main({ store, json }: Command): Promise<void> {
  await using life = new AsyncDisposableStack();
  const target = 'target' in store ? store.target : await startLocal(store.local, life);
  const results = await runChecks(target, (result) => process.stdout.write(`${lineOf(result)}\n`));
  process.stdout.write(`\n${summaryOf(results)}\n`);
  const { endpoint, region, bucket } = target;
  const report = { endpoint, region, bucket, at: new Date().toISOString(), results };
  if (json !== undefined) await writeFile(json, `${JSON.stringify(report, undefined, 2)}\n`);
  process.exitCode = countOf(results).fails > 0 ? 1 : 0;
}

try {
  await main(readCommand(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof ClusterError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
