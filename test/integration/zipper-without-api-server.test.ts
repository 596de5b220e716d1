/** The API server is away for the zipper, and for it alone, when it needs it for a step of its job. */
import { expect } from 'chai';
import type { ZipperStatus } from '#crds/zip-job.ts';
import type { FaultAction } from '../cluster/fault-proxy.ts';
import { isWrite, type ProxiedRequest } from '../cluster/proxied-request.ts';
import { startZipperWorld, type ZipperWorld } from '../support/zipper-world.ts';

/** Longer than several tries of a write. */
const AWAY_MS = 1000;

const statusOf = ({ body }: ProxiedRequest): ZipperStatus =>
  (JSON.parse(body.toString()) as { status: ZipperStatus }).status;

type Step = (status: ZipperStatus) => boolean;

const STEPS: Readonly<Record<string, Step>> = {
  'asks whether it is in charge': ({ upload }) => upload === undefined,
  'records the upload that it started': ({ upload }) => upload?.state === 'open',
  'tells its progress between two parts': ({ upload, progress }) =>
    upload?.state === 'open' && (progress?.bytesUploaded ?? 0) > 0,
  'records that it will complete the upload': ({ upload }) => upload?.state === 'committing',
  'writes its result': ({ result }) => result !== undefined,
};

/** Refuses everything for a while from the first request of this step on. */
const awayFrom = (isStep: Step) => {
  let awayUntil: number | undefined;
  const outage = { refused: 0 };
  const apiFault = (request: ProxiedRequest): FaultAction | undefined => {
    if (awayUntil === undefined && isWrite(request) && isStep(statusOf(request)))
      awayUntil = performance.now() + AWAY_MS;
    if (awayUntil === undefined || performance.now() > awayUntil) return undefined;
    outage.refused += 1;
    return { kind: 'refuse' };
  };
  return { outage, apiFault };
};

describe('a zipper without the API server', function () {
  this.timeout(90_000);
  let world: ZipperWorld;
  const away = Object.entries(STEPS).map(([what, isStep]) => ({ what, ...awayFrom(isStep) }));
  const uuids = new Map<string, string>();
  let unheard: string;

  // All at once: most of the time is waiting.
  before(async () => {
    world = await startZipperWorld('without-api-server');
    const slow = world.origin.url('/drip/2000000/250/8000000/1');
    for (const { what, apiFault } of away) uuids.set(what, await world.start([slow], { apiFault }));
    unheard = await world.start([world.origin.url('/gen/100000/1')], {
      env: { STATUS_WRITE_LIMIT_MS: '500' },
      apiFault: (request) =>
        isWrite(request) && statusOf(request).result !== undefined ? { kind: 'refuse' } : undefined,
    });
  });
  after(() => world[Symbol.asyncDispose]());

  for (const { what, outage } of away)
    it(`goes on when it comes back, away while the zipper ${what} (F5)`, async () => {
      const uuid = uuids.get(what) ?? '';
      const { status } = await world.untilEnd(uuid);
      expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'Uploaded' });
      expect(status?.attemptsTotal).to.equal(1);
      expect(outage.refused).to.be.greaterThan(0);
      expect(await world.project.bucket.size(`${uuid}.zip`)).to.equal(status?.result?.bytes);
    });

  it('succeeds by what the store holds when it never hears of the result (F5)', async () => {
    const { status } = await world.untilEnd(unheard);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', reason: 'ProvedByStore' });
    expect(status?.attempts?.[0]).to.include({ exitCode: 0, class: 'success' });
    expect(await world.project.bucket.size(`${unheard}.zip`)).to.equal(status?.result?.bytes);
    await world.untilNothingOpen();
  });
});
