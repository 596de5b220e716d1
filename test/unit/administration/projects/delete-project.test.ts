import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { deleteProject } from '#administration/projects/delete-project.ts';
import { bucketSecretName } from '#crds/api-group.ts';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';

const IN_USE = new AdministrationError(
  'A cluster policy rejected it: 3 unfinished ZipJobs use this ZipBucket',
  {
    code: 'Refused',
    cause: new KubeError('denied', { code: 'Forbidden', mark: POLICY_MARKS.inUse }),
  },
);

function startWorld() {
  const world = {
    projects: createFakeObjects<ZipProject>(),
    tokens: createFakeObjects<ZipToken>(),
    buckets: createFakeObjects<ZipBucket>(),
    secrets: createFakeObjects<Secret>(),
    clock: createManualClock(),
  };
  world.projects.put(aProject('team-a'));
  world.buckets.put(aBucket('team-a', 's3', 'archive'));
  const { projects, tokens, buckets, secrets, clock } = world;
  const deps = {
    projects: projects.client,
    tokens: tokens.client,
    buckets: buckets.client,
    secrets: secrets.client,
    clock,
  };
  return {
    ...world,
    delete: async () => {
      const deletion = deleteProject(deps, 'team-a', { buckets: true });
      await clock.advance(10_000);
      return deletion;
    },
  };
}

describe('deleteProject', () => {
  it('repeats the deletion of a bucket until the API server knows that its project is being deleted (N28)', async () => {
    const world = startWorld();
    let refusals = 0;
    world.buckets.fail(IN_USE, (call) => call.startsWith('delete') && ++refusals < 4);
    const deleted = await world.delete();
    expect(deleted).to.deep.equal({ tokens: 0, buckets: 1, problems: [] });
    expect([refusals, world.buckets.all().length]).to.deep.equal([4, 0]);
  });

  it('reports a refusal that lasts (N28)', async () => {
    const world = startWorld();
    world.buckets.fail(IN_USE, (call) => call.startsWith('delete'));
    expect(await world.delete()).to.deep.equal({ tokens: 0, buckets: 0, problems: [IN_USE.message] });
  });

  it('reports any other refusal at once (N28)', async () => {
    const world = startWorld();
    let tries = 0;
    const error = new AdministrationError('A cluster policy rejected it: not on Sundays', {
      code: 'Refused',
    });
    world.buckets.fail(error, (call) => call.startsWith('delete') && ++tries > 0);
    expect((await world.delete()).problems).to.deep.equal([error.message]);
    expect(tries).to.equal(1);
  });

  it('tries each bucket once while the API server does not respond (N28)', async () => {
    const world = startWorld();
    for (let n = 0; n < 100; n += 1) world.buckets.put(aBucket('team-a', 's3', `archive-${n}`));
    let tries = 0;
    const error = new AdministrationError('no response', { code: 'Unreachable' });
    world.buckets.fail(error, (call) => call.startsWith('delete') && ++tries > 0);
    expect((await world.delete()).problems).to.have.lengthOf(101);
    expect(tries).to.equal(101);
  });

  it('keeps the Secret of a bucket that a tool has created again (UI14)', async () => {
    const world = startWorld();
    world.secrets.put({ metadata: { namespace: 'team-a', name: bucketSecretName('s3-archive') } });
    world.buckets.fail(new AdministrationError('not reached', { code: 'Failed' }), (call) => {
      if (call.startsWith('get')) world.buckets.put(aBucket('team-a', 's3', 'archive'));
      return false;
    });
    expect(await world.delete()).to.deep.equal({ tokens: 0, buckets: 1, problems: [] });
    expect(world.secrets.all()).to.have.lengthOf(1);
  });
});
