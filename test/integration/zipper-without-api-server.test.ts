/** The API server is unavailable for the zipper alone during one step of its job. */
import { expect } from 'chai';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import { isWrite, type ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

/** Attempts of a write that are refused before the API server returns. */
const REFUSALS = 3;

function statusOf({ body }: ProxiedRequest): ZipperStatus {
  return (JSON.parse(body.toString()) as { status: ZipperStatus }).status;
}

type Step = (status: ZipperStatus) => boolean;

const PROGRESS = 'reports progress between two parts';
const STEPS: Readonly<Record<string, Step>> = {
  'checks whether it is active': ({ upload }) => upload === undefined,
  'records the upload that it started': ({ upload }) => upload?.state === 'open',
  [PROGRESS]: ({ upload, progress }) => upload?.state === 'open' && (progress?.bytesUploaded ?? 0) > 0,
  'records that it will complete the upload': ({ upload }) => upload?.state === 'committing',
  'writes its result': ({ result }) => result !== undefined,
};

/** Refuses this many requests from the first one of a step on; `over` resolves with the last of them. */
function awayFrom(isStep: Step) {
  const outage = { refused: 0, over: Promise.withResolvers<void>() };
  function apiFault(request: ProxiedRequest): FaultAction | undefined {
    const isAway = outage.refused > 0 || (isWrite(request) && isStep(statusOf(request)));
    if (!isAway || outage.refused === REFUSALS) return undefined;
    outage.refused += 1;
    if (outage.refused === REFUSALS) outage.over.resolve();
    return { kind: 'refuse' };
  }
  return { outage, apiFault };
}

describe('a zipper without the API server', function () {
  this.timeout(240_000);
  let world: ZipperWorld;
  const away = Object.entries(STEPS).map(([what, isStep]) => ({ what, ...awayFrom(isStep) }));
  const uuids = new Map<string, string>();
  let unrecorded: string;

  // All at once, because most of the time is waiting.
  before(async () => {
    world = await startZipperWorld('without-api-server');
    for (const { what, outage, apiFault } of away) {
      const held = world.hold();
      uuids.set(what, await world.start([held.url], { apiFault }));
      // Progress is reported only while the source is open; the last steps need its end.
      if (what === PROGRESS) void outage.over.promise.then(held.release);
      else held.release();
    }
    unrecorded = await world.start([world.origin.url('/gen/100000/1')], {
      // The result is written until the pod is stopped.
      spec: { activeDeadlineSeconds: 60 },
      apiFault: (request) =>
        isWrite(request) && statusOf(request).result !== undefined ? { kind: 'refuse' } : undefined,
    });
  });
  after(() => world[Symbol.asyncDispose]());

  for (const { what, outage } of away)
    it(`continues after an outage while it ${what} (F5)`, async () => {
      const uuid = uuids.get(what) ?? '';
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded' });
      // The pod gives up the write of its result after ten seconds, and on a busy machine the API server may take longer.
      expect(status?.reason).to.be.oneOf(['Uploaded', 'VerifiedInStore']);
      expect(status?.attemptsTotal).to.equal(1);
      expect(outage.refused).to.equal(REFUSALS);
      expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    });

  it('succeeds from what the store contains when its result is never recorded (F5)', async () => {
    const { status } = await world.untilEnd(unrecorded);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'VerifiedInStore' });
    // The pod may still be writing when it is stopped, so how it ends is not known.
    expect(status?.attemptsTotal).to.equal(1);
    expect(await world.project.bucket.size(`${unrecorded}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNoOpenUploads();
  });
});
