/**
 * The main job on real input, on the local cluster: `npm run demo [-- --keep] [-- --url URL ...]`. The exit
 * code is 0 only when the archive, the status and the webhook are all correct.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import { keepDuration } from './kept-duration.ts';
import { makePlan } from './plan.ts';
import { runDemo } from './run-demo.ts';

const USAGE = `npm run demo -- [--keep] [--url URL ...]
  --keep     leave everything running until Ctrl-C, and print the addresses of the dashboard and the API reference
  --url URL  archive these links instead of the installed packages' files (may be repeated)`;

const started = performance.now();

function print(line: string): void {
  console.log(line);
}

function step(line: string): void {
  print(`\n[${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s] ${line}`);
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => undefined, 3_600_000);
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        clearInterval(timer);
        resolve();
      });
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      keep: { type: 'boolean', default: false },
      url: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return print(USAGE);
  const plan = await makePlan();
  print(plan.text);
  const folder = await mkdtemp(join(tmpdir(), 'zipjobs-demo-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  step(
    'Starting the local cluster: etcd, kube-apiserver, controller-manager, scheduler, S3 server, one node',
  );
  const cluster = stack.use(await startCluster({ log: (line) => print(`          ${line}`) }));
  await runDemo({ cluster, folder, urls: values.url ?? [], keep: values.keep, step, print, stack });
  // A build or links of others take other times.
  if (plan.isBuilt && values.url === undefined) await keepDuration((performance.now() - started) / 1000);
  if (values.keep) await untilInterrupted();
}

try {
  await main();
} catch (error) {
  console.error('\nThe demo failed:', error);
  process.exitCode = 1;
}
