/**
 * Pods are killed right after they sent Complete to a store that hides the upload at once, and shows the object only when
 * every part is copied.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { sized } from '#test/support/sized.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const MIB = 1024 ** 2;
const ARCHIVE_BYTES = sized(64, 2048) * MIB;
const RUNS = sized(4, 20);
/** How long no archive may appear after the end of a failed job. */
const WATCHED_MS = sized(30_000, 600_000);
const RUN_LIMIT_MS = 900_000;
/** The pods are killed up to this long after the request was forwarded. */
const LATEST_KILL_MS = 100;

function isComplete({ method, path }: ProxiedRequest): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

interface FailedRun {
  readonly key: string;
  readonly endedAt: number;
}

describe('pods that are killed right after they sent Complete', function () {
  this.timeout(RUNS * RUN_LIMIT_MS + WATCHED_MS);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('killed-after-complete');
  });
  after(() => world[Symbol.asyncDispose]());

  /** Runs a job whose first pod is killed, and returns the end of the job. */
  async function run(nth: number) {
    let isKilled = false;
    function kill(key: string): void {
      const pod = world.cluster.node.pods().find(({ name }) => name.startsWith(`zip-${key.slice(0, 36)}`));
      isKilled = world.cluster.node.kill(pod?.uid ?? '', 'SIGKILL');
    }
    const uuid = await world.start([world.origin.url(`/gen/${ARCHIVE_BYTES}/${nth}`)], {
      spec: { maxAttempts: nth % 2 === 0 ? 1 : 3 },
      storeFault: (request) => {
        const key = decodeURIComponent(request.path).split('?')[0]?.split('/').at(-1) ?? '';
        if (isComplete(request) && !isKilled) setTimeout(() => kill(key), (nth / RUNS) * LATEST_KILL_MS);
        return undefined;
      },
    });
    const { status } = await world.project.untilPhase(uuid, ['Succeeded', 'Failed'], RUN_LIMIT_MS);
    expect(isKilled, 'a pod was killed').to.equal(true);
    return { key: `${uuid}.zip`, status };
  }

  it('end as Succeeded, or as Failed without an archive at any later time (F47)', async () => {
    const failed: FailedRun[] = [];
    let succeeded = 0;
    const ends: string[] = [];
    for (let nth = 0; nth < RUNS; nth += 1) {
      const { key, status } = await run(nth);
      ends.push(`${status?.phase} (${status?.reason})`);
      if (status?.phase === 'Succeeded') {
        succeeded += 1;
        expect(await world.project.bucket.size(key)).to.equal(status.result?.bytes);
        // Frees the disk.
        await world.project.bucket.put(key, Buffer.alloc(0));
      } else failed.push({ key, endedAt: performance.now() });
    }
    console.log(`      ${ends.join(', ')}`);
    // Those with a second attempt.
    expect(succeeded, 'jobs that succeeded').to.be.at.least(RUNS / 2);
    for (const { key, endedAt } of failed)
      do {
        expect(await world.project.bucket.exists(key), `${key} appeared after the job had failed`).to.equal(
          false,
        );
        await delay(1000);
      } while (performance.now() < endedAt + WATCHED_MS);
    await world.untilNoOpenUploads();
  });
});
