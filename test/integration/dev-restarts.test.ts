/**
 * `npm run dev` on the shared installation. The test only touches files of the checkout; their content stays.
 */
import { utimes } from 'node:fs/promises';
import { expect } from 'chai';
import { startForwarder } from '#test/dev/port-forwarder.ts';
import { restartOnChange } from '#test/dev/restart-on-change.ts';
import {
  adminApi,
  componentPods,
  leadingPod,
  untilTwoControllers,
} from '#test/support/processes/controller-pods.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { podRoutes, sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const API = { labels: 'app.kubernetes.io/component=api', port: 8080 };

describe('restartOnChange', function () {
  this.timeout(480_000);
  let stack: AsyncDisposableStack;
  let cluster: Cluster;
  let apiUrl: string;
  let api: KubeApi;
  let printed: string[];
  /** Status codes and errors of all requests to the API. */
  let responses: Set<number | string>;

  function touch(path: string): Promise<void> {
    return utimes(path, new Date(), new Date());
  }
  function uids(): readonly string[] {
    return componentPods(cluster, 'controller').map(({ uid }) => uid);
  }
  /** Waits for a text and sends requests to the API meanwhile. */
  function untilPrinted(what: string): Promise<string> {
    return until(
      `${what} to be printed`,
      async () => {
        responses.add(await fetch(`${apiUrl}/openapi.json`).then(({ status }) => status, String));
        return printed.find((text) => text.startsWith(what));
      },
      { limitMs: 180_000, intervalMs: 100 },
    );
  }

  beforeEach(async () => {
    stack = new AsyncDisposableStack();
    cluster = await sharedCluster();
    await sharedInstallation();
    api = stack.use(await adminApi(cluster));
    const forwarder = await startForwarder({
      port: 0,
      target: async (signal) => ({
        host: await cluster.readyPodAddress(RELEASE_NAMESPACE, API.labels, signal),
        port: API.port,
      }),
    });
    apiUrl = stack.use(forwarder).url;
    printed = [];
    responses = new Set();
    function print(text: string): void {
      printed.push(text);
    }
    const { signal } = new AbortController();
    stack.use(restartOnChange({ cluster, api, values: {}, print, signal }));
  });
  afterEach(async () => {
    podRoutes.extraEnvFor = undefined;
    await stack.disposeAsync();
  });

  it('keeps the controllers while a new one fails to start, and replaces them at the next save', async () => {
    const before = (await untilTwoControllers(cluster)).map(({ uid }) => uid);
    podRoutes.extraEnvFor = (pod) =>
      pod.metadata.name.includes('-controller-') ? { LOG_LEVEL: 'loud' } : {};
    await touch('controller/main.ts');
    const failure = await untilPrinted('controller/main.ts changed, but');
    expect(failure).to.contain('controller failed to start. The end of its log:\n').and.contain('LOG_LEVEL');
    expect(failure).to.contain('The previous controller keeps running.');
    expect(uids()).to.include.members([...before]);

    podRoutes.extraEnvFor = undefined;
    await touch('controller/main.ts');
    const success = await untilPrinted('controller restarted');
    expect(success).to.match(/^controller restarted after controller\/main\.ts changed \(\d+\.\d s\)$/);
    expect(uids()).to.have.length(before.length);
    expect(uids().filter((uid) => before.includes(uid))).to.deep.equal([]);
    expect(uids()).to.contain((await leadingPod(cluster, api)).uid);
    expect([...responses]).to.deep.equal([200]);
  });
});
