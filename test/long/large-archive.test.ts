/** An archive that is larger than the memory of its zipper, through the whole service. */
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { sized } from '#test/support/sized.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const MIB = 1024 * 1024;
const MEMORY_BAR_BYTES = 256 * MIB;
const GIB = sized(1, 5);
const FILES = 8;
const FILE_BYTES = (GIB * 1024 * MIB) / FILES;
const SAMPLE_INTERVAL_MS = 200;

/** Reads the zipper's peak memory from outside repeatedly until stopped; the last reading counts. */
function watchZipper(flow: Flow): { readonly stop: () => number } {
  let peak = 0;
  async function sample(): Promise<void> {
    const pods = flow.cluster.node.pods().filter((pod) => pod.namespace === flow.project.namespace);
    const pids = pods.flatMap((pod) => pod.containers.flatMap(({ pid }) => pid));
    for (const pid of pids) peak = Math.max(peak, (await memoryOf(pid)).peak);
  }
  const timer = setInterval(() => void sample(), SAMPLE_INTERVAL_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

/**
 * The image contains the compile cache; here the first start has to compile, and the compiler stays in
 * memory.
 */
async function warmUp(flow: Flow): Promise<void> {
  const uuid = await postJob(flow.baseUrl, flow.project.token, {
    bucket_name: flow.project.bucketName,
    key: 'first.zip',
    urls: [{ url: flow.origin.url('/gen/10/1'), filename: 'a' }],
  });
  await flow.project.untilPhase(uuid, ['Succeeded']);
}

async function archive(flow: Flow): Promise<ZipJob> {
  const uuid = await postJob(flow.baseUrl, flow.project.token, {
    bucket_name: flow.project.bucketName,
    key: 'large.zip',
    urls: Array.from({ length: FILES }, (_, index) => ({
      url: flow.origin.url(`/gen/${FILE_BYTES}/${index}`),
      filename: `part-${index}.bin`,
    })),
  });
  return flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 800_000);
}

describe(`an archive of ${GIB} GiB`, function () {
  this.timeout(900_000);

  it('is created with the zipper below 256 MiB of resident memory (H10)', async () => {
    await using flow = await startFlow('large');
    await warmUp(flow);
    const watch = watchZipper(flow);
    const { status } = await archive(flow);
    const peak = watch.stop();
    expect(status?.phase, status?.message).to.equal('Succeeded');
    const bytes = status?.result?.bytes ?? 0;
    expect(bytes).to.be.greaterThan(FILES * FILE_BYTES);
    expect(await flow.project.bucket.size('large.zip')).to.equal(bytes);
    console.log(`      ${bytes} bytes in ${status?.result?.seconds} s, peak ${(peak / MIB).toFixed(0)} MiB`);
    expect(peak).to.be.greaterThan(0).and.lessThan(MEMORY_BAR_BYTES);
  });
});
