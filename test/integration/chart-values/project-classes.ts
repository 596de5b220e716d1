/** Classes of projects on a real cluster, with a user who has the cluster role `admin` in the namespace. */
import { expect } from 'chai';
import { GROUP_VERSION, LABELS, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { type KubeResponse, type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { Installed } from './installed.ts';

const NAMESPACE = 'classes';
const RBAC = 'rbac.authorization.k8s.io/v1';
const NAMESPACE_PATH = `/api/v1/namespaces/${NAMESPACE}`;
const PROJECTS_PATH = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipprojects`;
const PROJECT_PATH = `${PROJECTS_PATH}/${PROJECT_NAME}`;
/** Far more than this file sends. */
const LIMITS = { default: 900, small: 600, slow: 700, large: 5_000 };

function classesOf(limits: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(limits).map(([name, requestsPerMinute]) => [name, { requestsPerMinute }]),
  );
}

export const PROJECT_CLASSES = {
  ...classesOf(LIMITS),
  small: { requestsPerMinute: LIMITS.small, closedOptions: ['sha256'] },
  slow: { requestsPerMinute: LIMITS.slow, createsPerSecond: 1 },
};

export function describeProjectClasses(theInstalled: () => Installed): void {
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let admin: KubeUser;
  /** Has the cluster role `admin` in the namespace. */
  let owner: KubeUser;
  let project: Project;
  let baseUrl: string;

  before(async () => {
    ({ cluster, baseUrl } = theInstalled());
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    admin = life.use(await signIn(cluster));
    owner = life.use(await signIn(cluster, { commonName: 'olaf' }));
    await cluster.kubectl(
      `create rolebinding olaf --clusterrole=admin --user=olaf -n ${NAMESPACE}`.split(' '),
    );
    const right = { user: 'olaf', verb: 'patch', resource: 'zipprojects.zipjobs.dev', namespace: NAMESPACE };
    await untilAllowed(cluster, right);
    await untilTokenKnown(baseUrl, project.token);
    await label(admin, 'small');
    await untilLimit(LIMITS.small);
  });
  after(() => life.disposeAsync());

  function label(user: KubeUser, projectClass: string | null): Promise<KubeResponse> {
    return user.request('PATCH', NAMESPACE_PATH, {
      body: { metadata: { labels: { [LABELS.projectClass]: projectClass } } },
    });
  }
  /** Requests per minute of the project, as a response reports them; undefined if its token is not accepted. */
  async function limitOf(token: string): Promise<number | undefined> {
    const path = '/v1/zips/00000000-0000-4000-8000-000000000000';
    const { headers } = await askApi(baseUrl, { path, token });
    const [, limit] = /"project";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
    return limit === undefined ? undefined : Number(limit);
  }
  function untilLimit(limit: number): Promise<unknown> {
    return until(`a limit of ${limit}`, async () => (await limitOf(project.token)) === limit, {
      intervalMs: 200,
    });
  }
  async function statusOf(): Promise<ZipProject['status']> {
    return (await cluster.read<ZipProject>(PROJECT_PATH)).status;
  }
  function untilClass(name: string): Promise<unknown> {
    return until(`the class ${name}`, async () => (await statusOf())?.class?.name === name);
  }
  function expectForbidden({ status, message }: KubeResponse): void {
    expect(status, message).to.equal(403);
    expect(message).to.contain('cannot').and.to.contain('namespaces');
  }

  it('is reported by the API and in the status (N8)', async () => {
    await untilClass('small');
    expect((await statusOf())?.class?.limits).to.include({ requestsPerMinute: 600, storedJobs: 40_000 });
    const { stdout } = await cluster.kubectl(['get', 'zipproject', '-n', NAMESPACE]);
    expect(stdout).to.match(/CLASS/).and.to.match(/small/);
  });

  it('closes options of requests (C3)', async () => {
    const urls = [{ url: 'https://files.example.com/a', filename: 'a' }];
    const request = { bucket_name: project.bucketName, key: 'a.zip', urls, sha256: true };
    const { token } = project;
    const body = JSON.stringify(request);
    const refused = await askApi(baseUrl, { method: 'POST', path: '/v1/zips', token, body });
    expect(refused.status, refused.text).to.equal(422);
    expect(refused.body.error).to.include({ code: 'parameter_invalid', param: 'sha256' });
    expect(refused.body.error?.message).to.contain('the operator has closed this option');
  });

  it('limits the creates per second (N7)', async () => {
    expect((await label(admin, 'slow')).status).to.equal(200);
    await untilLimit(LIMITS.slow);
    const urls = [{ url: 'https://files.example.com/a', filename: 'a' }];
    const { token } = project;
    const posts = Array.from({ length: 30 }, (_, index) => {
      // Without a bucket no job remains, which would keep the bucket of the project.
      const body = JSON.stringify({ bucket_name: 'no-such-bucket', key: `${index}.zip`, urls });
      return askApi(baseUrl, { method: 'POST', path: '/v1/zips', token, body });
    });
    const responses = await Promise.all(posts);
    const refused = responses.filter(({ status }) => status === 429);
    const accepted = responses.filter(({ status }) => status === 404);
    expect(accepted.length, 'a burst of ten, and at least one that waits').to.be.at.least(11);
    expect(accepted.length + refused.length).to.equal(responses.length);
    expect(refused.length).to.be.above(0);
    for (const { body, headers } of refused) {
      expect(body.error?.message).to.contain('Too many creates of this project per second');
      expect(Number(headers.get('retry-after'))).to.be.at.least(2);
    }
    expect((await label(admin, 'small')).status).to.equal(200);
    await untilLimit(LIMITS.small);
  });

  it('cannot be changed on the namespace by its admin, by patch, apply, update, create or delete (N8)', async () => {
    const metadata = { name: NAMESPACE, labels: { [LABELS.projectClass]: 'large' } };
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata };
    expectForbidden(await label(owner, 'large'));
    expectForbidden(await label(owner, null));
    expectForbidden(
      await owner.request('PATCH', `${NAMESPACE_PATH}?fieldManager=olaf&force=true`, {
        patch: 'apply',
        body,
      }),
    );
    expectForbidden(await owner.request('PUT', NAMESPACE_PATH, { body }));
    expectForbidden(await owner.request('POST', '/api/v1/namespaces', { body }));
    expectForbidden(await owner.request('DELETE', NAMESPACE_PATH));
    expect(await limitOf(project.token)).to.equal(LIMITS.small);
  });

  it('is not changed by any field of the ZipProject, nor by its status (N8)', async () => {
    const label = { [LABELS.projectClass]: 'large' };
    const { status: patched } = await owner.request('PATCH', PROJECT_PATH, {
      body: {
        metadata: { labels: label, annotations: label },
        spec: { class: 'large', limits: { requestsPerMinute: 5_000, activeJobs: 5_000 } },
        status: { class: { name: 'large' } },
      },
    });
    expect(patched).to.equal(200);
    const status = { class: { name: 'large', limits: { requestsPerMinute: 5_000 } } };
    const written = await owner.request('PATCH', `${PROJECT_PATH}/status`, { body: { status } });
    expect(written.status).to.equal(403);
    expect(await limitOf(project.token)).to.equal(LIMITS.small);
    expect((await statusOf())?.class?.name).to.equal('small');
  });

  it('is lowered, but not raised, by spec.limits (N8)', async () => {
    function set(requestsPerMinute: number | null) {
      return owner.request('PATCH', PROJECT_PATH, { body: { spec: { limits: { requestsPerMinute } } } });
    }
    expect((await set(500)).status).to.equal(200);
    await untilLimit(500);
    expect((await set(50_000)).status).to.equal(200);
    await untilLimit(LIMITS.small);
  });

  it('survives the deletion of the ZipProject and its creation by the admin (N8)', async () => {
    for (const bucket of ['s3-classes-archives'])
      await cluster.kubectl(['delete', 'zipbucket', bucket, '-n', NAMESPACE]);
    expect((await owner.request('DELETE', PROJECT_PATH)).status).to.equal(200);
    await until(
      'the ZipProject to be gone',
      async () => (await owner.request('GET', PROJECT_PATH)).status === 404,
    );
    const created = await owner.request('POST', PROJECTS_PATH, {
      body: {
        apiVersion: GROUP_VERSION,
        kind: 'ZipProject',
        metadata: { name: PROJECT_NAME, labels: { [LABELS.projectClass]: 'large' } },
        spec: { limits: { requestsPerMinute: 5_000 } },
      },
    });
    expect(created.status).to.equal(201);
    await until('the token to be accepted again', async () => (await limitOf(project.token)) !== undefined, {
      intervalMs: 200,
    });
    expect(await limitOf(project.token)).to.equal(LIMITS.small);
    await untilClass('small');
  });

  it('is the class default without a label and for an unknown class (N8)', async () => {
    expect((await label(admin, 'no-such-class')).status).to.equal(200);
    await untilLimit(LIMITS.default);
    await untilClass('default');
    await until('the message about the unknown class', async () =>
      (await statusOf())?.conditions?.some(({ message }) =>
        message.includes('has the class "no-such-class", which does not exist'),
      ),
    );
    expect((await label(admin, 'large')).status).to.equal(200);
    await untilLimit(LIMITS.large);
    expect((await label(admin, null)).status).to.equal(200);
    await untilLimit(LIMITS.default);
  });

  it('needs the permission "assign", also for a user who may edit namespaces (N8)', async () => {
    await using cleanup = new AsyncDisposableStack();
    const paula = cleanup.use(await signIn(cluster, { commonName: 'paula' }));
    async function grant(name: string, rule: Readonly<Record<string, readonly string[]>>): Promise<void> {
      await applyObjects(cluster, [
        { apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules: [rule] },
        {
          apiVersion: RBAC,
          kind: 'ClusterRoleBinding',
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'paula' }],
        },
      ]);
      cleanup.defer(async () => {
        await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', name]);
      });
    }
    await grant('test-namespace-editor', {
      apiGroups: [''],
      resources: ['namespaces'],
      verbs: ['create', 'patch'],
    });
    function other() {
      return paula.request('PATCH', NAMESPACE_PATH, { body: { metadata: { labels: { a: 'b' } } } });
    }
    await until('a namespace editor to be allowed', async () => (await other()).status === 200);
    const metadata = { name: 'classes-new', labels: { [LABELS.projectClass]: 'large' } };
    for (const { status, message } of [
      await label(paula, 'large'),
      await paula.request('POST', '/api/v1/namespaces?dryRun=All', { body: { metadata } }),
    ]) {
      expect(status, message).to.equal(403);
      expect(message).to.contain('"assign" on projectclasses.zipjobs.dev');
    }
    await grant('test-class-assigner', {
      apiGroups: ['zipjobs.dev'],
      resources: ['projectclasses'],
      verbs: ['assign'],
    });
    await until('the permission to assign', async () => (await label(paula, 'large')).status === 200);
    await untilLimit(LIMITS.large);
  });
}
