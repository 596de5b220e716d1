/**
 * Schedules of the whole protocol of an upload in virtual time: the controller's decisions and writes, the zipper's status writer,
 * checkpoints, adoption, publication and sweeps, and recovery, each with the real code; zippers, nodes and the store in memory.
 */
import { expect } from 'chai';
import { sized } from '#test/support/sized.ts';
import { MISTAKES } from './mistakes.ts';
import { play } from './play.ts';

const SCHEDULES = sized(120, 20_000);
const MISTAKES_TRIED = Object.entries(MISTAKES).slice(0, sized(0, Infinity));
/** Most schedules after which a mistake must have been noticed. */
const UNTIL_NOTICED = 20_000;
/** A schedule takes 15 ms, and many times that on a busy machine. */
const MS_PER_SCHEDULE = 1_000;

function textOf(totals: ReadonlyMap<string, number>): string {
  return [...totals]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, number]) => `${name}: ${number}`)
    .join(', ');
}

function add(totals: Map<string, number>, name: string, number = 1): void {
  if (number > 0) totals.set(name, (totals.get(name) ?? 0) + number);
}

describe('an upload that outlives its pods', () => {
  it(`breaks no rule in ${SCHEDULES} schedules, whatever is killed, stopped, lost, late or changed (G12) (G13)`, async function () {
    this.timeout(SCHEDULES * MS_PER_SCHEDULE);
    const totals = new Map<string, number>();
    const broken: string[] = [];
    for (let seed = 1; seed <= SCHEDULES; seed += 1) {
      const played = await play(seed);
      add(totals, played.ending);
      for (const name of ['resumed', 'refused', 'finished', 'aborted'] as const)
        add(totals, name, played[name]);
      if (played.broken.length > 0) broken.push(`seed ${seed}: ${played.broken.join('; ')}`);
    }
    if (SCHEDULES > 1_000) process.stdout.write(`${SCHEDULES} schedules: ${textOf(totals)}\n`);
    expect(broken).to.deep.equal([]);
    expect([...totals.keys()], textOf(totals)).to.include.members([
      'Succeeded Uploaded',
      'resumed',
      'refused',
    ]);
  });

  for (const [name, mistake] of MISTAKES_TRIED)
    it(`notices if ${name} (G13)`, async function () {
      this.timeout(UNTIL_NOTICED * MS_PER_SCHEDULE);
      let seed = 1;
      while (seed <= UNTIL_NOTICED && (await play(seed, mistake)).broken.length === 0) seed += 1;
      expect(seed).to.be.at.most(UNTIL_NOTICED);
    });
});
