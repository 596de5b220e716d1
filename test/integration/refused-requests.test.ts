/** Refused requests from the API to the dashboard and the command line, with real reviews of the dashboard's token. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { REFUSED_AUDIENCE, REFUSED_PATH } from '#runtime/refused-requests/refused-request.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import { startDashboardProcess } from '#test/support/processes/dashboard-process.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { createVisitor } from '#test/support/servers/dashboard-server.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';

const ACCOUNT = 'zipjobs-dashboard';

describe('refused requests', function () {
  this.timeout(180_000);
  let flow: Flow;
  before(async () => {
    flow = await startFlow('refused-requests');
  });
  after(() => flow[Symbol.asyncDispose]());

  async function tokenFor(audience?: string): Promise<string> {
    const more = audience === undefined ? [] : ['--audience', audience];
    const { stdout } = await flow.cluster.kubectl([
      'create',
      'token',
      ACCOUNT,
      '-n',
      RELEASE_NAMESPACE,
      ...more,
    ]);
    return stdout.trim();
  }

  it('are shown in the dashboard and to programs, and to no other token', async () => {
    await using life = new AsyncDisposableStack();
    const { cluster, project } = flow;
    const reader = `system:serviceaccount:${RELEASE_NAMESPACE}:${ACCOUNT}`;
    const api = life.use(await startApiProcess(cluster, { env: { REFUSED_REQUESTS_READER: reader } }));
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-token-'));
    life.defer(() => rm(directory, { recursive: true }));
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, await tokenFor(REFUSED_AUDIENCE));
    const dashboard = life.use(
      await startDashboardProcess(cluster, {
        env: { DASHBOARD_API_ADMIN_URL: api.adminUrl, DASHBOARD_API_TOKEN_FILE: tokenFile },
      }),
    );

    await untilTokenKnown(api.url, project.token);
    const { status } = await askApi(api.url, {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      headers: { 'x-request-id': 'support-case-1' },
      body: JSON.stringify({ bucket_name: project.bucketName, key: 'a.zip', urls: [{ url: 'x' }] }),
    });
    expect(status).to.equal(422);

    const user = await flow.cluster.kubectl(['create', 'token', 'default', '-n', 'default']);
    await cluster.kubectl([
      'create',
      'rolebinding',
      'refused-viewer',
      '--clusterrole=view',
      '--serviceaccount=default:default',
      '-n',
      project.namespace,
    ]);
    await untilAllowed(cluster, {
      user: 'system:serviceaccount:default:default',
      verb: 'list',
      resource: 'zipjobs.zipjobs.dev',
      namespace: project.namespace,
    });
    const visitor = createVisitor(dashboard.url);
    const headers = { authorization: `Bearer ${user.stdout.trim()}` };
    const response = await visitor.get(
      `/refused/projects/${project.namespace}/requests?id=support-case-1`,
      headers,
    );
    const { requests } = JSON.parse(response.text) as { requests: readonly Record<string, unknown>[] };
    expect(requests.map(({ code, param }) => [code, param])).to.deep.equal([
      ['parameter_invalid', 'urls[0]'],
    ]);
    expect(requests[0]).not.to.have.property('token');

    const path = `${api.adminUrl}${REFUSED_PATH}?project=00000000-0000-4000-8000-000000000000`;
    for (const other of [await tokenFor(), user.stdout.trim(), project.token]) {
      const refused = await fetch(path, { headers: { authorization: `Bearer ${other}` } });
      expect(refused.status).to.equal(401);
    }
  });
});
