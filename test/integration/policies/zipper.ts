/**
 * What the token of a zipper permits: the five fields of its ZipJob's status while its pod is active, and
 * nothing else.
 */
import { expect } from 'chai';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { corePath, OTHER, OWN, type World, type ZipperPod, zipPath } from './world.ts';

const OWN_FIELDS =
  'a zipper may change only the status fields progress, upload, result, failure and sourceCheck';
const NOT_ACTIVE = `this pod is not the active pod of the ZipJob [${POLICY_MARKS.notActive}]`;

function progressOf(pod: ZipperPod) {
  return {
    podUid: pod.uid,
    filesTotal: 2,
    filesDone: 1,
    bytesRead: 10,
    bytesUploaded: 5,
    display: '1/2',
    updatedAt: '2026-01-01T00:00:00Z',
  };
}

let world: World;
let pod: ZipperPod;

function apply(status: unknown, at: { namespace?: string; name?: string; by?: ZipperPod } = {}) {
  const { namespace = OWN, name = pod.zipJob, by = pod } = at;
  return by.zipper.request(
    'PATCH',
    `${zipPath(namespace)}/${name}/status?fieldManager=zipjobs-zipper&force=true`,
    {
      patch: 'apply',
      body: { apiVersion: 'zipjobs.dev/v1alpha1', kind: 'ZipJob', metadata: { name, namespace }, status },
    },
  );
}

function merge(status: unknown) {
  return pod.zipper.request('PATCH', `${zipPath(OWN)}/${pod.zipJob}/status`, { body: { status } });
}

function expectRefusal(response: KubeResponse, message: string): void {
  expect(response.message).to.contain(message);
  expect(response.status).to.equal(403);
}

function itWritesItsFieldsOnly(): void {
  it('writes its five fields, and reads the ZipJob from the response (P3)', async () => {
    const upload = { uploadId: 'u', state: 'open', partSize: 1 };
    const response = await apply({ progress: progressOf(pod), upload });
    expect(response.status, response.message).to.equal(200);
    expect(response.body['status']).to.deep.include({ phase: 'Starting', upload });
    const failure = { code: 'SourceNotFound', retriable: false };
    const result = {
      bytes: 1,
      etag: 'e',
      entries: 1,
      seconds: 1,
      peakMemory: 1,
      retries: 0,
      contractVersion: 1,
    };
    const sourceCheck = { checked: 2, failed: 0, failures: [], bytes: 1, lengths: 2 };
    const second = await apply({ progress: progressOf(pod), upload, failure, result, sourceCheck });
    expect(second.status, second.message).to.equal(200);
  });

  const controllers: Readonly<Record<string, unknown>> = {
    phase: 'Succeeded',
    reason: 'Uploaded',
    message: 'done',
    apiStatus: 'succeeded',
    observedGeneration: 7,
    finishedAt: '2026-01-01T00:00:00Z',
    attemptsTotal: 0,
    job: { name: 'x', uid: 'y', podUid: 'z' },
    attempts: [{ n: 1, podUid: 'p' }],
    webhook: { state: 'Delivered' },
    conditions: [
      {
        type: 'Complete',
        status: 'True',
        reason: 'Uploaded',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  for (const [field, value] of Object.entries(controllers))
    it(`cannot write ${field}, a field of the controller (P6)`, async () => {
      expectRefusal(await apply({ progress: progressOf(pod), [field]: value }), OWN_FIELDS);
    });

  it('cannot remove a field of the controller (P6)', async () => {
    expectRefusal(await merge({ phase: null }), OWN_FIELDS);
    expectRefusal(await merge({ job: { podUid: null } }), OWN_FIELDS);
  });

  it('cannot write progress in the name of another pod', async () => {
    expectRefusal(
      await apply({ progress: { ...progressOf(pod), podUid: 'another' } }),
      'a zipper may report progress only for its own pod',
    );
  });
}

function itHasNoOtherRights(): void {
  it('cannot write the status of another ZipJob, in its own namespace and in another (P5)', async () => {
    const neighbour = await world.createZipper(OWN);
    await world.setStatus(OWN, neighbour.zipJob, {
      job: { name: neighbour.zipJob, uid: 'u', podUid: neighbour.uid },
    });
    expectRefusal(await apply({ progress: progressOf(pod) }, { name: neighbour.zipJob }), NOT_ACTIVE);
    const foreign = await world.createZipJob(OTHER);
    const response = await apply(
      { progress: progressOf(pod) },
      { name: foreign.metadata.name, namespace: OTHER },
    );
    expectRefusal(response, 'cannot patch resource "zipjobs/status"');
  });

  it('cannot write the status of a ZipJob before any pod is active', async () => {
    const { metadata } = await world.createZipJob(OWN);
    expectRefusal(await apply({ progress: progressOf(pod) }, { name: metadata.name }), NOT_ACTIVE);
  });

  it('cannot write its spec, not even through the status', async () => {
    const path = `${zipPath(OWN)}/${pod.zipJob}`;
    const change = { spec: { cancel: true }, metadata: { labels: { mine: 'yes' } } };
    expectRefusal(await pod.zipper.request('PATCH', path, { body: change }), 'cannot patch resource');
    await pod.zipper.request('PATCH', `${path}/status`, { body: change });
    const { body } = await world.admin.request('GET', path);
    expect(body['spec']).to.include({ cancel: false });
    expect(body['metadata']).not.to.have.property('labels');
  });

  it('cannot read Secrets or anything else (P4)', async () => {
    const paths = [
      `${corePath(OWN, 'secrets')}/zipbucket-s3-archives`,
      corePath(OWN, 'secrets'),
      corePath(OWN, 'pods'),
      zipPath(OWN),
      `${zipPath(OWN)}/${pod.zipJob}`,
    ];
    for (const path of paths) expectRefusal(await pod.zipper.request('GET', path), 'forbidden');
    expectRefusal(await pod.zipper.request('DELETE', zipPath(OWN)), 'forbidden');
  });

  it('has one verb on two subresources in its namespace (P4)', async () => {
    const review = await pod.zipper.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace: OWN },
      },
    });
    const rules = (review.body['status'] as { resourceRules: { apiGroups: string[]; resources: string[] }[] })
      .resourceRules;
    // Every signed-in user may request its own permissions from the API server, and since Kubernetes 1.37 read the bundles of
    // certificate authorities.
    const own = rules.filter(
      ({ apiGroups, resources }) =>
        !apiGroups.every((group) => /authorization|authentication/.test(group)) &&
        !resources.every((resource) => resource === 'clustertrustbundles'),
    );
    expect(own).to.deep.equal([
      {
        verbs: ['patch'],
        apiGroups: ['zipjobs.dev'],
        resources: ['zipjobs/status', 'zipcheckpoints/status'],
      },
    ]);
  });
}

export function describeZipper(theWorld: () => World): void {
  before(async () => {
    world = theWorld();
    pod = await world.createZipper(OWN);
    await world.setStatus(OWN, pod.zipJob, {
      phase: 'Starting',
      job: { name: pod.zipJob, uid: 'job-uid', podUid: pod.uid },
    });
  });

  itWritesItsFieldsOnly();
  itHasNoOtherRights();

  it('cannot write when its token is not bound to a pod (P5)', async () => {
    const user = `system:serviceaccount:${OWN}:${ZIPPER_SERVICE_ACCOUNT}`;
    const path = `${zipPath(OWN)}/${pod.zipJob}/status`;
    const body = { status: { progress: { ...progressOf(pod), filesDone: 2 } } };
    // The edit role may impersonate service accounts, but not their token claims.
    expectRefusal(
      await world.editor.request('PATCH', path, { as: user, body }),
      "a zipper's token must be bound to its pod",
    );
  });

  it('cannot write once another pod is active, or none, and learns that from the message (F38)', async () => {
    const late = await world.createZipper(OWN);
    function activePod(podUid: string | null) {
      return world.setStatus(OWN, late.zipJob, { job: { name: late.zipJob, uid: 'u', podUid } });
    }
    function write() {
      return apply({ progress: progressOf(late) }, { name: late.zipJob, by: late });
    }
    expectRefusal(await write(), NOT_ACTIVE);
    await activePod(late.uid);
    expect((await write()).status).to.equal(200);
    await activePod(pod.uid);
    expectRefusal(await write(), NOT_ACTIVE);
    await activePod(null);
    expectRefusal(await write(), NOT_ACTIVE);
  });

  it('cannot take back `committing` or `discarded`, not even with an earlier write that arrives late (G13)', async () => {
    const own = await world.createZipper(OWN);
    async function activate(by: ZipperPod): Promise<void> {
      await world.setStatus(OWN, own.zipJob, { job: { name: own.zipJob, uid: 'u', podUid: by.uid } });
    }
    function write(uploadId: string | undefined, state = 'open', by = own) {
      const upload = uploadId === undefined ? {} : { upload: { uploadId, state, partSize: 1 } };
      return apply({ progress: progressOf(by), ...upload }, { name: own.zipJob, by });
    }
    async function expectNoWayBack(from: readonly [string, string]): Promise<void> {
      const others = [
        ['a', 'open'],
        ['a', 'discarded'],
        ['b', 'committing'],
        ['b', 'open'],
        [undefined, ''],
      ];
      for (const [uploadId, state] of others)
        if (uploadId !== from[0] || state !== from[1])
          expectRefusal(await write(uploadId, state), 'a zipper may not take back');
      expect((await write(...from)).status, 'again').to.equal(200);
    }
    await activate(own);
    expect((await write(undefined)).status).to.equal(200);
    expect((await write('a', 'discarded')).status).to.equal(200);
    expectRefusal(await write('a'), 'a zipper may not take back');
    expect((await write('b')).status).to.equal(200);
    expectRefusal(await write('a', 'discarded'), 'a zipper may not take back');
    expectRefusal(await write(undefined), 'a zipper may not take back');
    expect((await write('b', 'committing')).status).to.equal(200);
    await expectNoWayBack(['b', 'committing']);
    // The next pod starts another upload.
    await activate(pod);
    expect((await write(undefined, '', pod)).status).to.equal(200);
    expect((await write('c', 'open', pod)).status).to.equal(200);
  });

  it('cannot write once the ZipJob is finished', async () => {
    await world.setStatus(OWN, pod.zipJob, { phase: 'Failed' });
    expectRefusal(
      await apply({ progress: progressOf(pod) }),
      `the ZipJob is finished [${POLICY_MARKS.notActive}]`,
    );
  });
}
