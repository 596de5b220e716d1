/** A job whose source, store and webhook are reached only through the proxies of the chart, which resolve their names. */
import { expect } from 'chai';
import { bucketResourceName } from '#crds/api-group.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { type ConnectProxy, proxyVariables, startConnectProxy } from '#test/support/servers/connect-proxy.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificateText, startTlsFront, type TlsFront } from '#test/support/servers/tls-front.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import { podRoutes, sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'behind-proxies';
const CONFIG_MAP = { name: 'proxied-ca', key: 'ca-bundle.crt' };
const SECRET = 'proxy-login';
const [USERNAME, PASSWORD] = ['zip', 'CANARY-of-the-proxy'];

function namespace(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function login(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: name, name: SECRET },
    stringData: { username: USERNAME, password: PASSWORD },
  };
}

const bundle = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: CONFIG_MAP.name, namespace: RELEASE_NAMESPACE },
  data: { [CONFIG_MAP.key]: certificateText('private-ca.pem') },
};

/** The loopback address stays closed for sources and webhooks: only the proxy connects to it. */
function valuesOf(url: string) {
  const proxy = { url, credentialSecretRef: SECRET };
  return {
    proxy: { sources: proxy, stores: proxy, webhooks: proxy },
    trustBundle: { configMapKeyRef: CONFIG_MAP },
    controller: { replicas: 1 },
    egress: { allowCidrs: [] },
    store: { allowedHosts: ['store.test.example'] },
    networkPolicies: { enabled: true, apiServerCidrs: ['127.0.0.1/32'], proxyCidrs: ['127.0.0.1/32'] },
  };
}

export function describeProxies(): void {
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let baseUrl: string;
  let project: Project;
  let receiver: WebhookReceiver;
  let fronts: Readonly<Record<'files' | 'store' | 'hooks', TlsFront>>;
  let proxy: ConnectProxy;
  /** In the environment of every process. */
  let decoy: ConnectProxy;

  async function startServers(): Promise<void> {
    const origin = life.use(await startFileOrigin());
    receiver = life.use(await startWebhookReceiver());
    fronts = {
      files: life.use(await startTlsFront(origin.origin)),
      store: life.use(await startTlsFront(cluster.store.endpoint)),
      hooks: life.use(await startTlsFront(receiver.url)),
    };
    function refuse(target: string): number | undefined {
      return target.startsWith('closed.') ? 403 : undefined;
    }
    proxy = life.use(await startConnectProxy({ credentials: `${USERNAME}:${PASSWORD}`, refuse }));
    decoy = life.use(await startConnectProxy());
    const env = proxyVariables(decoy.url);
    podRoutes.extraEnvFor = () => env;
    life.defer(() => {
      podRoutes.extraEnvFor = undefined;
    });
  }

  before(async () => {
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    await startServers();
    await applyObjects(cluster, [
      namespace(RELEASE_NAMESPACE),
      namespace(NAMESPACE),
      login(RELEASE_NAMESPACE),
      login(NAMESPACE),
      bundle,
    ]);
    baseUrl = await (await installChart(cluster, valuesOf(proxy.url))).apiUrl();
    const webhookUrl = `https://hooks.test.example:${fronts.hooks.port}`;
    project = life.use(await createProject(cluster, { namespace: NAMESPACE, webhookUrl }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
    receiver.trust(project.webhookSecret);
    const spec = { endpoint: `https://store.test.example:${fronts.store.port}` };
    const bucket = bucketResourceName('s3', project.bucketName);
    const patch = JSON.stringify({ spec });
    await cluster.kubectl(['patch', 'zipbucket', bucket, '-n', NAMESPACE, '--type=merge', '-p', patch]);
    await untilTokenKnown(baseUrl, project.token);
  });
  after(() => life.disposeAsync());

  function post(host: string, key: string): Promise<string> {
    return postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key,
      urls: [{ url: `https://${host}:${fronts.files.port}/gen/100000/1`, filename: 'a.bin' }],
    });
  }

  it('succeeds from source to webhook, and no process uses the proxy of its environment (X23)', async () => {
    const uuid = await post('files.test.example', 'proxied.zip');
    await project.untilPhase(uuid, ['Succeeded']);
    await receiver.next(({ body }) => body.includes(uuid) && body.includes('COMPLETED'));
    expect(await project.bucket.keys()).to.deep.equal(['proxied.zip']);
    expect([...new Set(proxy.targets)]).to.have.members([
      `files.test.example:${fronts.files.port}`,
      `store.test.example:${fronts.store.port}`,
      `hooks.test.example:${fronts.hooks.port}`,
    ]);
    expect([...decoy.targets, ...decoy.others]).to.deep.equal([]);
  });

  it('fails with a code of its own if the proxy refuses a source, and shows no credentials (X23)', async () => {
    const { status } = await project.untilPhase(await post('closed.test.example', 'refused.zip'), ['Failed']);
    expect(status?.failure, JSON.stringify(status)).to.include({ code: 'SourceProxyForbidden' });
    expect(status?.failure?.message).to.contain('the proxy for sources');
    const { stdout } = await cluster.kubectl([
      'get',
      'zipjobs,jobs,pods,events',
      '-n',
      NAMESPACE,
      '-o',
      'yaml',
    ]);
    expect(stdout).not.to.contain(PASSWORD);
  });
}
