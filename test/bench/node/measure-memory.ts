import { postJob } from '#test/support/clients/api-client.ts';
import type { RealFlow } from '#test/support/worlds/real-flow.ts';
import { outsideUrl, type RealCluster } from '#tools/real-node/real-cluster.ts';
import type { BenchFile } from '../bench-case.ts';
import { openOrigin } from '../bench-world.ts';
import { peaksOfJob } from './pod-peaks.ts';

const MIB = 1024 * 1024;

function same(count: number, bytes: number): readonly BenchFile[] {
  return Array.from({ length: count }, (_, index) => ({ path: `${index}.bin`, bytes }));
}

const JOBS: readonly { readonly what: string; readonly files: readonly BenchFile[] }[] = [
  { what: '1 file of 50 KB', files: same(1, 50_000) },
  { what: '1 file of 16 MiB', files: same(1, 16 * MIB) },
  { what: '1 file of 100 MiB', files: same(1, 100 * MIB) },
  { what: '1 file of 1 GiB', files: same(1, 1024 * MIB) },
  { what: '4 files of 256 MiB', files: same(4, 256 * MIB) },
  { what: '2,000 files of 50 KB', files: same(2000, 50_000) },
  { what: '10,000 files of 20 KB', files: same(10_000, 20_000) },
];

export interface JobMemory {
  readonly what: string;
  readonly peak_mib: number;
  readonly working_set_mib: number;
}

/** Runs jobs of several sizes one after another, and returns the peaks of their pods' cgroups. */
export async function measureMemory(cluster: RealCluster, flow: RealFlow): Promise<readonly JobMemory[]> {
  const results: JobMemory[] = [];
  function inMib(bytes: number): number {
    return Math.round(bytes / MIB);
  }
  for (const { what, files } of JOBS) {
    await using origin = await openOrigin({ name: what, what, latencyMs: 0, files }, { plain: true });
    const urls = files.map(({ path }) => ({ url: outsideUrl(`${origin.url}${path}`), filename: path }));
    const uuid = await postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key: 'memory.zip',
      urls,
    });
    const { peak, workingSet } = await peaksOfJob(flow, cluster.node.cgroup, uuid);
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed']);
    if (status?.phase !== 'Succeeded') throw new Error(`job ${uuid}: ${JSON.stringify(status)}`);
    results.push({ what, peak_mib: inMib(peak), working_set_mib: inMib(workingSet) });
  }
  return results;
}
