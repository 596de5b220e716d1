import { expect } from 'chai';
import { REASONS } from '#crds/conditions.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { NAMESPACE } from '#test/support/builders/objects.ts';
import {
  aProject,
  archived,
  finishedAt,
  PROJECT_UID,
  partitionMissing,
  refused,
  unavailable,
  unstored,
  useArchiveWorlds,
} from './archive-world.ts';

describe('a job that the archiver cannot store or read', () => {
  const aWorld = useArchiveWorlds();

  it('marks a job that the database refuses, counts it, and stores the others of the batch', async () => {
    const world = aWorld();
    world.history.failWith((name, entries) =>
      name === 'write' && entries.some(({ job }) => job.name === 'bad') ? refused() : undefined,
    );
    for (const name of ['a', 'bad', 'c']) world.put(name, finishedAt(10));
    void world.lead();
    await world.clock.advance(10_000);
    expect([...world.history.rows.keys()]).to.deep.equal(['uid-a', 'uid-c']);
    const condition = { status: 'False', reason: 'ArchiveRefused', message: REASONS.ArchiveRefused };
    expect(archived(world, 'bad')).to.include(condition);
    expect(await unstored(world)).to.deep.equal({ refused: 1 });
  });

  it('retries a job whose partition cannot be made, instead of refusing it', async () => {
    const world = aWorld();
    world.history.failWith((name) => (name === 'write' ? partitionMissing() : undefined));
    world.put('young', finishedAt(10));
    void world.lead();
    await world.clock.advance(10_000);
    expect(archived(world, 'young')).to.equal(undefined);
    world.history.failWith(undefined);
    await world.clock.advance(60_000);
    expect(archived(world, 'young')?.status).to.equal('True');
  });

  it('marks a job of a namespace that is not a project', async () => {
    const world = aWorld({}, { projects: [] });
    world.put('stray', finishedAt(10));
    void world.lead();
    await world.clock.advance(1_000);
    expect(archived(world, 'stray')).to.include({ status: 'False', reason: 'ProjectNotFound' });
    expect(world.history.calls).to.deep.equal([]);
  });

  it('stores a job of a new project that the cache does not have yet', async () => {
    const world = aWorld({}, { projects: [] });
    world.liveProjects.set(NAMESPACE, aProject());
    world.put('first', finishedAt(10));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.rows.get('uid-first')?.job.projectUid).to.equal(PROJECT_UID);
    expect(archived(world, 'first')?.status).to.equal('True');
  });

  it('counts a job of a namespace that is not a project, once', async () => {
    const world = aWorld({}, { projects: [] });
    let failures = 0;
    world.failStatus(() => {
      failures += 1;
      if (failures === 1) throw new KubeError('busy', { code: 'TooManyRequests' });
    });
    world.put('stray', finishedAt(10));
    void world.lead();
    await world.clock.advance(120_000);
    expect(failures).to.equal(2);
    expect(await unstored(world)).to.deep.equal({ no_project: 1 });
  });

  it('counts a refused job once, however often its batch and its condition fail', async () => {
    const world = aWorld();
    let calls = 0;
    world.history.failWith((name, entries) => {
      if (name !== 'write') return undefined;
      calls += 1;
      if (calls === 3) return unavailable();
      return entries.some(({ job }) => job.name === 'bad') ? refused() : undefined;
    });
    let failures = 0;
    world.failStatus((name) => {
      if (name !== 'bad') return;
      failures += 1;
      if (failures === 1) throw new KubeError('busy', { code: 'TooManyRequests' });
    });
    for (const name of ['bad', 'c']) world.put(name, finishedAt(10));
    void world.lead();
    await world.clock.advance(120_000);
    expect(archived(world, 'bad')?.reason).to.equal('ArchiveRefused');
    expect(await unstored(world)).to.deep.equal({ refused: 1 });
  });

  it('stores the others while one job cannot be read, and reads that one again later', async () => {
    const world = aWorld({ archiveConcurrency: 1, archiveRetrySeconds: 30 });
    let isBroken = true;
    world.failReads((name) => {
      if (name === 'bad' && isBroken) throw new KubeError('not a ZipJob', { code: 'InvalidResponse' });
    });
    for (const [at, name] of ['bad', 'a', 'b'].entries()) world.put(name, finishedAt(100 - at));
    void world.lead();
    await world.clock.advance(10_000);
    expect([...world.history.rows.keys()]).to.deep.equal(['uid-a', 'uid-b']);
    expect(world.reads.filter((name) => name === 'bad')).to.have.lengthOf(1);
    isBroken = false;
    await world.clock.advance(60_000);
    expect(archived(world, 'bad')?.status).to.equal('True');
  });

  it('reads no further jobs while the API server does not respond', async () => {
    const world = aWorld({ archiveConcurrency: 4, archiveRetrySeconds: 30 });
    world.failReads(() => {
      throw new KubeError('away', { code: 'Unreachable' });
    });
    for (let n = 0; n < 50; n += 1) world.put(`job-${n}`, finishedAt(100));
    void world.lead();
    await world.clock.advance(300_000);
    expect(world.reads.length).to.be.within(4, 80);
    world.failReads(() => undefined);
    await world.clock.advance(60_000);
    expect(world.history.inserted()).to.equal(50);
  });
});
