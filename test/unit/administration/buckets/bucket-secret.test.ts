import { expect } from 'chai';
import { createAdministration } from '#administration/administration.ts';
import type { BucketCredentials } from '#administration/buckets/bucket-input.ts';
import { bucketSecretName } from '#crds/api-group.ts';
import type { OwnerReference } from '#crds/object-meta.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';

const REF = { service: 's3', bucketName: 'reports' } as const;
const SECRET = bucketSecretName('s3-reports');
const TEMPORARY = { accessKeyId: 'ASIAOLD', secretAccessKey: 'old', sessionToken: 'FwoG...expired' } as const;
const PERMANENT = { accessKeyId: 'AKIANEW', secretAccessKey: 'new' } as const;

function encoded(texts: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(String(text))]));
}

function start() {
  const objects = createObjectsByPath();
  objects.put(COLLECTIONS.projects, aProject(TEAM));
  let isHeld = false;
  let isCreatedAgain = false;
  const kube = {
    server: 'https://kubernetes.test',
    request: async (request: Parameters<typeof objects.respond>[0]) =>
      Promise.resolve().then(() => {
        const isDeletion = request.method === 'DELETE' && request.path.startsWith(COLLECTIONS.buckets);
        if (isHeld && isDeletion) return {};
        const response = objects.respond(request);
        if (isCreatedAgain && isDeletion) {
          const again = aBucket(TEAM, 's3', 'reports');
          objects.put(COLLECTIONS.buckets, { ...again, metadata: { ...again.metadata, uid: 'another' } });
        }
        return response;
      }),
    stream: () => Promise.reject(new Error('no stream')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  function putSecret(credentials: BucketCredentials, ownerReferences?: readonly OwnerReference[]): void {
    objects.put(COLLECTIONS.secrets, {
      metadata: { namespace: TEAM, name: SECRET, ...(ownerReferences && { ownerReferences }) },
      data: encoded(credentials),
    } as KubeObject);
  }
  return {
    objects,
    /** A finalizer keeps it. */
    holdBucket: (): void => {
      isHeld = true;
    },
    /** As soon as it is deleted. */
    createAgain: (): void => {
      isCreatedAgain = true;
    },
    putSecret,
    buckets: createAdministration({ kube, clock: systemClock }).buckets(TEAM),
    data: (): unknown => objects.get(`${COLLECTIONS.secrets}/${SECRET}`)?.['data'],
  };
}

describe('the stored credentials of a bucket', () => {
  it('have no session token of earlier keys, whether they are updated or left by an earlier bucket (UI4)', async () => {
    const updated = start();
    updated.objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    updated.putSecret(TEMPORARY);
    await updated.buckets.updateCredentials(REF, PERMANENT);
    expect(updated.data()).to.deep.equal(encoded(PERMANENT));
    const left = start();
    left.putSecret(TEMPORARY);
    await left.buckets.create({ ...REF, region: 'eu-central-1' }, PERMANENT);
    expect(left.data()).to.deep.equal(encoded(PERMANENT));
  });

  it('are deleted with the bucket although the controller is slow, or left to its jobs if it is forced (UI14)', async () => {
    for (const force of [false, true]) {
      const { objects, putSecret, buckets, data, holdBucket } = start();
      objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
      putSecret(PERMANENT);
      holdBucket();
      expect(await buckets.delete(REF, { limitMs: 0, force })).to.deep.equal({ isGone: false });
      expect(data()).to.deep.equal(force ? encoded(PERMANENT) : undefined);
      const secret = objects.get(`${COLLECTIONS.secrets}/${SECRET}`);
      const owners = secret && RESOURCES.secrets.decode(secret).metadata.ownerReferences;
      expect(owners?.map(({ name }) => name)).to.deep.equal(force ? ['s3-reports'] : undefined);
    }
  });

  it('stay with a bucket that a tool has created again (UI14)', async () => {
    const { objects, putSecret, buckets, data, createAgain } = start();
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    putSecret(PERMANENT);
    createAgain();
    expect(await buckets.delete(REF, { limitMs: 0 })).to.deep.equal({ isGone: true });
    expect(data()).to.deep.equal(encoded(PERMANENT));
  });

  it('keep the owners that another tool gave them (UI14)', async () => {
    const { objects, putSecret, buckets, holdBucket } = start();
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    putSecret(PERMANENT, [
      { apiVersion: 'external-secrets.io/v1', kind: 'ExternalSecret', name: 'reports', uid: 'x' },
    ]);
    holdBucket();
    await buckets.delete(REF, { limitMs: 0, force: true });
    const { metadata } = RESOURCES.secrets.decode(objects.get(`${COLLECTIONS.secrets}/${SECRET}`));
    expect(metadata.ownerReferences?.map(({ kind }) => kind)).to.deep.equal(['ExternalSecret']);
  });

  it('keep the session token of temporary keys (UI4)', async () => {
    const { buckets, data } = start();
    await buckets.create({ ...REF, region: 'eu-central-1' }, TEMPORARY);
    expect(data()).to.deep.equal(encoded(TEMPORARY));
    await buckets.updateCredentials(REF, PERMANENT);
    expect(data()).to.deep.equal(encoded(PERMANENT));
    await buckets.updateCredentials(REF, TEMPORARY);
    expect(data()).to.deep.equal(encoded(TEMPORARY));
  });

  it('are refused with a session token that cannot be sent, which the message does not contain (UI4)', async () => {
    const { buckets, data } = start();
    const wrong = { ...TEMPORARY, sessionToken: 'CANARY with spaces' };
    const error: unknown = await buckets
      .create({ ...REF, region: 'eu-central-1' }, wrong)
      .catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'InvalidInput', field: 'sessionToken' });
    expect(String(error)).to.not.contain('CANARY');
    expect(data()).to.equal(undefined);
  });
});
