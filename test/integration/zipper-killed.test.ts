/** A zipper is ended from outside in the middle of its upload. */
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

/** The least that the controller allows. Parts of another size than it knows need more. */
const TIGHT = { requests: { memory: '256Mi' }, limits: { memory: '256Mi' } };

describe('a zipper that is ended in the middle of its upload', function () {
  this.timeout(300_000);
  let world: ZipperWorld;
  let tight: string;
  let killed: { readonly uuid: string; readonly isKilled: boolean };

  // `tight` cannot finish before the node checks its memory: its source never sends the last byte. The Job
  // controller waits 10 s before it replaces a failed pod: both waits start at once.
  before(async () => {
    world = await startZipperWorld('zipper-killed');
    const held = world.hold();
    tight = await world.start([world.origin.url('/stall/399999999/400000000/1')], {
      spec: { resources: TIGHT },
      env: { PART_SIZE_BYTES: String(512 * 1024 * 1024) },
    });
    const uuid = await world.start([held.url]);
    const podUid = await world.untilUploading(uuid);
    killed = { uuid, isKilled: world.cluster.node.kill(podUid, 'SIGKILL') };
    held.release();
  });
  after(() => world[Symbol.asyncDispose]());

  it('by a drain: aborts, is not counted as an attempt, and its replacement succeeds (F8) (K5)', async () => {
    const held = world.hold();
    const uuid = await world.start([held.url], { spec: { maxAttempts: 1 } });
    await world.untilUploading(uuid);
    const { status: before } = await world.project.zipJob(uuid);
    const { namespace } = world.project;
    const name = before?.job?.podName ?? '';
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
    await world.cluster.kubectl(['create', '--raw', path, '-f', '-'], { input: JSON.stringify(eviction) });
    await world.untilUploading(uuid, before?.job?.podUid);
    held.release();
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    expect(status?.attempts?.[0]).to.include({ class: 'disruption', reason: 'Terminated', exitCode: 35 });
    expect((await world.jobOf(uuid)).failed ?? 0).to.equal(0);
    await until('its first upload to be gone', async () => {
      const keys = await world.project.bucket.openUploadKeys();
      return !keys.includes(`${uuid}.zip`);
    });
  });

  it('by SIGKILL: counts as an attempt, its upload is aborted, and its replacement succeeds (F9)', async () => {
    const { uuid, isKilled } = killed;
    expect(isKilled).to.equal(true);
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    expect(status?.attempts?.[0]).to.include({ class: 'transient', exitCode: 137 });
    expect((await world.jobOf(uuid)).failed).to.equal(1);
  });

  it('by SIGKILL before it recorded its upload, in the last attempt: leaves no incomplete upload (F9) (H8)', async () => {
    function kill(path: string): void {
      const key = decodeURIComponent(path).split('/').at(-1) ?? '';
      const pod = world.cluster.node.pods().find(({ name }) => name.startsWith(`zip-${key.slice(0, 36)}`));
      world.cluster.node.kill(pod?.uid ?? '', 'SIGKILL');
    }
    let creates = 0;
    function storeFault({ method, path }: ProxiedRequest): FaultAction | undefined {
      if (method !== 'POST' || !/[?&]uploads\b/.test(path)) return undefined;
      creates += 1;
      return creates === 1 ? { kind: 'kill', kill: () => kill(path) } : undefined;
    }
    const uuid = await world.start([world.origin.url('/gen/1000/1')], {
      spec: { maxAttempts: 1 },
      storeFault,
    });
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', attemptsTotal: 1 });
    expect(status?.attempts?.[0]).to.include({ exitCode: 137 }).and.to.not.have.property('upload');
    // The second upload was the mark by which recovery identified the first one.
    expect(creates).to.equal(2);
    expect(await world.project.bucket.openUploadKeys()).to.not.include(`${uuid}.zip`);
  });

  it('by lack of memory, twice: fails with that reason and leaves nothing behind (F9)', async () => {
    const { status } = await world.untilEnd(tight);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'OutOfMemory' });
    expect(status?.attempts?.map((attempt) => attempt.class)).to.deep.equal(['oom', 'oom']);
    expect(status?.attempts?.[0]).to.include({ exitCode: 137, reason: 'OOMKilled' });
    await world.untilNoOpenUploads();
    expect(await world.project.bucket.exists(`${tight}.zip`)).to.equal(false);
  });
});
