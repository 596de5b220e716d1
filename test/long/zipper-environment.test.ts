/** A zipper on a node with a wrong clock, or without a disk. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { podRoutes } from '#test/support/worlds/shared-cluster.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

const HOUR_MS = 3_600_000;
/** The largest error that a time of a job may have. */
const MINUTES_MS = 120_000;
const OFFSET_DATE = resolve(import.meta.dirname, '../support/processes/pods/offset-date.ts');
/** It may write only in the folder of the pod, where the kubelet reads the termination message. */
const READ_ONLY = '--permission --allow-fs-read=*';

const timesIn = (value: unknown): readonly number[] =>
  [...JSON.stringify(value).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+Z)"/g)].map(([, text = '']) => Date.parse(text));

describe('a zipper', function () {
  this.timeout(300_000);
  let world: ZipperWorld;
  before(async () => {
    world = await startZipperWorld('surroundings');
  });
  after(() => world[Symbol.asyncDispose]());

  for (const offsetMs of [HOUR_MS, -HOUR_MS])
    it(`succeeds with a clock that is off by ${offsetMs / HOUR_MS} h, and every time in the status is right (F18)`, async () => {
      const dir = await mkdtemp(join(tmpdir(), 'zipjobs-clock-'));
      try {
        await writeFile(join(dir, 'wrong'), String(offsetMs));
        const env = { NODE_OPTIONS: `--import=${OFFSET_DATE}`, TEST_CLOCK_DIR: dir, POD_NAME: 'wrong' };
        const uuid = await world.start([world.origin.url('/drip/2000000/300/8000000/1')], { env });
        const { status } = await world.untilEnd(uuid);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 1 });
        for (const time of timesIn({ ...status, progress: { updatedAt: status?.progress?.updatedAt } }))
          expect(Math.abs(time - Date.now()), JSON.stringify(status)).to.be.below(MINUTES_MS);
        expect(status?.duration).to.not.include('h');
        await world.untilNoOpenUploads();
      } finally {
        await rm(dir, { recursive: true });
      }
    });

  it('knows the service ranges that the cluster reports (N11)', async () => {
    const { stdout } = await world.cluster.kubectl([
      'get',
      'servicecidrs',
      '-o',
      'jsonpath={range .items[*]}{.spec.cidrs[*]}{end}',
    ]);
    const held = world.hold();
    const uuid = await world.start([held.url]);
    const job = await until('the Job of the zipper', () =>
      world.kubectl('get', 'job', `zip-${uuid}`, '-o', 'json'),
    );
    const { spec } = JSON.parse(job) as {
      spec: { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } };
    };
    const env = new Map(spec.template.spec.containers[0]?.env.map(({ name, value }) => [name, value]));
    expect(stdout).to.match(/^\d+(\.\d+){3}\/\d+/);
    expect(env.get('EGRESS_SERVICE_CIDRS')).to.equal(stdout.trim().replaceAll(' ', ','));
    expect(env.get('EGRESS_API_SERVER_ADDRESSES')).to.contain('127.0.0.1');
    held.release();
    expect((await world.untilEnd(uuid)).status?.phase).to.equal('Succeeded');
  });

  for (const jumpMs of [HOUR_MS, -HOUR_MS])
    it(`succeeds when its clock jumps by ${jumpMs / HOUR_MS} h during the upload (F18) (F32)`, async () => {
      const dir = await mkdtemp(join(tmpdir(), 'zipjobs-clock-'));
      try {
        await writeFile(join(dir, 'jumping'), '0');
        const env = { NODE_OPTIONS: `--import=${OFFSET_DATE}`, TEST_CLOCK_DIR: dir, POD_NAME: 'jumping' };
        const held = world.hold();
        const uuid = await world.start([held.url], { env });
        await world.untilUploading(uuid);
        await writeFile(join(dir, 'jumping'), String(jumpMs));
        held.release();
        // The job may need another attempt: some stores close the connection of a part with an outdated signature, and
        // without their response the zipper does not learn the time.
        const { status } = await world.untilEnd(uuid);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
        for (const time of timesIn({ ...status, progress: { updatedAt: status?.progress?.updatedAt } }))
          expect(Math.abs(time - Date.now()), JSON.stringify(status)).to.be.below(MINUTES_MS);
      } finally {
        await rm(dir, { recursive: true });
      }
    });

  for (const aheadMs of [HOUR_MS, -HOUR_MS])
    it(`succeeds after a lost attempt on a node whose clock is off by ${aheadMs / HOUR_MS} h (F18) (F32)`, async () => {
      podRoutes.clockAheadMsFor = ({ metadata }) =>
        metadata.namespace === world.project.namespace ? aheadMs : 0;
      try {
        const held = world.hold();
        const uuid = await world.start([held.url]);
        const first = await world.untilUploading(uuid);
        const pods = await world.kubectl('get', 'pods', '-o', 'jsonpath={.items[*].status.startTime}');
        const off = pods.split(' ').map((time) => Date.parse(time) - Date.now());
        expect(
          off.some((ms) => Math.abs(ms - aheadMs) < MINUTES_MS),
          pods,
        ).to.equal(true);
        world.cluster.node.kill(first, 'SIGKILL');
        await world.untilUploading(uuid, first);
        held.release();
        const { status } = await world.untilEnd(uuid);
        expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
        expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
      } finally {
        podRoutes.clockAheadMsFor = undefined;
      }
    });

  it('writes no temporary files, whatever the size of the archive (F21)', async () => {
    const pods = join(world.cluster.dir, 'pods');
    const uuid = await world.start(
      [world.origin.url('/gen/20000000/1'), world.origin.url('/chunked/9000000/2/60000')],
      {
        env: {
          NODE_OPTIONS: `${READ_ONLY} --allow-fs-write=${pods}/*`,
          HOME: '/nonexistent',
          TMPDIR: '/nonexistent',
          NODE_COMPILE_CACHE: '',
          NODE_DISABLE_COMPILE_CACHE: '1',
        },
      },
    );
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 1 });
    const { podUid = '' } = status?.attempts?.[0] ?? {};
    const dir = (await readdir(pods)).find((name) => name.endsWith(podUid)) ?? '';
    const left = (await readdir(join(pods, dir))).filter((name) => name !== 'volumes');
    expect(left).to.have.members(['home', 'zipper.log', 'zipper.termination']);
    expect(await readdir(join(pods, dir, 'home'))).to.deep.equal([]);
    expect(status?.result?.entries).to.equal(2);
    expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
  });
});
