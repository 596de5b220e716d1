/** The API and the dashboard with certificates of their own, which are renewed while they run. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const NAMESPACE = 'tls-to-pods';
const SECRET = 'zips-tls';
const [PORT, ADMIN_PORT] = [8080, 9090];
const CA = [certificateText('private-ca.pem'), certificateText('loopback.pem')];
interface ApiPod {
  readonly metadata: ObjectMeta;
  readonly status: { readonly containerStatuses?: readonly { readonly restartCount: number }[] };
}
const UNKNOWN_ID = '00000000-0000-0000-0000-000000000000';

function secretWith(certificate: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { namespace: RELEASE_NAMESPACE, name: SECRET },
    stringData: { 'tls.crt': certificateText(certificate), 'tls.key': certificateText('server.key') },
  };
}

export function describeTls(): void {
  const life = new AsyncDisposableStack();
  let cluster: Cluster;
  let host: string;
  let project: Project;

  before(async () => {
    life.defer(forgetInstallation);
    cluster = await sharedCluster();
    await cluster.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RELEASE_NAMESPACE } },
      secretWith('private.pem'),
    ]);
    await installChart(cluster, { api: { tls: { secretName: SECRET } }, controller: { replicas: 1 } });
    host = await cluster.readyPodAddress(RELEASE_NAMESPACE, 'app.kubernetes.io/component=api');
    project = life.use(await createProject(cluster, { namespace: NAMESPACE }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
    });
  });
  after(() => life.disposeAsync());

  /** A request for a job that does not exist, on a new connection. */
  async function ask(): Promise<{ readonly status: number | undefined; readonly fingerprint: string }> {
    const headers = { authorization: `Bearer ${project.token}` };
    // The certificates do not have the address of the pod.
    const tls = { ca: CA, agent: false, checkServerIdentity: () => undefined };
    const sent = get({ host, port: PORT, path: `/v1/zips/${UNKNOWN_ID}`, headers, ...tls });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
    await text(response);
    return { status: response.statusCode, fingerprint: fingerprint256 };
  }
  async function podsOfApi() {
    const selector = ['-n', RELEASE_NAMESPACE, '-l', 'app.kubernetes.io/component=api'];
    const { stdout } = await cluster.kubectl(['get', 'pods', ...selector, '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: readonly ApiPod[] };
    // Those of the release before may still be terminating.
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata: { uid }, status }) => [uid, status.containerStatuses?.[0]?.restartCount]);
  }

  it('responds over HTTPS, and to plain HTTP with nothing (X54)', async () => {
    await until('the API to know the token', async () => (await ask()).status === 404, { intervalMs: 100 });
    for (const port of [PORT, ADMIN_PORT]) {
      const plain = connect(port, host);
      plain.on('error', () => undefined);
      plain.write(
        `GET /v1/zips/${UNKNOWN_ID} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${project.token}\r\n\r\n`,
      );
      expect(await text(plain).catch(() => '')).not.to.contain('HTTP/');
    }
  });

  it('serves a renewed certificate without a restart (X54)', async () => {
    const [before, pods] = [await ask(), await podsOfApi()];
    await cluster.apply([secretWith('loopback.pem')]);
    await until('the renewed certificate', async () => (await ask()).fingerprint !== before.fingerprint, {
      limitMs: 60_000,
      intervalMs: 200,
    });
    expect((await ask()).status).to.equal(404);
    expect(await podsOfApi()).to.deep.equal(pods);
  });
}
