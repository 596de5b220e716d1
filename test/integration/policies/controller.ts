/** What the token of the controller permits. */
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import {
  accept,
  applyZipperBinding,
  corePath,
  expectRefusal,
  OWN,
  type World,
  ZIP_BUCKET,
  zipPath,
} from './world.ts';

function aSecret(name: string, more: Record<string, unknown> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    ...more,
  };
}

let world: World;
let zipJob: ZipJob;
const secrets = corePath(OWN, 'secrets');

export function describeController(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    zipJob = await world.createZipJob(OWN);
  });

  it('changes nothing of a bucket or a project but its finalizer (P13)', async () => {
    const buckets = zipPath(OWN, 'zipbuckets');
    const made = {
      ...ZIP_BUCKET,
      metadata: { name: 's3-untouched' },
      spec: { ...ZIP_BUCKET.spec, bucketName: 'untouched' },
    };
    accept(await world.admin.request('POST', buckets, { body: made }));
    function patch(body: Record<string, unknown>) {
      return world.controller.request('PATCH', `${buckets}/s3-untouched`, { patch: 'merge', body });
    }
    accept(await patch({ metadata: { finalizers: ['zipjobs.dev/cleanup'] } }));
    for (const body of [
      { spec: { region: 'eu-west-1' } },
      { metadata: { annotations: { a: 'b' } } },
      { metadata: { finalizers: ['zipjobs.dev/cleanup', 'example.com/other'] } },
    ])
      expectRefusal(
        await patch(body),
        'the controller may change only the finalizer and the status of a ZipBucket or ZipProject',
      );
    accept(await patch({ metadata: { finalizers: null } }));
    accept(await world.admin.request('DELETE', `${buckets}/s3-untouched`));
  });

  it('reads one Secret of a project, and no credentials of a bucket (P12, P13)', async () => {
    for (const path of [`${secrets}/zipbucket-s3-archives`, secrets, '/api/v1/secrets'])
      expectRefusal(await world.controller.request('GET', path), 'forbidden');
    expect((await world.controller.request('GET', `${secrets}/zipjobs-webhook`)).status).to.equal(404);
    expectRefusal(await world.controller.request('POST', secrets, { body: aSecret('x') }), 'forbidden');
  });

  it('deletes the file lists of ZipJobs and no other Secret (P13)', async () => {
    const { name, uid = '' } = zipJob.metadata;
    const ownerReferences = [{ apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob', name, uid }];
    const list = { metadata: { name: `${name}-files-0`, ownerReferences } };
    const lookAlike = { metadata: { name: 'backup-files-0', ownerReferences } };
    for (const body of [
      aSecret('', list),
      aSecret('', lookAlike),
      aSecret('zipbucket-x'),
      aSecret('y-files-0'),
    ])
      accept(await world.admin.request('POST', secrets, { body }));
    function remove(secret: string) {
      return world.controller.request('DELETE', `${secrets}/${secret}`);
    }
    for (const secret of ['zipbucket-x', 'y-files-0', 'backup-files-0'])
      expectRefusal(
        await remove(secret),
        'the controller may delete only Secrets that are file lists of ZipJobs',
      );
    accept(await remove(`${name}-files-0`));
    expectRefusal(await world.controller.request('DELETE', secrets), 'forbidden');
  });

  it("grants only the zipper's role, and only to the zipper (P13)", async () => {
    expectRefusal(await applyZipperBinding(world.controller, 'default', 'cluster-admin'), 'forbidden');
    expectRefusal(await applyZipperBinding(world.controller, 'default', 'view'), 'forbidden');
    const elsewhere = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    expectRefusal(await world.controller.request('POST', elsewhere, { body: {} }), 'forbidden');
    const account = `${corePath('default', 'serviceaccounts')}/other?fieldManager=x`;
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other' } };
    expectRefusal(await world.controller.request('PATCH', account, { patch: 'apply', body }), 'forbidden');
  });
}
