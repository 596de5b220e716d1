/**
 * Measures jobs on a real node: `npm run bench:node -- [--jobs N] [--case latency | memory] [--json]`. `latency` posts jobs of
 * one file one after another, and prints how long each stage takes, and the requests of a job to the API server. `memory` prints the peaks of the cgroups of pods.
 */
import { parseArgs } from 'node:util';
import { nodeUnavailable, realCluster, stopRealCluster } from '#test/support/worlds/real-cluster.ts';
import { type RealFlow, startRealFlow } from '#test/support/worlds/real-flow.ts';
import { installOnNode } from '#test/support/worlds/real-installation.ts';
import type { RealCluster } from '#tools/real-node/real-cluster.ts';
import { countRequests, perJob } from './node/count-requests.ts';
import { recordJobs } from './node/job-moments.ts';
import { measureMemory } from './node/measure-memory.ts';
import { summarize } from './node/stages.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '30' },
    case: { type: 'string', multiple: true, default: ['latency', 'memory'] },
    json: { type: 'boolean', default: false },
  },
});
const FILE = '/gen/50000/1';

async function latency(cluster: RealCluster, flow: RealFlow): Promise<void> {
  await using recorder = await recordJobs(cluster, flow);
  // The first reads the image into the page cache.
  await recorder.run('warm-up.zip', flow.origin.url(FILE));
  const before = await countRequests(cluster);
  const moments = [];
  for (let job = 0; job < Number(values.jobs); job += 1)
    moments.push(await recorder.run(`${job}.zip`, flow.origin.url(FILE)));
  for (const { stage, p50_ms, p99_ms } of summarize(moments))
    console.log(
      values.json
        ? JSON.stringify({ case: 'latency', stage, p50_ms, p99_ms })
        : `${stage.padEnd(50)}p50 ${String(p50_ms).padStart(5)} ms, p99 ${String(p99_ms).padStart(5)} ms`,
    );
  for (const [what, count] of perJob(before, await countRequests(cluster), moments.length))
    console.log(
      values.json
        ? JSON.stringify({ case: 'requests', what, per_job: count })
        : `${what.padEnd(50)}${count.toFixed(1).padStart(9)} per job`,
    );
}

async function memory(cluster: RealCluster, flow: RealFlow): Promise<void> {
  for (const one of await measureMemory(cluster, flow))
    console.log(
      values.json
        ? JSON.stringify({ case: 'memory', ...one })
        : `${one.what.padEnd(50)}peak ${one.peak_mib} MiB, working set ${one.working_set_mib} MiB`,
    );
}

async function main(): Promise<void> {
  const reason = nodeUnavailable();
  if (reason !== undefined) throw new Error(reason);
  const cluster = await realCluster();
  await installOnNode(cluster);
  await using flow = await startRealFlow(cluster, 'bench-node');
  if (values.case.includes('latency')) await latency(cluster, flow);
  if (values.case.includes('memory')) await memory(cluster, flow);
}

try {
  await main();
} finally {
  await stopRealCluster();
}
