/** A job whose source, store and webhook have certificates of private authorities, with the bundle of the chart. */
import { expect } from 'chai';
import { bucketResourceName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificateText, startTlsFront, type TlsFront } from '#test/support/servers/tls-front.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { Installed } from './installed.ts';

const NAMESPACE = 'private-ca';
const CONFIG_MAP = { name: 'corporate-ca', key: 'bundle.pem' };

export const TRUST_BUNDLE = { configMapKeyRef: CONFIG_MAP };

/** Creates the bundle, which must be there before the chart is installed. */
export function applyBundle(cluster: Cluster): Promise<void> {
  return cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RELEASE_NAMESPACE } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: CONFIG_MAP.name, namespace: RELEASE_NAMESPACE },
      data: { [CONFIG_MAP.key]: `# Private authority\n${certificateText('private-ca.pem')}` },
    },
  ]);
}

export function describePrivateAuthorities(theInstalled: () => Installed): void {
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let baseUrl: string;
  let project: Project;
  let receiver: WebhookReceiver;
  let source: TlsFront;
  let store: TlsFront;

  before(async () => {
    ({ cluster, baseUrl } = theInstalled());
    const origin = life.use(await startFileOrigin());
    receiver = life.use(await startWebhookReceiver());
    source = life.use(await startTlsFront(origin.origin));
    const hook = life.use(await startTlsFront(receiver.url));
    store = life.use(await startTlsFront(cluster.store.endpoint, 'loopback.pem'));
    project = life.use(await createProject(cluster, { namespace: NAMESPACE, webhookUrl: hook.url }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    receiver.trust(project.webhookSecret);
    await untilTokenKnown(baseUrl, project.token);
  });
  after(() => life.disposeAsync());

  function bucketName(): string {
    return bucketResourceName('s3', project.bucketName);
  }
  /** Changes the bucket, tests it and returns its condition Ready. */
  async function readyAfter(spec: Readonly<Record<string, string | null>>) {
    const patch = JSON.stringify({ spec });
    await cluster.kubectl(['patch', 'zipbucket', bucketName(), '-n', NAMESPACE, '--type=merge', '-p', patch]);
    const { status } = await testBucket(cluster, NAMESPACE, bucketName());
    return findCondition(status?.conditions, 'Ready');
  }

  it("has a store that the chart's bundle is enough to trust (X22)", async () => {
    await using other = await startTlsFront(cluster.store.endpoint);
    const ready = await readyAfter({ endpoint: other.url, caBundle: null });
    expect(ready, JSON.stringify(ready)).to.include({ status: 'True', reason: 'BucketTested' });
  });

  it("succeeds from source to webhook, with the chart's bundle and the bucket's own (X22)", async () => {
    const refused = await readyAfter({ endpoint: store.url, caBundle: null });
    expect(refused, JSON.stringify(refused)).to.include({ status: 'False', reason: 'BucketMisconfigured' });
    expect(refused?.message).to.contain('add the authority to spec.caBundle of the bucket');
    const ready = await readyAfter({ endpoint: store.url, caBundle: store.authority });
    expect(ready, JSON.stringify(ready)).to.include({ status: 'True' });
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: 'private.zip',
      urls: [{ url: `${source.url}/gen/100000/1`, filename: 'a.bin' }],
    });
    await project.untilPhase(uuid, ['Succeeded']);
    await receiver.next(({ body }) => body.includes(uuid) && body.includes('COMPLETED'));
    expect(await project.bucket.keys()).to.deep.equal(['private.zip']);
  });

  it('refuses a caBundle that is not a list of certificates (X22)', async () => {
    for (const caBundle of [
      'certificate',
      `${store.authority}${certificateText('server.key')}`,
      'A'.repeat(16_385),
    ]) {
      const patch = JSON.stringify({ spec: { caBundle } });
      const args = ['patch', 'zipbucket', bucketName(), '-n', NAMESPACE, '--type=merge', '-p', patch];
      const { stderr } = await cluster.kubectl(args, { allowFailure: true });
      expect(stderr).to.contain('spec.caBundle');
    }
  });
}
