/** What cannot be planted in a local cluster; the other faults are in test/integration/cli/doctor.test.ts. */
import { expect } from 'chai';
import { createDoctorCommand } from '#cli/doctor-command.ts';
import { createStatusCommand } from '#cli/status-command.ts';
import { GROUP_VERSION, LABELS } from '#crds/api-group.ts';
import { DEFINITIONS } from '#runtime/doctor/checks/definitions.ts';
import type { Result } from '#runtime/doctor/finding.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { runProgram } from './fake-session.ts';

const VERSION = '1.2.3';
const NAMESPACE = 'zipjobs-system';
const HOUR_MS = 3_600_000;

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function ofRelease(name: string, component: string, version = VERSION) {
  const labels = { 'app.kubernetes.io/version': version, [LABELS.component]: component };
  return {
    metadata: { namespace: NAMESPACE, name, labels },
    spec: { replicas: 1 },
    status: { readyReplicas: 1 },
  };
}

const definition = {
  spec: { versions: [{ name: 'v1alpha1', served: true }] },
  status: { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v1alpha1'] },
};

const lease = {
  metadata: { name: 'zipjobs-controller' },
  spec: {
    holderIdentity: 'zipjobs-controller-a_1',
    leaseDurationSeconds: 15,
    renewTime: ago(0),
    acquireTime: ago(HOUR_MS),
  },
};

function finishedJob(name: string, finishedAt: string, conditions: readonly object[]) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace: 'acme', name },
    spec: {},
    status: { phase: 'Succeeded', finishedAt, conditions },
  };
}

/** Objects by the end of their path, with lists by their plural. */
type Objects = Readonly<Record<string, unknown>>;

function healthy(history = 'false'): Objects {
  return {
    deployments: [ofRelease('zipjobs-controller', 'controller'), ofRelease('zipjobs-api', 'api')],
    'configmaps/zipjobs-release': { data: { version: VERSION, history } },
    'leases/zipjobs-controller': lease,
    ...Object.fromEntries(DEFINITIONS.map((name) => [`customresourcedefinitions/${name}`, definition])),
    'kube-system/pods': [
      {
        metadata: { name: 'a' },
        spec: { containers: [{ command: ['kube-apiserver', '--encryption-provider-config=/etc/a'] }] },
      },
    ],
  };
}

const REFUSAL = "ValidatingAdmissionPolicy 'zipjobs-bucket-identities' with binding 'x' denied request: no";

function fakeKube(objects: Objects): KubeClient {
  function read(path: string, selector: unknown): unknown {
    const end = path.split('/').slice(-2).join('/');
    const plural = path.split('/').at(-1) ?? '';
    const found = objects[`${end}?${String(selector)}`] ?? objects[end] ?? objects[plural];
    if (found === undefined && /\/(?:[a-z]+s)$/.test(path)) return { metadata: {}, items: [] };
    if (Array.isArray(found)) return { metadata: {}, items: found };
    if (found instanceof Error) throw found;
    if (found !== undefined) return found;
    throw new KubeError('not found', { attempt: `GET ${path}`, code: 'NotFound' });
  }
  return {
    server: 'https://kubernetes.test',
    request: async ({ method, path, query }) => {
      if (method !== 'POST') return read(path, query?.['fieldSelector']);
      const policy = path.endsWith('zipbuckets')
        ? 'zipjobs-bucket-identities'
        : 'zipjobs-zipper-token-secrets';
      throw new KubeError(REFUSAL, { attempt: 'POST /', code: 'Forbidden', policy });
    },
    stream: () => Promise.reject(new Error('unused')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function doctor(objects: Objects) {
  const groups = [createDoctorCommand(VERSION)];
  const { code, output, errors } = await runProgram({ groups, kube: fakeKube(objects) }, [
    'doctor',
    '-o',
    'json',
  ]);
  const results = output === '' ? [] : (JSON.parse(output) as { results: readonly Result[] }).results;
  return { code, errors, bad: results.filter(({ level }) => level !== 'ok') };
}

describe('zipjobs doctor', () => {
  it('exits with 0 if it finds nothing (X29)', async () => {
    expect(await doctor(healthy())).to.deep.equal({ code: 0, errors: '', bad: [] });
  });

  it('prints a line for each check, a remedy below each problem, and their number (X29)', async () => {
    const paused = {
      ...lease,
      metadata: { name: lease.metadata.name, annotations: { 'zipjobs.dev/paused': 'moving' } },
    };
    const kube = fakeKube({ ...healthy(), 'leases/zipjobs-controller': paused });
    const { code, output } = await runProgram({ groups: [createDoctorCommand(VERSION)], kube }, ['doctor']);
    expect(code).to.equal(7);
    expect(output).to.match(/^ok {7}leader {7}zipjobs-controller-a leads since 20/m);
    expect(output).to.match(
      /^warning {2}paused {7}All jobs are paused: moving\n {22}Resume them: kubectl annotate lease/m,
    );
    expect(output).to.match(/\n0 failures, 1 warning\n$/);
  });

  it('finds finished jobs that the history does not get, and those that it refuses (X29)', async () => {
    const late = finishedJob('zip-late', ago(HOUR_MS), []);
    const refused = finishedJob('zip-refused', ago(HOUR_MS), [
      { type: 'Archived', status: 'False', reason: 'ArchiveRefused' },
    ]);
    const done = finishedJob('zip-done', ago(HOUR_MS), [
      { type: 'Archived', status: 'True', reason: 'Archived' },
    ]);
    const fresh = finishedJob('zip-fresh', ago(60_000), []);
    const jobs = { 'v1alpha1/zipjobs?status.phase=Succeeded': [late, refused, done, fresh] };
    const { code, bad } = await doctor({ ...healthy('true'), ...jobs });
    expect(code).to.equal(1);
    expect(bad.map(({ check, level, message }) => [check, level, message])).to.deep.equal([
      ['history', 'failure', 'The history database does not have 1 finished job, the oldest for 60m'],
      ['history', 'warning', 'The history database refuses 1 finished job: acme/zip-refused'],
    ]);
    expect(bad[0]?.remedy).to.contain('kubectl logs -n zipjobs-system deployment/zipjobs-controller');
    expect((await doctor({ ...healthy(), ...jobs })).bad, 'without a history').to.deep.equal([]);
  });

  it('finds another version of the command line and of a pod (X29)', async () => {
    const pods = [ofRelease('zipjobs-api-old', 'api', '1.2.2')];
    const record = { data: { version: '1.2.4', history: 'false' } };
    const { code, bad } = await doctor({
      ...healthy(),
      'configmaps/zipjobs-release': record,
      'zipjobs-system/pods': pods,
    });
    expect(code).to.equal(7);
    expect(bad.map(({ message }) => message)).to.include.members([
      'Pod zipjobs-api-old has version 1.2.2, and the release 1.2.4',
      'This program has version 1.2.3, and the release 1.2.4',
    ]);
  });

  it('reports what the user may not read as not checked (X29)', async () => {
    const forbidden = new KubeError('no', { attempt: 'GET /', code: 'Forbidden', user: 'jane' });
    const { code, bad } = await doctor({ ...healthy(), 'leases/zipjobs-controller': forbidden });
    expect(code).to.equal(7);
    expect(bad.map(({ check, level }) => `${level} ${check}`)).to.deep.equal([
      'unknown leader',
      'unknown paused',
    ]);
    expect(bad[0]).to.include({
      message: 'Could not look: you may not get leases.coordination.k8s.io -n zipjobs-system',
    });
  });

  it('exits with 4 without a release, and with 5 without an API server (X29)', async () => {
    const none = await doctor({});
    expect([none.code, none.errors]).to.deep.equal([
      4,
      'zipjobs: No release of zipjobs found in this cluster. Install it: docs/install.md\n',
    ]);
    const unreachable = await runProgram({ groups: [createDoctorCommand(VERSION)] }, ['doctor']);
    expect(unreachable.code).to.equal(5);
  });
});

describe('zipjobs status', () => {
  async function status(objects: Objects) {
    const groups = [createStatusCommand(VERSION)];
    return runProgram({ groups, kube: fakeKube(objects) }, ['status']);
  }

  it('shows the installation on one screen (Q-C13)', async () => {
    const { code, output } = await status(healthy('true'));
    expect(code).to.equal(0);
    expect(output.replace(/since .*$/m, 'since')).to.equal(
      [
        'Release:       1.2.3 in namespace zipjobs-system',
        'Controller:    1 of 1 ready',
        'API:           1 of 1 ready',
        'Leader:        zipjobs-controller-a since',
        'Paused:        no',
        'Definitions:   5 of 5 served',
        'Projects:      0',
        'Buckets:       0',
        'Jobs:          none',
        'Stuck:         none',
        'Webhooks:      none pending',
        'History:       on, 0 late\n',
      ].join('\n'),
    );
  });

  it('exits with 1 if no controller leads, and says what it may not read (Q-C13)', async () => {
    const forbidden = new KubeError('no', { attempt: 'GET /', code: 'Forbidden', user: 'jane' });
    const { code, output, errors } = await status({
      ...healthy(),
      'leases/zipjobs-controller': { ...lease, spec: { ...lease.spec, holderIdentity: '' } },
      zipprojects: forbidden,
    });
    expect(code).to.equal(1);
    expect(output).to.match(/^Leader: +none: no job starts$/m);
    expect(output).to.match(/^Projects: +not permitted$/m);
    expect(errors).to.contain('Not permitted: list zipprojects.zipjobs.dev --all-namespaces');
  });
});
