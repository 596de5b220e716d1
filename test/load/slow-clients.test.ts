/** Clients that keep their connections busy. The timeouts of the API are shorter than by default. */

import { expect } from 'chai';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { openSlowClients } from '#test/support/clients/slow-clients.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';

const SLOW = sized(200, 1_000);
const PATH = '/v1/zips/00000000-0000-4000-8000-000000000000';
const LIMITS_MS = { headers: 2_000, request: 5_000 };
/** So that no socket is ever idle. */
const BYTE_EVERY_MS = 1_000;

describe(`${SLOW} clients that send a byte every second`, function () {
  this.timeout(180_000);
  let project: Project;
  let api: ServerProcess;

  before(async () => {
    const cluster = await sharedCluster();
    await sharedInstallation();
    project = await createProject(cluster, { namespace: 'slow-clients' });
    const env = {
      ...unsupported({ HEADERS_TIMEOUT_MS: LIMITS_MS.headers }),
      REQUEST_TIMEOUT_MS: String(LIMITS_MS.request),
    };
    api = await startApiProcess(cluster, { env });
    await untilTokenKnown(api.url, project.token);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  it('get a timeout while the API serves every normal request (T14)', async () => {
    const { token } = project;
    using slow = openSlowClients({ url: api.url, count: SLOW, everyMs: BYTE_EVERY_MS, token });
    await until('the slow clients to be connected', () => slow.connected === SLOW);
    const statuses = new Map<number, number>();
    async function ask(method: 'GET' | 'POST'): Promise<void> {
      const isPost = method === 'POST';
      const request = { method, path: isPost ? '/v1/zips' : PATH, token, ...(isPost && { body: '{}' }) };
      const { status } = await askApi(api.url, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    let sent = 0;
    await until(
      'the slow clients to be gone',
      async () => {
        await Promise.all([ask('GET'), ask('POST')]);
        sent += 1;
        return slow.closed === SLOW;
      },
      { limitMs: LIMITS_MS.request + 60_000 },
    );
    console.log(
      `      ${sent} normal requests of each kind, the longest slow one lasted ${slow.longestMs} ms`,
    );
    expect(Object.fromEntries(statuses)).to.deep.equal({ 404: sent, 422: sent });
    expect(slow.responded408).to.equal(SLOW);
    expect(slow.longestMs).to.be.greaterThan(LIMITS_MS.headers);
  });
});
