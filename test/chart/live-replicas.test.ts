/** The chart with a Deployment in the cluster: Helm reads it from a server on loopback that has nothing else. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { helm } from './helm-session.ts';
import { CHART, find, type KubeObject, NAMESPACE, objectsIn, render, valueFlags } from './render.ts';

const AUTOSCALING = { 'image.registry': 'registry.example.com', 'api.autoscaling.enabled': true };

/** The lists of kinds that Helm asks for, with those of these objects. */
function discoveryOf(objects: readonly KubeObject[]): ReadonlyMap<string, object> {
  const byVersion = Map.groupBy(objects, ({ apiVersion }) => apiVersion);
  function versionOf(groupVersion: string) {
    return { groupVersion, version: groupVersion.split('/')[1] };
  }
  const groups = [...byVersion.keys()]
    .filter((groupVersion) => groupVersion.includes('/'))
    .map((groupVersion) => ({ name: groupVersion.split('/')[0], versions: [versionOf(groupVersion)] }));
  const kinds = [...byVersion].map(([groupVersion, ofVersion]): readonly [string, object] => {
    const resources = ofVersion.map(({ kind, metadata: { namespace } }) => ({
      name: `${kind.toLowerCase()}s`,
      kind,
      namespaced: namespace !== undefined,
      verbs: ['get'],
    }));
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    return [path, { kind: 'APIResourceList', groupVersion, resources }];
  });
  return new Map<string, object>([
    ['/version', { major: '1', minor: '34', gitVersion: 'v1.34.0' }],
    ['/api', { kind: 'APIVersions', versions: ['v1'] }],
    ['/apis', { kind: 'APIGroupList', groups }],
    ...kinds,
  ]);
}

const NOT_FOUND = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 };

/** The replicas of the API that an upgrade to autoscaling writes, when the live Deployment has so many. */
async function upgraded(replicas: number): Promise<unknown> {
  const objects = await render(AUTOSCALING);
  const { metadata, ...deployment } = find(objects, 'Deployment', 'zipjobs-api');
  const annotations = {
    'meta.helm.sh/release-name': 'zipjobs',
    'meta.helm.sh/release-namespace': NAMESPACE,
  };
  const live = { ...deployment, metadata: { ...metadata, annotations }, spec: { replicas } };
  const responses = new Map([
    ...discoveryOf(objects),
    [`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/zipjobs-api`, live],
  ]);
  const server = createServer((request, response) => {
    const found = responses.get(new URL(request.url ?? '/', 'http://server').pathname);
    response
      .writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(found ?? NOT_FOUND));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const cluster = ['--dry-run=server', '--disable-openapi-validation', '--kube-apiserver', address];
    const release = ['template', 'zipjobs', CHART, '--namespace', NAMESPACE];
    const text = await helm([...release, ...cluster, ...valueFlags(AUTOSCALING)]);
    return (find(objectsIn(text), 'Deployment', 'zipjobs-api')['spec'] as KubeObject)['replicas'];
  } finally {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

describe('an upgrade that enables the autoscaler of the API', function () {
  this.timeout(30 * 60_000);

  it('keeps the pods that run, and starts at least the minimum (BC6)', async () => {
    expect(await upgraded(4)).to.equal(4);
    expect(await upgraded(1)).to.equal(2);
  });
});
