/** What the controller maintains in the namespace of a project, on the real control plane. */
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { until } from '#test/support/until.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'kept-project';
const KINDS = ['serviceaccount', 'rolebinding', 'networkpolicy'];

describe('a project', function () {
  this.timeout(240_000);
  let cluster: Cluster;
  let project: Project;
  before(async () => {
    cluster = await sharedCluster();
    await sharedInstallation();
    project = await createProject(cluster, { namespace: NAMESPACE });
  });
  after(() => project[Symbol.dispose]());

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl(['-n', NAMESPACE, ...args])).stdout;
  }
  function uidOf(kind: string): Promise<string> {
    return kubectl(
      'get',
      kind,
      ZIPPER_SERVICE_ACCOUNT,
      '--ignore-not-found',
      '-o',
      'jsonpath={.metadata.uid}',
    );
  }

  it('lists its resources in its condition', async () => {
    const text = await kubectl('describe', 'zipproject', 'project');
    expect(text).to.contain(
      'ServiceAccount, RoleBinding, and NetworkPolicy zipjobs-zipper of the zippers exist.',
    );
  });

  it('isolates its zippers with a NetworkPolicy that the API server accepts (P10)', async () => {
    const text = await kubectl('describe', 'networkpolicy', ZIPPER_SERVICE_ACCOUNT);
    expect(text).to.contain(
      'Allowing ingress traffic:\n    <none> (Selected pods are isolated for ingress connectivity)',
    );
    expect(text).to.match(/To Port: 53\/UDP\s+To Port: 53\/TCP/);
    expect(text).to.match(
      /CIDR: 0\.0\.0\.0\/0\s+Except: 0\.0\.0\.0\/8, 10\.0\.0\.0\/8, .*169\.254\.0\.0\/16/,
    );
    expect(text).to.match(/CIDR: ::\/0\s+Except: ::\/3/);
  });

  it('has zippers that reach no private address even if no network plugin enforces the policy (P11)', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
    const { port } = server.address() as AddressInfo;
    const job = {
      apiVersion: GROUP_VERSION,
      kind: 'ZipJob',
      metadata: { namespace: NAMESPACE, name: 'inwards' },
      spec: {
        bucketRef: { name: bucketResourceName('s3', project.bucketName) },
        key: 'inwards.zip',
        files: [{ url: `http://[::1]:${port}/a`, filename: 'a' }],
        maxAttempts: 1,
      },
    };
    try {
      await applyObjects(cluster, [job]);
      await kubectl('wait', 'zipjob/inwards', '--for=condition=Failed', '--timeout=120s');
      expect(await kubectl('get', 'zipjob', 'inwards')).to.contain('SourceUnreachable');
      expect(connections).to.equal(0);
    } finally {
      server.close();
    }
  });

  for (const kind of KINDS)
    it(`restores its deleted ${kind}`, async () => {
      const before = await uidOf(kind);
      expect(before).not.to.equal('');
      await kubectl('delete', kind, ZIPPER_SERVICE_ACCOUNT);
      await until(`the ${kind} to be back`, async () => {
        const uid = await uidOf(kind);
        return uid !== '' && uid !== before;
      });
    });

  it('restores its changed role binding', async () => {
    const patch = JSON.stringify({ subjects: [] });
    await kubectl('patch', 'rolebinding', ZIPPER_SERVICE_ACCOUNT, '--type=merge', '-p', patch);
    await until('the subject to be back', async () => {
      const path = 'jsonpath={.subjects[*].name}';
      return (
        (await kubectl('get', 'rolebinding', ZIPPER_SERVICE_ACCOUNT, '-o', path)) === ZIPPER_SERVICE_ACCOUNT
      );
    });
  });
});
