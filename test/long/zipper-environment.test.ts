/** A zipper on a node with a wrong clock, without a disk, or on which it does not end. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

const HOUR_MS = 3_600_000;
/** The largest error that a time of a job may have. */
const MINUTES_MS = 120_000;
const OFFSET_DATE = resolve(import.meta.dirname, '../support/processes/pods/offset-date.ts');
/** It may write only in the folder of the pod, where the kubelet reads the termination message. CRC-32 is native code, an addon. */
const READ_ONLY = '--permission --allow-fs-read=* --allow-addons';

function timesIn(value: unknown): readonly number[] {
  return [...JSON.stringify(value).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+Z)"/g)].map(([, text = '']) =>
    Date.parse(text),
  );
}

/** At the same time with one job whose clock is an hour ahead, and one whose clock is an hour behind. */
async function aheadAndBehind(run: (ms: number) => Promise<void>): Promise<void> {
  await Promise.all([HOUR_MS, -HOUR_MS].map(run));
}

/** The clock of a zipper with this environment: off by this time, and later by another. */
async function createClock(ms: number) {
  const dir = await mkdtemp(join(tmpdir(), 'zipjobs-clock-'));
  function set(aheadMs: number): Promise<void> {
    return writeFile(join(dir, 'pod'), String(aheadMs));
  }
  await set(ms);
  return {
    env: { NODE_OPTIONS: `--import=${OFFSET_DATE}`, TEST_CLOCK_DIR: dir, POD_NAME: 'pod' },
    set,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  };
}

function expectRightTimes(status: ZipJob['status']): void {
  for (const time of timesIn({ ...status, progress: { updatedAt: status?.progress?.updatedAt } }))
    expect(Math.abs(time - Date.now()), JSON.stringify(status)).to.be.below(MINUTES_MS);
}

/** A job whose process is stopped, so that it does not handle the SIGTERM of its deadline, when its API reports that it failed. */
async function failAtDeadline(world: ZipperWorld, signal: AbortSignal) {
  const { node } = world.cluster;
  const baseUrl = await (await sharedInstallation()).apiUrl();
  await untilTokenKnown(baseUrl, world.project.token);
  const uuid = await world.start([world.hold().url], { spec: { activeDeadlineSeconds: 60 } });
  const podUid = await world.untilUploading(uuid);
  expect(node.kill(podUid, 'SIGSTOP')).to.equal(true);
  async function ask(): Promise<boolean> {
    const response = await askApi(baseUrl, { path: `/v1/zips/${uuid}`, token: world.project.token });
    return response.body.data?.status === 'failed';
  }
  await until('the webhook of the failed job', ask, { limitMs: 120_000, intervalMs: 200, signal });
  const isRunning = node.pods().some(({ uid, containers }) => uid === podUid && containers.length > 0);
  node.kill(podUid, 'SIGKILL');
  return { uuid, isRunning };
}

describe('a zipper', function () {
  this.timeout(300_000);
  const over = new AbortController();
  let world: ZipperWorld;
  /** The shortest deadline is a minute, which passes during the other tests. */
  let failed: ReturnType<typeof failAtDeadline>;
  before(async () => {
    world = await startZipperWorld('surroundings');
    failed = failAtDeadline(world, over.signal);
    failed.catch(() => undefined);
  });
  after(async () => {
    over.abort();
    await world[Symbol.asyncDispose]();
  });

  function untilNoOpenUpload(uuid: string) {
    return until('the upload to be aborted', async () => {
      const keys = await world.project.bucket.openUploadKeys();
      return !keys.includes(`${uuid}.zip`);
    });
  }

  it('succeeds with a clock that is off by an hour, and every time in the status is right (F18)', () =>
    aheadAndBehind(async (offsetMs) => {
      await using clock = await createClock(offsetMs);
      const uuid = await world.start([world.origin.url('/drip/2000000/300/8000000/1')], { env: clock.env });
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 1 });
      expectRightTimes(status);
      expect(status?.duration).to.not.include('h');
      await untilNoOpenUpload(uuid);
    }));

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

  it('succeeds when its clock jumps by an hour during the upload (F18) (F32)', () =>
    aheadAndBehind(async (jumpMs) => {
      await using clock = await createClock(0);
      const held = world.hold();
      const uuid = await world.start([held.url], { env: clock.env });
      await world.untilUploading(uuid);
      await clock.set(jumpMs);
      held.release();
      // The job may need another attempt: some stores close the connection of a part with an outdated signature, and
      // without their response the zipper does not learn the time.
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
      expectRightTimes(status);
    }));

  it('succeeds after a lost attempt on a node whose clock is off by an hour (F18) (F32)', () =>
    aheadAndBehind(async (clockAheadMs) => {
      const held = world.hold();
      const uuid = await world.start([held.url], { clockAheadMs });
      const first = await world.untilUploading(uuid);
      const pod = ['pods', '-l', `job-name=zip-${uuid}`, '-o', 'jsonpath={.items[0].status.startTime}'];
      const started = await world.kubectl('get', ...pod);
      expect(Math.abs(Date.parse(started) - Date.now() - clockAheadMs), started).to.be.below(MINUTES_MS);
      world.cluster.node.kill(first, 'SIGKILL');
      await world.untilUploading(uuid, first);
      held.release();
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
      expectRightTimes(status);
      expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    }));

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

  it('delays no webhook when it does not end at its deadline, and leaves nothing behind (F17) (K3)', async () => {
    const { uuid, isRunning } = await failed;
    expect(isRunning).to.equal(true);
    const { status } = await world.project.zipJob(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Failed', reason: 'DeadlineExceeded' });
    await untilNoOpenUpload(uuid);
    expect(await world.project.bucket.exists(`${uuid}.zip`)).to.equal(false);
  });
});
