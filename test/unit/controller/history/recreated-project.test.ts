import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { ago, NAMESPACE } from '#test/support/builders/objects.ts';
import { aCondition } from '#test/support/builders/zip-job-statuses.ts';
import {
  aProject,
  archived,
  archiveWorld,
  finishedAt,
  PROJECT_UID,
  unstored,
  useArchiveWorlds,
} from './archive-world.ts';

const SECOND_UID = '0d0f0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';
const second = aProject(SECOND_UID, 20);

function neverStarted(seconds: number): ZipJobStatus {
  const { startedAt: _startedAt, ...status } = finishedAt(seconds);
  return status;
}

function created(seconds: number) {
  return { creationTimestamp: ago(seconds) };
}

describe('the jobs of a deleted project whose namespace has another project', () => {
  const aWorld = useArchiveWorlds();
  function ownerOf(world: ReturnType<typeof archiveWorld>, name: string) {
    return world.history.rows.get(`uid-${name}`)?.job.projectUid;
  }

  it('are stored under the deleted project while its uid is known (G9)', async () => {
    const world = aWorld();
    world.put('old', finishedAt(30, { startedAt: ago(50) }));
    world.deleteProject(aProject());
    world.createProject(second);
    void world.lead();
    await world.clock.advance(10_000);
    expect(ownerOf(world, 'old')).to.equal(PROJECT_UID);
    expect(archived(world, 'old')).to.include({ status: 'True', reason: 'Archived' });
    expect(await unstored(world)).to.deep.equal({});
  });

  it('are not stored if only the other project is known, and are marked and counted once (G9)', async () => {
    const world = aWorld({}, { projects: [second] });
    world.put('old', finishedAt(30, { startedAt: ago(50) }));
    void world.lead();
    await world.clock.advance(600_000);
    expect(world.history.calls).to.deep.equal([]);
    expect(archived(world, 'old')).to.include({
      status: 'False',
      reason: 'ProjectNotFound',
      message: 'The ZipProject of this job was deleted, and the history deletes all of its records.',
    });
    expect(world.statusWrites).to.deep.equal(['old']);
    expect(await unstored(world)).to.deep.equal({ no_project: 1 });
  });

  it('are not stored either if only the API server has the other project (G9)', async () => {
    const world = aWorld({}, { projects: [] });
    world.liveProjects.set(NAMESPACE, second);
    world.put('old', finishedAt(30, { startedAt: ago(50) }));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.calls).to.deep.equal([]);
    expect(archived(world, 'old')?.reason).to.equal('ProjectNotFound');
  });

  it('include one that was cancelled in the second in which the other project was created (G9)', async () => {
    const world = aWorld({}, { projects: [second] });
    world.put('old', neverStarted(20));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.calls).to.deep.equal([]);
  });

  it('do not get a second row when their webhook is sent again (G9)', async () => {
    const world = aWorld({}, { projects: [second] });
    const conditions = [aCondition('Archived', ['True', 'ArchiveOutdated'])];
    world.put('old', finishedAt(30, { webhook: { state: 'Delivered' }, conditions }));
    void world.lead();
    await world.clock.advance(10_000);
    expect(world.history.rows.size).to.equal(0);
    expect(archived(world, 'old')?.reason).to.equal('ProjectNotFound');
  });

  it('include one that was still running when the deletion was forced (G9)', async () => {
    const world = aWorld();
    world.put('old', finishedAt(10, { startedAt: ago(50) }));
    world.deleteProject(aProject());
    world.createProject(second);
    void world.lead();
    await world.clock.advance(10_000);
    expect(ownerOf(world, 'old')).to.equal(PROJECT_UID);
  });

  it('do not include one that was created shortly before the other project and ran under it', async () => {
    const world = aWorld({}, { projects: [second] });
    world.put('early', finishedAt(5, { startedAt: ago(15) }), created(21));
    world.put('refused', neverStarted(5), created(21));
    void world.lead();
    await world.clock.advance(10_000);
    expect([ownerOf(world, 'early'), ownerOf(world, 'refused')]).to.deep.equal([SECOND_UID, SECOND_UID]);
  });

  it('do not include one that was created with the other project and failed in the same second', async () => {
    const world = aWorld({}, { projects: [second] });
    world.put('failed', neverStarted(20), created(20));
    void world.lead();
    await world.clock.advance(10_000);
    expect(ownerOf(world, 'failed')).to.equal(SECOND_UID);
  });
});
