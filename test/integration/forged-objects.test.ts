/**
 * What a user can do to the jobs of others with objects of any kind that look like ours. The kinds come from the API server and the
 * roles `edit` and `admin` at run time. The user also has `view` in the other project, and so knows all names and uids.
 */
import { expect } from 'chai';
import { recoveryJobName } from '#controller/zip-job/manifest/job-manifest.ts';
import { zipJobName } from '#crds/api-group.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import type { Imitated } from './forged-objects/disguise.ts';
import { FORGED_TEXT, forge, type Tally, tableOf } from './forged-objects/forge.ts';
import {
  type ForgedWorld,
  finish,
  OWN,
  PLAIN,
  type RunningJob,
  run,
  startForgedWorld,
  touch,
} from './forged-objects/forged-world.ts';
import { kindName } from './forged-objects/kinds.ts';
import { changesBetween, type Snapshot, snapshotOf } from './forged-objects/snapshot.ts';

const PER_KIND = 20;

describe('objects of every kind that look like ours', function () {
  this.timeout(280_000);
  let world: ForgedWorld;
  let running: RunningJob;
  let ownRunning: RunningJob;

  before(async () => {
    world = await startForgedWorld();
    [running, ownRunning] = await Promise.all([run(world.victim), run(world.own)]);
  });
  after(() => world[Symbol.asyncDispose]());

  function attemptsIn(tallies: readonly Tally[]): number {
    return tallies
      .flatMap(({ created, refused }) => [created, ...refused.values()])
      .reduce((sum, count) => sum + count, 0);
  }

  it('change nothing of another project, and take no slot (N19, N20, N21, N36)', async () => {
    const { admin, mallory, kinds, victim, own, imitate } = world;
    const before = await snapshotOf(admin, victim.project.namespace);
    const tallies: Tally[] = [];
    for (const namespace of [OWN, PLAIN]) {
      const forgery = { user: mallory, node: admin, kinds, namespace, perKind: PER_KIND };
      tallies.push(...(await forge(forgery, () => imitate(victim, running, namespace))));
    }
    for (const line of tableOf(tallies)) console.log(`      ${line}`);
    // The controllers have seen everything before this job starts.
    await touch(victim, running);
    await finish(own);
    const changes = changesBetween(before, await snapshotOf(admin, victim.project.namespace));
    const attempts = attemptsIn(tallies);
    console.log(`      ${attempts} attempts, ${kinds.length} kinds, ${changes.length} effects`);
    expect(changes.join('\n')).to.equal('');
    expect(kinds.length).to.be.greaterThan(20);
    // What a pod continues with is written by pods only.
    expect(kinds.map(kindName))
      .to.include('zipjobs.zipjobs.dev')
      .and.not.include('zipcheckpoints.zipjobs.dev');
    expect(attempts).to.equal(2 * PER_KIND * kinds.length);
    await finish(victim);
    // Without an active pod, the controller looks for the next one.
    const { pod, finished } = await imitate(victim, running, OWN);
    victim.cluster.node.kill(pod.metadata.uid, 'SIGKILL');
    running.held.release();
    const { status } = await victim.project.untilPhase(running.uuid, ['Succeeded', 'Failed']);
    expect([status?.phase, status?.attemptsTotal], status?.message).to.deep.equal(['Succeeded', 2]);
    function podsOf(snapshot: Snapshot): readonly string[] {
      return [...snapshot.keys()].filter((name) => name.startsWith(`pods ${finished.metadata.name}`));
    }
    const last = await snapshotOf(admin, victim.project.namespace);
    expect(podsOf(last), 'pods of a finished job').to.deep.equal(podsOf(before)).and.to.have.length(1);
    await victim.receiver.next(({ body }) => body.includes(running.uuid));
    const sent = victim.receiver.deliveries.filter(({ body }) => body.includes(running.uuid));
    expect(sent.map(({ body }) => body.includes(FORGED_TEXT))).to.deep.equal([false]);
  });

  it('report nothing about a job of the own project, in place of its recovery (N34)', async () => {
    const { admin, mallory, own, imitate } = world;
    const kinds = world.kinds.filter(({ plural }) => plural === 'jobs' || plural === 'pods');
    const forgery = { user: mallory, node: admin, kinds, namespace: OWN, perKind: PER_KIND };
    // With the labels of its Job, a failed pod would end that Job: its users may do that, as they may delete it.
    async function inPlace(): Promise<Imitated> {
      const found = await imitate(own, ownRunning, OWN);
      const like = found.inPlace.find(({ kind }) => kind === 'Job') ?? found.zipJob;
      return { ...found, job: like, pod: like };
    }
    await forge(forgery, inPlace);
    const { pod } = await imitate(own, ownRunning, OWN);
    own.cluster.node.kill(pod.metadata.uid, 'SIGKILL');
    function ownJob() {
      return own.project.zipJob(ownRunning.uuid);
    }
    const logs = [
      'logs',
      '-n',
      RELEASE_NAMESPACE,
      '-l',
      'app.kubernetes.io/component=controller',
      '--tail=-1',
    ];
    async function isRefused() {
      return (await own.cluster.kubectl(logs)).stdout.includes('another Job has this name');
    }
    async function isFinished() {
      return (await ownJob()).status?.finishedAt !== undefined;
    }
    await until(
      'the controller to read the forged recovery',
      async () => (await isRefused()) || (await isFinished()),
    );
    expect((await ownJob()).status?.apiStatus).to.equal('processing');
    const forged = recoveryJobName(zipJobName(ownRunning.uuid), 1);
    await own.kubectl('patch', 'job', forged, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await own.kubectl('delete', 'job', forged);
    ownRunning.held.release();
    const { status } = await own.project.untilPhase(ownRunning.uuid, ['Succeeded', 'Failed']);
    expect([status?.phase, status?.attemptsTotal], status?.message).to.deep.equal(['Succeeded', 2]);
    expect(status?.result?.etag).to.not.equal(FORGED_TEXT);
  });
});
