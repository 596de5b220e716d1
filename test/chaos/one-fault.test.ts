/** One kind of fault at a time, on the real control plane; a checker verifies the history. */
import { expect } from 'chai';
import { toError } from '#runtime/errors.ts';
import { endsText } from './count-ends.ts';
import { planBlips, planOfFaults, planRestarts } from './plan.ts';
import { type PlannedFault, STORE_AWAY_MS } from './planned-fault.ts';
import type { ScheduleReport } from './run-schedule.ts';
import { useWorlds } from './use-worlds.ts';

const FLAP_MS = 20_000;
const FLAP: PlannedFault = { kind: 'flap', rate: 0.1, seed: 1, ms: FLAP_MS };
const BLIPS = 8;
const BLIP_MS = 1_500;
const HOUR_MS = 3_600_000;
/** The full size is in extended/api-server-restarts.test.ts. */
const RESTARTED_JOBS = 20;
const RESTARTS = { times: 3, upMs: 10_000, postEveryMs: 0 };

const STORE_KILL: PlannedFault = { kind: 'store-kill', nthWrite: 4 };

function clockOff(aheadMs: number): PlannedFault {
  return { kind: 'node-clock', afterMs: 0, aheadMs };
}

describe('zipjobs under one kind of fault', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'one-fault', lanes: 5 });

  it('duplicates and loses nothing when a paused leader resumes after another one leads (F3)', async () => {
    await worlds.judge(planOfFaults(6, [{ kind: 'pause-leader', afterMs: 500, ms: 15_000 }]));
  });

  it('loses no job and corrupts none while source, store, receiver and API server fail 10 % of requests (F24)', async () => {
    await worlds.judge(planOfFaults(12, [FLAP]));
  });

  describe('that affects one project', () => {
    /** In projects of their own and at the same time, because most of it is waiting. */
    const plans = {
      ahead: planOfFaults(4, [clockOff(HOUR_MS), STORE_KILL]),
      behind: planOfFaults(4, [clockOff(-HOUR_MS), STORE_KILL]),
      hang: planOfFaults(2, [{ kind: 'hang', nthWrite: 1 }]),
      away: planOfFaults(4, [{ kind: 'store-away', afterMs: 0, atComplete: true, ms: STORE_AWAY_MS }]),
      blips: planBlips(BLIPS, BLIP_MS),
    } as const;
    type Name = keyof typeof plans;
    const names = Object.keys(plans) as readonly Name[];
    const outcomes = new Map<Name, ScheduleReport | Error>();

    async function judge(name: Name, index: number): Promise<void> {
      outcomes.set(name, await worlds.judge(plans[name], worlds.all()[index]).catch(toError));
    }
    before(() => Promise.all(names.map(judge)));

    /** @throws AssertionError for a violation */
    function reportOf(name: Name): ScheduleReport {
      const outcome = outcomes.get(name) ?? new Error(`${name} was not judged`);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }

    for (const [name, aheadMs] of [
      ['ahead', HOUR_MS],
      ['behind', -HOUR_MS],
    ] as const)
      it(`lets killed attempts be repeated on a node whose clock is off by ${aheadMs / HOUR_MS} h (F18, F30, F32)`, () => {
        expect(reportOf(name).kills).to.be.greaterThan(0);
      });

    it('lets a job succeed whose zipper hangs after its result, and stops its pod (F34)', () => {
      const { seen, ends } = reportOf('hang');
      expect(ends.map(({ end }) => end)).to.deep.equal(['Succeeded Uploaded', 'Succeeded Uploaded']);
      expect(seen.some((one) => one.kind === 'note' && one.text.startsWith('SIGSTOP'))).to.equal(true);
    });

    it('lets jobs succeed whose store is away for 30 scaled minutes after the first Complete (F30)', () => {
      expect(reportOf('away').ends.map(({ end }) => end)).to.include('Succeeded VerifiedInStore');
    });

    it('loses no attempt at a store that is away for 1.5 of every 3 seconds (F36)', () => {
      const { seen, ends, bytesTwice } = reportOf('blips');
      console.log(`      ${endsText(ends)}, ${bytesTwice} bytes uploaded twice`);
      const pods = seen.flatMap((one) => (one.kind === 'exchange' ? (one.notes['podUid'] ?? []) : []));
      expect(new Set(ends.map(({ end }) => end))).to.have.all.keys('Succeeded Uploaded');
      expect([ends.length, new Set(pods).size]).to.deep.equal([BLIPS, BLIPS]);
    });
  });

  it(`finishes ${RESTARTED_JOBS} jobs while the API server restarts ${RESTARTS.times} times and etcd is compacted (F19)`, async () => {
    const report = await worlds.judge(planRestarts(RESTARTED_JOBS, RESTARTS));
    console.log(`      ${endsText(report.ends)} after ${report.seconds.toFixed(0)} s`);
  });
});
