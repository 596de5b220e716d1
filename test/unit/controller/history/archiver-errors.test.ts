/** Errors of PostgreSQL, as the archiver sees them. */
import { expect } from 'chai';
import pg from 'pg';
import { toHistoryError } from '#runtime/history/history-error.ts';
import { archived, finishedAt, unstored, useArchiveWorlds } from './archive-world.ts';

/** An error of the server in the place that our errors name. */
function errorOf(code: string, text: string): Error {
  return toHistoryError(
    Object.assign(new pg.DatabaseError(text, 0, 'error'), { code }),
    '"zipjobs" on db.example:5432',
  );
}

function clockDiffers(): Error {
  return errorOf('ZJ001', 'the day 2026-09-01 is more than 31 days ahead');
}

function refused(): Error {
  return errorOf('22003', 'integer out of range for zipjobs_writer');
}

describe('a job that PostgreSQL does not store', () => {
  const aWorld = useArchiveWorlds();

  it('gets a condition without the address, the database and the role', async () => {
    const world = aWorld();
    world.history.failWith((name) => (name === 'write' ? refused() : undefined));
    world.put('bad', finishedAt(10));
    void world.lead();
    await world.clock.advance(10_000);
    const condition = archived(world, 'bad');
    expect(condition).to.include({ status: 'False', reason: 'ArchiveRefused' });
    expect(condition?.message).to.not.match(/db\.example|5432|zipjobs/);
  });

  it('retries a job whose end is too far from the clock of the database, and stores the others of the batch', async () => {
    const world = aWorld({ archiveRetrySeconds: 30 });
    world.history.failWith((name, entries) =>
      name === 'write' && entries.some(({ job }) => job.name === 'future') ? clockDiffers() : undefined,
    );
    for (const name of ['a', 'future', 'c']) world.put(name, finishedAt(10));
    void world.lead();
    await world.clock.advance(10_000);
    expect([...world.history.rows.keys()]).to.deep.equal(['uid-a', 'uid-c']);
    await world.clock.advance(600_000);
    expect(archived(world, 'future')).to.equal(undefined);
    expect(await unstored(world)).to.deep.equal({});
    world.history.failWith(undefined);
    await world.clock.advance(60_000);
    expect(archived(world, 'future')?.status).to.equal('True');
  });

  it('retries all jobs at growing intervals while the clock of the database is wrong, and refuses none', async () => {
    const world = aWorld({ archiveRetrySeconds: 30 });
    world.history.failWith((name) => (name === 'write' ? clockDiffers() : undefined));
    const names = ['a', 'b', 'c'];
    for (const name of names) world.put(name, finishedAt(10));
    void world.lead();
    await world.clock.advance(300_000);
    const batches = world.history.calls.filter((call) => call.startsWith('write') && call.length > 8);
    expect(batches.length).to.be.within(8, 30);
    expect(names.map((name) => archived(world, name))).to.deep.equal([undefined, undefined, undefined]);
    world.history.failWith(undefined);
    await world.clock.advance(60_000);
    expect(names.map((name) => archived(world, name)?.status)).to.deep.equal(['True', 'True', 'True']);
  });
});
