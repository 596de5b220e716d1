/** Who can write a ZipCheckpoint, and read it: the controller its spec, the active pod its status, and nobody else anything. */
import { expect } from 'chai';
import { GROUP_VERSION, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import { MOST_RECORDS_LENGTH, type ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { type KubeResponse, type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { accept, expectRefusal, OTHER, OWN, type World, type ZipperPod, zipPath } from './world.ts';

const NOT_ACTIVE = `this pod is not the active pod of the ZipCheckpoint [${POLICY_MARKS.notActive}]`;
const NO_STATUS = 'the controller may not write the status of a ZipCheckpoint';
const NOT_OWNED = 'the controller may write only a ZipCheckpoint that the ZipJob of the same name owns';
const NEVER_FALLS = 'the sequence of a ZipCheckpoint never falls';
const BY_NAME = 'fieldManager=zipjobs-controller&force=true';

function statusOf(sequence: number): ZipCheckpointStatus {
  return { sequence, uploadId: 'u', owner: 'first-pod', plan: 'a'.repeat(64), records: 'AAAA' };
}

let world: World;
let pod: ZipperPod;

function pathOf(zipJob = pod.zipJob): string {
  return `${zipPath(OWN, 'zipcheckpoints')}/${zipJob}`;
}

/** What the controller applies for this job. */
function checkpointOf(zipJob: string, uid: string, activePodUid: string) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipCheckpoint',
    metadata: {
      name: zipJob,
      namespace: OWN,
      ownerReferences: [ownerReferenceOf({ metadata: { name: zipJob, namespace: OWN, uid } }, 'ZipJob')],
    },
    spec: { zipJobUid: uid, activePodUid },
  };
}

type Checkpoint = ReturnType<typeof checkpointOf>;

function apply(body: Checkpoint & { readonly status?: unknown }, subresource = ''): Promise<KubeResponse> {
  const path = `${pathOf(body.metadata.name)}${subresource}?${BY_NAME}`;
  return world.controller.request('PATCH', path, { patch: 'apply', body });
}

/** Applies it as the controller does, with this active pod. */
async function activate(activePodUid: string, { zipJob } = pod): Promise<void> {
  accept(await apply(checkpointOf(zipJob, await world.uidOf(OWN, zipJob), activePodUid)));
}

function write(body: object, { by = pod, at = pathOf() } = {}): Promise<KubeResponse> {
  return by.zipper.request('PATCH', `${at}/status`, { body });
}

async function stored(): Promise<Readonly<Record<string, unknown>>> {
  return accept(await world.admin.request('GET', pathOf())).body;
}

function itIsWrittenByTheActivePod(): void {
  it('writes checkpoints, and reads the newest by an empty patch', async () => {
    const nothing = await write({});
    expect(nothing.status, nothing.message).to.equal(200);
    expect(nothing.body).not.to.have.property('status');
    for (const sequence of [1, 2, 2]) {
      const { status, message } = await write({ status: statusOf(sequence) });
      expect(status, message).to.equal(200);
    }
    expect((await write({})).body['status']).to.deep.equal(statusOf(2));
  });

  it('cannot write an older checkpoint, nor remove the newest to start again', async () => {
    accept(await write({ status: statusOf(7) }));
    expectRefusal(await write({ status: statusOf(6) }), 'the sequence never falls');
    expectRefusal(await write({ status: null }), NEVER_FALLS);
    expect((await stored())['status']).to.deep.equal(statusOf(7));
  });

  it('cannot change which pod is active, nor any metadata', async () => {
    const before = await stored();
    const change = {
      spec: { activePodUid: 'another' },
      metadata: { labels: { mine: 'yes' }, ownerReferences: null },
    };
    expectRefusal(await pod.zipper.request('PATCH', pathOf(), { body: change }), 'cannot patch resource');
    await write(change);
    const { metadata, spec } = await stored();
    expect(spec).to.deep.equal(before['spec']);
    expect(metadata).to.have.property('ownerReferences');
    expect(metadata).not.to.have.property('labels');
  });

  it('cannot create, read, list, watch or delete one in any other way', async () => {
    const kind = zipPath(OWN, 'zipcheckpoints');
    const body = checkpointOf('forged', 'u', pod.uid);
    for (const [method, path] of [
      ['POST', kind],
      ['GET', pathOf()],
      ['GET', `${pathOf()}/status`],
      ['GET', kind],
      ['GET', `${kind}?watch=1`],
      ['PUT', `${pathOf()}/status`],
      ['DELETE', pathOf()],
      ['DELETE', kind],
    ] as const) {
      const request = method === 'POST' || method === 'PUT' ? { body } : {};
      const { status, message } = await pod.zipper.request(method, path, request);
      expect(message, `${method} ${path}`).to.match(/ cannot [a-z]+ resource /);
      expect(status).to.equal(403);
    }
    const missing = { at: pathOf('no-such-job') };
    expect((await write({ status: statusOf(1) }, missing)).status).to.equal(404);
  });
}

function itIsClosedToOtherPods(): void {
  it('cannot be written or read by the pod of another job, nor from another namespace', async () => {
    const neighbour = await world.createZipper(OWN);
    const foreign = await world.createZipper(OTHER);
    for (const body of [{}, { status: statusOf(9) }]) {
      expectRefusal(await write(body, { by: neighbour }), NOT_ACTIVE);
      expectRefusal(await write(body, { by: foreign }), 'cannot patch resource "zipcheckpoints/status"');
    }
  });

  it('cannot be written or read by a pod that is no longer active', async () => {
    const before = accept(await write({})).body['status'];
    await activate('the-next-pod');
    for (const body of [{}, { status: statusOf(9) }]) expectRefusal(await write(body), NOT_ACTIVE);
    await activate(pod.uid);
    // The next pod finds what this one has written.
    expect(accept(await write({})).body['status']).to.deep.equal(before);
  });

  it('cannot be written or read with a token that is not bound to a pod', async () => {
    const user = `system:serviceaccount:${OWN}:${ZIPPER_SERVICE_ACCOUNT}`;
    // The edit role may impersonate service accounts, but not their token claims.
    for (const body of [{}, { status: statusOf(9) }])
      expectRefusal(
        await world.editor.request('PATCH', `${pathOf()}/status`, { as: user, body }),
        "a zipper's token must be bound to its pod",
      );
  });
}

async function bindTenant(role: string, user: string): Promise<KubeUser> {
  await world.cluster.kubectl([
    'create',
    'rolebinding',
    user,
    `--clusterrole=${role}`,
    `--user=${user}`,
    '-n',
    OWN,
  ]);
  const right = { user, verb: 'get', resource: 'zipjobs.zipjobs.dev', namespace: OWN };
  await untilAllowed(world.cluster, right);
  return await signIn(world.cluster, { commonName: user });
}

function itIsClosedToUsersAndProcesses(): void {
  it('cannot be seen or written by users with view, edit or admin, by the API or by the dashboard (P6)', async () => {
    await using life = new AsyncDisposableStack();
    const viewer = life.use(await bindTenant('view', 'checkpoint-viewer'));
    const owner = life.use(await bindTenant('admin', 'checkpoint-owner'));
    const kind = zipPath(OWN, 'zipcheckpoints');
    const body = checkpointOf('forged', 'u', 'p');
    for (const user of [viewer, world.editor, owner, world.api, world.dashboard])
      for (const [method, path, request] of [
        ['GET', kind, {}],
        ['GET', `${kind}?watch=1`, {}],
        ['GET', pathOf(), {}],
        ['POST', kind, { body }],
        ['PATCH', pathOf(), { body: { spec: { activePodUid: 'p' } } }],
        ['PATCH', `${pathOf()}/status`, { body: {} }],
        ['DELETE', pathOf(), {}],
        ['DELETE', kind, {}],
      ] as const) {
        const { status, message } = await user.request(method, path, request);
        expect(message, `${method} ${path}`).to.match(/ cannot [a-z]+ resource /);
        expect(status).to.equal(403);
      }
  });
}

function itIsCreatedByTheController(): void {
  it('is created, changed and deleted by the controller, for the ZipJob of the same name only', async () => {
    const { name, uid = '' } = (await world.createZipJob(OWN)).metadata;
    const valid = checkpointOf(name, uid, 'p');
    const owner = ownerReferenceOf({ metadata: { name, namespace: OWN, uid } }, 'ZipJob');
    function owned(ownerReferences: readonly object[]) {
      return apply({ ...valid, metadata: { ...valid.metadata, ownerReferences } } as Checkpoint);
    }
    for (const references of [
      [],
      [{ ...owner, kind: 'ZipBucket' }],
      [{ ...owner, apiVersion: 'batch/v1' }],
      [{ ...owner, name: 'another' }],
      [{ ...owner, uid: 'another' }],
      [owner, { ...owner, kind: 'ZipProject', name: 'project', uid: 'another' }],
    ])
      expectRefusal(await owned(references), NOT_OWNED);
    const kept = { ...valid, metadata: { ...valid.metadata, finalizers: ['example.com/never'] } };
    const noFinalizer = 'the controller may not add a finalizer to a ZipCheckpoint';
    expectRefusal(await apply(kept), noFinalizer);
    accept(await apply(valid));
    accept(await apply({ ...valid, spec: { ...valid.spec, activePodUid: 'q' } }));
    expectRefusal(await apply(kept), noFinalizer);
    expectRefusal(await owned([{ ...owner, uid: 'another' }]), NOT_OWNED);
    accept(await world.controller.request('DELETE', pathOf(name)));
    for (const [method, path] of [
      ['GET', pathOf()],
      ['GET', zipPath(OWN, 'zipcheckpoints')],
      ['DELETE', zipPath(OWN, 'zipcheckpoints')],
    ] as const)
      expectRefusal(await world.controller.request(method, path), 'cannot');
  });

  it('cannot get a status from the controller, whatever roles it has', async () => {
    const { name, uid = '' } = (await world.createZipJob(OWN)).metadata;
    const forged = { ...checkpointOf(name, uid, 'p'), status: statusOf(1) };
    // The API server drops the status of a write of the whole object.
    await apply(forged);
    accept(await apply(checkpointOf(name, uid, 'p')));
    await apply(forged);
    const { body } = accept(await world.admin.request('GET', pathOf(name)));
    expect(body).not.to.have.property('status');
    expectRefusal(await apply(forged, '/status'), 'cannot patch resource "zipcheckpoints/status"');
    const role = ['--verb=patch', '--resource=zipcheckpoints.zipjobs.dev/status', '-n', OWN];
    await world.cluster.kubectl(['create', 'role', 'too-much', ...role]);
    const account = `${RELEASE_NAMESPACE}:zipjobs-controller`;
    const binding = ['--role=too-much', `--serviceaccount=${account}`, '-n', OWN];
    await world.cluster.kubectl(['create', 'rolebinding', 'too-much', ...binding]);
    await until('the role to take effect', async () => {
      const { message } = await apply(forged, '/status');
      return message.includes(NO_STATUS);
    });
    await world.cluster.kubectl(['delete', 'rolebinding', 'too-much', '-n', OWN]);
  });

  it('never moves to another ZipJob of the same name, such as after a restore of a backup', async () => {
    const { name, uid = '' } = (await world.createZipJob(OWN)).metadata;
    const body = { ...checkpointOf(name, 'uid-in-the-backup', pod.uid), metadata: { name } };
    accept(await world.admin.request('POST', zipPath(OWN, 'zipcheckpoints'), { body }));
    const refused = await apply(checkpointOf(name, uid, pod.uid));
    expectRefusal(refused, 'zipJobUid cannot be changed');
    // Until it is deleted, the job runs without a checkpoint.
    accept(await world.controller.request('DELETE', pathOf(name)));
    accept(await apply(checkpointOf(name, uid, pod.uid)));
  });
}

function itIsSmall(): void {
  it('cannot be as large as etcd refuses', async () => {
    const status = { ...statusOf(100), records: 'A'.repeat(MOST_RECORDS_LENGTH) };
    const { message, ...accepted } = await write({ status });
    expect(accepted.status, message).to.equal(200);
    const larger = await write({ status: { ...status, records: `${status.records}A` } });
    expect(larger.status).to.equal(422);
  });
}

export function describeCheckpoints(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    await activate(pod.uid);
  });

  describe('by its active pod', itIsWrittenByTheActivePod);
  describe('by other pods', itIsClosedToOtherPods);
  describe('by others', itIsClosedToUsersAndProcesses);
  describe('by the controller', itIsCreatedByTheController);
  describe('by anyone', itIsSmall);
}
