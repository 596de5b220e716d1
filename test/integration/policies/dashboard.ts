/** What the token of the dashboard permits, without the token of a user. */
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { accept, corePath, expectRefusal, jobsPath, OWN, type World, zipPath } from './world.ts';

export function describeDashboard(theWorld: () => World): void {
  let world: World;
  let dashboard: KubeUser;

  before(() => {
    world = theWorld();
    ({ dashboard } = world);
  });

  it('lists the ZipJobs and ZipProjects of every namespace', async () => {
    for (const plural of ['zipjobs', 'zipprojects'])
      accept(await dashboard.request('GET', `/apis/${GROUP_VERSION}/${plural}`));
  });

  it('reads no Secret, bucket or token (P12)', async () => {
    const secrets = corePath(OWN, 'secrets');
    for (const path of [`${secrets}/zipbucket-s3-archives`, `${secrets}/zipjobs-webhook`, secrets])
      expectRefusal(await dashboard.request('GET', path), 'forbidden');
    for (const plural of ['zipbuckets', 'ziptokens'])
      expectRefusal(await dashboard.request('GET', zipPath(OWN, plural)), 'forbidden');
  });

  it('changes nothing (P13)', async () => {
    const { metadata } = await world.createZipJob(OWN);
    const path = `${zipPath(OWN)}/${metadata.name}`;
    expectRefusal(await dashboard.request('DELETE', path), 'forbidden');
    expectRefusal(await dashboard.request('PATCH', path, { body: { spec: { cancel: true } } }), 'forbidden');
    for (const plural of ['zipjobs', 'zipprojects', 'zipbuckets', 'ziptokens'])
      expectRefusal(await dashboard.request('POST', zipPath(OWN, plural), { body: {} }), 'forbidden');
    for (const target of [jobsPath(OWN), corePath(OWN, 'pods'), corePath(OWN, 'secrets')])
      expectRefusal(await dashboard.request('POST', target, { body: {} }), 'forbidden');
  });
}
