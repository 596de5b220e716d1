/** One kind of fault at a time, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { endsText } from './count-ends.ts';
import { planBlips, planOfFaults, planRestarts } from './plan.ts';
import { type PlannedFault, STORE_AWAY_MS } from './planned-fault.ts';
import { useWorlds } from './use-worlds.ts';

const FLAP_MS = 20_000;
const FLAP: PlannedFault = { kind: 'flap', rate: 0.1, seed: 1, ms: FLAP_MS };
const BLIPS = 8;
const BLIP_MS = 1_500;
const HOUR_MS = 3_600_000;
/** The full size is in long/api-server-restarts.test.ts. */
const RESTARTED_JOBS = 30;
const RESTARTS = { times: 6, upMs: 10_000, postEveryMs: 0 };

describe('zipjobs under one kind of fault', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'one-fault' });

  it('duplicates and loses nothing when a paused leader resumes after another one leads (F3)', async () => {
    await worlds.judge(planOfFaults(6, [{ kind: 'pause-leader', afterMs: 500, ms: 8_000 }]));
  });

  it('loses no job and corrupts none while source, store, receiver and API server fail 10 % of requests (F24)', async () => {
    await worlds.judge(planOfFaults(12, [FLAP]));
  });

  for (const aheadMs of [HOUR_MS, -HOUR_MS])
    it(`lets killed attempts be repeated on a node whose clock is off by ${aheadMs / HOUR_MS} h (F18, F30, F32)`, async () => {
      const { kills } = await worlds.judge(
        planOfFaults(4, [
          { kind: 'node-clock', afterMs: 0, aheadMs },
          { kind: 'store-kill', nthWrite: 4 },
        ]),
      );
      expect(kills).to.be.greaterThan(0);
    });

  it('lets a job succeed whose zipper hangs after its result, and stops its pod (F34)', async () => {
    const { seen, ends } = await worlds.judge(planOfFaults(2, [{ kind: 'hang', nthWrite: 1 }]));
    expect(ends.map(({ end }) => end)).to.deep.equal(['Succeeded Uploaded', 'Succeeded Uploaded']);
    expect(seen.some((one) => one.kind === 'note' && one.text.startsWith('SIGSTOP'))).to.equal(true);
  });

  it('lets jobs succeed whose store is away for 30 scaled minutes after the first Complete (F30)', async () => {
    const { ends } = await worlds.judge(
      planOfFaults(4, [{ kind: 'store-away', afterMs: 0, atComplete: true, ms: STORE_AWAY_MS }]),
    );
    expect(ends.map(({ end }) => end)).to.include('Succeeded VerifiedInStore');
  });

  it('loses no attempt at a store that is away for 1.5 of every 3 seconds (F36)', async () => {
    const { seen, ends, bytesTwice } = await worlds.judge(planBlips(BLIPS, BLIP_MS));
    console.log(`      ${endsText(ends)}, ${bytesTwice} bytes uploaded twice`);
    const pods = seen.flatMap((one) => (one.kind === 'exchange' ? (one.notes['podUid'] ?? []) : []));
    expect(new Set(ends.map(({ end }) => end))).to.have.all.keys('Succeeded Uploaded');
    expect([ends.length, new Set(pods).size]).to.deep.equal([BLIPS, BLIPS]);
  });

  it(`finishes ${RESTARTED_JOBS} jobs while the API server restarts ${RESTARTS.times} times and etcd is compacted (F19)`, async () => {
    const report = await worlds.judge(planRestarts(RESTARTED_JOBS, RESTARTS));
    console.log(`      ${endsText(report.ends)} after ${report.seconds.toFixed(0)} s`);
  });
});
