/** What a user with the role `edit` can change in the metadata of zippers: nothing by which the controller recognizes them. */
import { GROUP_VERSION, LABELS } from '#crds/api-group.ts';
import { accept, corePath, expectRefusal, jobsPath, OWN, type World, type ZipperPod } from './world.ts';

export function describeEditorMetadata(theWorld: () => World): void {
  let world: World;
  let pod: ZipperPod;
  let podPath: string;
  let jobPath: string;

  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    podPath = `${corePath(OWN, 'pods')}/${pod.name}`;
    jobPath = `${jobsPath(OWN)}/${pod.zipJob}`;
  });

  function change(path: string, metadata: object) {
    return world.editor.request('PATCH', `${path}?dryRun=All`, { body: { metadata } });
  }

  async function ownersOf(path: string): Promise<readonly object[]> {
    const { body } = accept(await world.admin.request('GET', path));
    return (body['metadata'] as { ownerReferences: readonly object[] }).ownerReferences;
  }

  it('cannot give a zipper or its Job another owner, but can take one away (N34)', async () => {
    for (const [path, owner, message] of [
      [jobPath, { apiVersion: GROUP_VERSION, kind: 'ZipJob' }, "a zipper's Job cannot get another owner"],
      [podPath, { apiVersion: 'batch/v1', kind: 'Job' }, "a zipper's pod cannot get another owner"],
    ] as const) {
      const other = { ...owner, name: 'other', uid: 'a0000000-0000-4000-8000-000000000000' };
      const owners = await ownersOf(path);
      for (const ownerReferences of [
        [{ ...other, controller: true }],
        [...owners, other],
        // An owner whose deletion waits is also refused by an admission plugin of Kubernetes.
        owners.map((one) => ({ ...one, uid: other.uid, blockOwnerDeletion: false })),
      ])
        expectRefusal(await change(path, { ownerReferences }), message);
      accept(await change(path, { ownerReferences: [] }));
    }
  });

  it('cannot put the Job of a running zipper into a queue, which could suspend it (N34)', async () => {
    expectRefusal(
      await change(jobPath, { labels: { [LABELS.queueName]: 'night' } }),
      "a zipper's Job cannot be put into a queue",
    );
  });

  it('cannot change the labels of the Job of a zipper, but can add others (N34)', async () => {
    for (const name of [LABELS.managedBy, LABELS.instance, LABELS.component])
      for (const value of ['erin', null])
        expectRefusal(
          await change(jobPath, { labels: { [name]: value } }),
          "the labels of a zipper's Job cannot be changed",
        );
    accept(await change(jobPath, { labels: { note: 'x' }, annotations: { note: 'x' } }));
  });
}
