/** The API server assigns the requests of our service accounts to the FlowSchema of the chart. */
import { expect } from 'chai';
import { Agent } from 'undici';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import type { Installed } from './installed.ts';

export function describeFlowControl(theInstalled: () => Installed): void {
  it('has a level of its own for our requests, and for no others (G1)', async () => {
    const { cluster } = theInstalled();
    const { stdout: uid } = await cluster.kubectl([
      'get',
      'flowschema',
      'zipjobs',
      '-o',
      'jsonpath={.metadata.uid}',
    ]);
    async function schemaOf(account: string): Promise<string> {
      const { stdout } = await cluster.kubectl(['create', 'token', account, '-n', RELEASE_NAMESPACE]);
      const agent = new Agent({ connect: { ca: cluster.apiServer.ca }, allowH2: false });
      const { headers, body } = await agent.request({
        origin: cluster.apiServer.url,
        path: '/apis/zipjobs.dev/v1alpha1/zipjobs?limit=1',
        method: 'GET',
        headers: { authorization: `Bearer ${stdout.trim()}` },
      });
      await body.dump();
      await agent.close();
      return String(headers['x-kubernetes-pf-flowschema-uid']);
    }
    for (const account of ['zipjobs-api', 'zipjobs-controller'])
      await until(`the FlowSchema to apply to ${account}`, async () => (await schemaOf(account)) === uid);
    expect(await schemaOf('default'))
      .to.match(/^[0-9a-f-]{36}$/)
      .and.not.equal(uid);
  });
}
