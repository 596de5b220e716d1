/**
 * Large archives whose zippers are killed, drained or run out of memory: the next pod continues the upload. Small by default, and
 * 10 GiB at 25 MB/s with `--full-size`, which needs more time than a command on the node normally has (tools/real-node/README.md).
 */
import { expect } from 'chai';
import { ZIPPER_CONTAINER, zipJobName } from '#crds/api-group.ts';
import type { Attempt, ZipJobStatus } from '#crds/zip-job.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { pacedBytesSent } from '#test/support/servers/origin-paced-route.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { realCluster, requireNode } from '#test/support/worlds/real-cluster.ts';
import { type RealFlow, startRealFlow } from '#test/support/worlds/real-flow.ts';
import { installOnNode, uninstallFromNode } from '#test/support/worlds/real-installation.ts';
import { killContainer } from '#tools/real-node/containers.ts';
import { exhaustMemory } from '#tools/real-node/exhaust-memory.ts';
import { IMAGE_TAG } from '#tools/real-node/images.ts';
import { outsideUrl, type RealCluster } from '#tools/real-node/real-cluster.ts';

const MIB = 1024 * 1024;
/** Of all sources together. */
const BYTES_PER_SECOND = sized(8_000_000, 25_000_000);
const LARGE_FILES = 9;
const LARGE_BYTES = sized(16, 1_130) * MIB + 1;
const SMALL_FILES = sized(20, 400);
const SMALL_BYTES = 100_000;
const KILLS = sized(2, 10);
const CHECKPOINT_SECONDS = sized(2, 30);
const PART_BUFFER_BYTES = sized(16, 64) * MIB;
const SOURCE_BUFFER_BYTES = sized(4, 16) * MIB;
/** What the zipper has read and the store has not confirmed: the memory of both, and of the sockets. */
const UNCONFIRMED_BYTES = PART_BUFFER_BYTES + SOURCE_BUFFER_BYTES + sized(12, 32) * MIB;
/** An interval with its jitter, and the time that a checkpoint takes. */
const LOST_AT_KILL = BYTES_PER_SECOND * (1.2 * CHECKPOINT_SECONDS + 2) + UNCONFIRMED_BYTES;
const LIMIT_MS = sized(600_000, 7_200_000);

/** In the small size: from the first byte, and often. */
const QUICK = {
  zipper: { settings: { STORE_BUFFER_BYTES: PART_BUFFER_BYTES, SOURCE_BUFFER_BYTES } },
  controller: {
    podTemplate: unsupportedPod('controller', {
      RESUME_FROM_BYTES: 0,
      CHECKPOINT_INTERVAL_MS: CHECKPOINT_SECONDS * 1000,
      PART_SIZE_BYTES: 5 * MIB,
      STATUS_PROGRESS_INTERVAL_MS: 1_000,
    }),
  },
};

/** What became of a job. */
interface Run {
  readonly status: ZipJobStatus;
  readonly seconds: number;
  /** Bytes that its sources have sent. */
  readonly sent: number;
  readonly sha256: string;
}

/** What a pod lost when it ended. */
interface Loss {
  readonly attempt: Attempt;
  /** Bytes that the store had confirmed, by the last progress of the pod. */
  readonly uploaded: number;
  /** Bytes that the next pod kept. */
  readonly kept: number;
  /** Seconds until the next pod was active. */
  readonly pause: number;
}

type Disturb = (uuid: string) => Promise<readonly Loss[]>;

/** The upload that the active pod has recorded. */
function uploadOfActive({ job, progress, upload }: ZipJobStatus): ZipJobStatus['upload'] {
  return job?.podUid !== undefined && progress?.podUid === job.podUid ? upload : undefined;
}

/** Whether the active pod has written a checkpoint itself. */
function hasOwnCheckpoint(status: ZipJobStatus): boolean {
  const { state, checkpoint = 0 } = uploadOfActive(status) ?? {};
  return state === 'open' && checkpoint > (status.inherits?.checkpoint ?? 0);
}

/** Whether the active pod continues an upload, or has refused to. */
function hasDecided(status: ZipJobStatus): boolean {
  const { resumedParts, refusal } = uploadOfActive(status) ?? {};
  return resumedParts !== undefined || refusal !== undefined;
}

function text({ seconds, sent }: Run, plain: Run, losses: readonly Loss[]): string {
  const pause = losses.reduce((sum, loss) => sum + loss.pause, 0);
  const again = losses.reduce((sum, { uploaded, kept }) => sum + Math.max(0, uploaded - kept), 0);
  return [
    `${(plain.sent / MIB).toFixed(0)} MiB, ${losses.length} lost pods`,
    `${seconds.toFixed(0)} s, ${(seconds - pause).toFixed(0)} s without the time between pods, ${plain.seconds.toFixed(0)} s undisturbed`,
    `${((sent - plain.sent) / MIB).toFixed(1)} MiB requested again, ${(again / MIB).toFixed(1)} MiB of confirmed bytes uploaded again`,
  ].join('; ');
}

describe('large archives on a real node whose pods are lost', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let cluster: RealCluster;
  let flow: RealFlow;
  let plain: Run;

  function post(key: string): Promise<string> {
    const large = Array.from(
      { length: LARGE_FILES },
      (_, n) => `/paced/${BYTES_PER_SECOND}/${LARGE_BYTES}/${n + 1}?in=${key}`,
    );
    const small = Array.from(
      { length: SMALL_FILES },
      (_, n) => `/paced/${BYTES_PER_SECOND}/${SMALL_BYTES}/${n + 100}?in=${key}`,
    );
    const urls = [...small.slice(0, 10), ...large, ...small.slice(10)].map((path, index) => ({
      url: outsideUrl(flow.origin.url(path)),
      filename: `file-${index}.bin`,
    }));
    return postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key,
      urls,
      modification_time: '2026-01-31T12:00:00Z',
    });
  }

  async function untilStatus(
    uuid: string,
    what: string,
    is: (status: ZipJobStatus) => boolean,
  ): Promise<ZipJobStatus> {
    return until(
      `${what} of job ${uuid}`,
      async () => {
        const { status } = await flow.project.zipJob(uuid);
        if (status?.phase === 'Failed') throw new Error(JSON.stringify(status));
        return status && is(status) && status;
      },
      { limitMs: LIMIT_MS, intervalMs: 250 },
    );
  }

  async function make(key: string, disturb: Disturb): Promise<Run & { readonly losses: readonly Loss[] }> {
    const started = performance.now();
    const uuid = await post(key);
    const losses = await disturb(uuid);
    const { status = {} } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], LIMIT_MS);
    const seconds = (performance.now() - started) / 1000;
    expect(status.phase, status.message).to.equal('Succeeded');
    expect(await flow.project.bucket.openUploads()).to.deep.equal([]);
    const sha256 = await flow.project.bucket.sha256(key);
    await flow.project.bucket.remove(key);
    return { status, seconds, sent: pacedBytesSent(key), sha256, losses };
  }

  /** Waits until the active pod has a checkpoint of its own, ends it, and waits until the next one continues. */
  async function lose(
    uuid: string,
    end: (pod: { name: string; uid: string }) => Promise<unknown>,
  ): Promise<Loss> {
    const before = await untilStatus(uuid, 'a new checkpoint', hasOwnCheckpoint);
    const { podName: name = '', podUid: uid = '' } = before.job ?? {};
    const ended = performance.now();
    let uploaded = before.progress?.bytesUploaded ?? 0;
    const ending = end({ name, uid });
    const after = await untilStatus(uuid, 'the next pod', (status) => {
      const { progress } = status;
      if (progress?.podUid === uid) uploaded = Math.max(uploaded, progress.bytesUploaded);
      return progress?.podUid !== uid && hasDecided(status);
    });
    await ending;
    const attempt = after.attempts?.find(({ podUid }) => podUid === uid);
    expect(attempt, `the attempt of ${name}`).to.not.equal(undefined);
    expect(after.upload?.refusal).to.equal(undefined);
    const pause = (performance.now() - ended) / 1000;
    return { attempt: attempt as Attempt, uploaded, kept: after.upload?.resumedBytes ?? 0, pause };
  }

  function report(run: Run & { readonly losses: readonly Loss[] }): void {
    console.log(`      ${text(run, plain, run.losses)}`);
    expect(run.sha256).to.equal(plain.sha256);
    expect(run.status.result?.resumes).to.equal(run.losses.length);
  }

  before(async function () {
    requireNode(this);
    cluster = await realCluster();
    await installOnNode(cluster, IMAGE_TAG, sized(1, 0) === 1 ? QUICK : {});
    life.defer(() => uninstallFromNode(cluster));
    flow = life.use(await startRealFlow(cluster, 'resume'));
    plain = await make('plain.zip', () => Promise.resolve([]));
    expect(plain.status).to.include({ attemptsTotal: 1 });
  });
  after(() => life.disposeAsync());

  it(`are the same bytes after ${KILLS} SIGKILLs, and only bytes behind the last checkpoint are requested again (G12)`, async () => {
    const run = await make('killed.zip', async (uuid) => {
      const losses: Loss[] = [];
      while (losses.length < KILLS)
        losses.push(await lose(uuid, ({ name }) => killContainer(name, ZIPPER_CONTAINER)));
      return losses;
    });
    report(run);
    expect(run.sent - plain.sent).to.be.at.most(KILLS * LOST_AT_KILL);
    for (const { attempt } of run.losses) expect(attempt).to.include({ class: 'disruption', exitCode: 137 });
  });

  it('lose no confirmed byte when their node is drained (G12)', async () => {
    const { name } = cluster.node;
    const run = await make('drained.zip', async (uuid) => {
      const selector = `--pod-selector=job-name=${zipJobName(uuid)}`;
      const flags = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', selector];
      const loss = await lose(uuid, async () => {
        await cluster.kubectl(['drain', name, ...flags]);
        await cluster.kubectl(['uncordon', name]);
      });
      return [loss];
    });
    report(run);
    const [loss] = run.losses;
    expect(loss?.attempt).to.include({ class: 'disruption', exitCode: 38 });
    expect(loss?.kept).to.be.at.least(loss?.uploaded ?? Infinity);
    expect(run.sent - plain.sent).to.be.at.most(UNCONFIRMED_BYTES);
  });

  it('continue after their zipper ran out of memory, which counts as a disruption (G12)', async () => {
    const run = await make('exhausted.zip', async (uuid) => [
      await lose(uuid, (pod) => exhaustMemory(cluster.node.cgroup, pod)),
    ]);
    report(run);
    expect(run.losses[0]?.attempt).to.include({ class: 'disruption', reason: 'OOMKilled' });
    expect(run.sent - plain.sent).to.be.at.most(LOST_AT_KILL);
  });
});
