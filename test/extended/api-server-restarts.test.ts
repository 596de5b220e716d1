/** An API server that is never up for long, while jobs arrive all the time. */
import { expect } from 'chai';
import { endsText } from '#test/chaos/count-ends.ts';
import { planRestarts } from '#test/chaos/plan.ts';
import { useWorlds } from '#test/chaos/use-worlds.ts';

const JOBS = 200;
const MINUTES = 10;
/** With the restart itself, about one restart every 30 s. */
const UP_MS = 20_000;
const POST_EVERY_MS = (MINUTES * 60_000) / JOBS;
/** A busy machine needs longer for each restart. */
const MIN_RESTARTS = 10;

describe('an API server that restarts all the time', function () {
  this.timeout(1_800_000);
  const worlds = useWorlds({ name: 'restarts', lanes: 1 });

  it(`lets ${JOBS} jobs of ${MINUTES} minutes succeed, also after compactions of etcd (F19) (F32)`, async () => {
    const times = (MINUTES * 60_000) / UP_MS;
    const report = await worlds.judge(planRestarts(JOBS, { times, upMs: UP_MS, postEveryMs: POST_EVERY_MS }));
    const restarts = report.seen.filter(
      (one) => one.kind === 'note' && one.text.startsWith('the API server restarts'),
    ).length;
    console.log(`      ${endsText(report.ends)} over ${restarts} restarts in ${report.seconds.toFixed(0)} s`);
    expect(report.ends).to.have.lengthOf(JOBS);
    expect(restarts).to.be.at.least(MIN_RESTARTS);
  });
});
