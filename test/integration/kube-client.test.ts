import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createKubeClient, type KubeClient } from '#runtime/kube/client/client.ts';
import { decoderOf, isRecord } from '#runtime/kube/client/decode.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';
import { isKubeError, type KubeError } from '#runtime/kube/client/kube-error.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { findQuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { KubeObject, ObjectClient, ResourceDefinition } from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

interface Note extends KubeObject {
  readonly spec?: { readonly text?: string; readonly color?: string };
  readonly status?: { readonly seen?: boolean; readonly by?: string };
}

/** A kind of its own, so that nothing else in the cluster interferes. */
const NOTES: ResourceDefinition<Note> = {
  apiVersion: 'kube-client.test/v1',
  plural: 'notes',
  kind: 'Note',
  decode: decoderOf<Note>({ kind: 'Note', optional: ['spec', 'status'] }),
};
const CRD_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/notes.kube-client.test';
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'notes.kube-client.test' },
  spec: {
    group: 'kube-client.test',
    scope: 'Namespaced',
    names: { kind: 'Note', plural: 'notes', singular: 'note', listKind: 'NoteList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
const SETTINGS = {
  kubeconfig: '',
  serviceAccountDir: '',
  kubernetesHost: '',
  kubernetesPort: 443,
  kubeRequestTimeoutMs: 10_000,
};
const NAMESPACE = 'kube-client';
const log = createLogger('test', { level: 'silent' });

async function rejection(promise: Promise<unknown>): Promise<KubeError> {
  try {
    await promise;
  } catch (error) {
    if (isKubeError(error)) return error;
    throw error;
  }
  throw new Error('the request did not fail');
}

function aNote(name: string, text: string): Note {
  return {
    metadata: { namespace: NAMESPACE, name },
    spec: { text },
  };
}

describe('the Kubernetes client on a real API server', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let kube: KubeClient;
  let notes: ObjectClient<Note>;

  async function define(): Promise<void> {
    await kube.request({
      method: 'PATCH',
      path: CRD_PATH,
      patchType: 'apply',
      query: { fieldManager: 'test' },
      body: CRD,
    });
  }

  before(async () => {
    cluster = await sharedCluster();
    const access = await createKubeConfig({ ...SETTINGS, kubeconfig: cluster.kubeconfigPath });
    kube = createKubeClient({ access, requestTimeoutMs: 10_000 });
    notes = createObjectClient(kube, NOTES);
    await createObjectClient(kube, RESOURCES.namespaces).create({
      metadata: { namespace: '', name: NAMESPACE },
    });
    expect((await rejection(notes.get(NAMESPACE, 'none'))).code).to.equal('NotServed');
    await define();
    await until('the new kind to be served', async () => (await notes.get(NAMESPACE, 'none')) === undefined);
  });

  after(async () => {
    await kube.request({ method: 'DELETE', path: CRD_PATH });
    await kube.request({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}` });
    await kube[Symbol.asyncDispose]();
  });

  it('creates, reads, changes, lists and deletes', async () => {
    const created = await notes.create(aNote('one', 'first'));
    expect(created?.metadata.uid).to.be.a('string');
    expect(await notes.create(aNote('one', 'second'))).to.equal(undefined);
    expect((await notes.get(NAMESPACE, 'one'))?.spec).to.deep.equal({ text: 'first' });
    const target = { namespace: NAMESPACE, name: 'one' };
    expect((await notes.mergePatch(target, { spec: { color: 'red' } })).spec).to.deep.equal({
      text: 'first',
      color: 'red',
    });
    await notes.create({
      ...aNote('two', 'x'),
      metadata: { namespace: NAMESPACE, name: 'two', labels: { a: 'b' } },
    });
    expect((await notes.list({ namespace: NAMESPACE })).length).to.equal(2);
    expect((await notes.list({ labelSelector: 'a=b' })).map(({ metadata }) => metadata.name)).to.deep.equal([
      'two',
    ]);
    expect(await notes.delete(NAMESPACE, 'one', { uid: 'another' })).to.equal(false);
    expect(await notes.delete(NAMESPACE, 'one', { uid: created?.metadata.uid ?? '' })).to.equal(true);
    expect(await notes.delete(NAMESPACE, 'one')).to.equal(false);
    expect(await notes.get(NAMESPACE, 'one')).to.equal(undefined);
  });

  it('applies the status as two field managers, each with its own fields', async () => {
    const metadata = { namespace: NAMESPACE, name: 'applied' };
    await notes.apply({ metadata, spec: { text: 'x' } }, { fieldManager: 'maker' });
    await notes.apply({ metadata, status: { seen: true } }, { fieldManager: 'a', subresource: 'status' });
    await notes.apply({ metadata, status: { by: 'b' } }, { fieldManager: 'b', subresource: 'status' });
    expect((await notes.get(NAMESPACE, 'applied'))?.status).to.deep.equal({ seen: true, by: 'b' });
    const after = await notes.apply({ metadata, status: {} }, { fieldManager: 'a', subresource: 'status' });
    expect([after.spec, after.status]).to.deep.equal([{ text: 'x' }, { by: 'b' }]);
    const taken = notes.apply(
      { metadata, status: { by: 'c' } },
      { fieldManager: 'c', subresource: 'status', force: false },
    );
    expect((await rejection(taken)).code).to.equal('Conflict');
  });

  it('refuses writes that are based on an old version (F3)', async () => {
    const old = await notes.create(aNote('versions', 'a'));
    if (!old) throw new Error('the object already exists');
    await notes.replace({ ...old, spec: { text: 'b' } });
    expect((await rejection(notes.replace({ ...old, spec: { text: 'c' } }))).code).to.equal('Conflict');
    const { resourceVersion = '' } = old.metadata;
    const patch = { metadata: { resourceVersion }, spec: { text: 'c' } };
    const refused = await rejection(notes.mergePatch({ namespace: NAMESPACE, name: 'versions' }, patch));
    expect([refused.code, refused.retryable, refused.httpStatus]).to.deep.equal(['Conflict', true, 409]);
  });

  it('reports errors by code, and the numbers of a quota (X38)', async () => {
    const secrets = createObjectClient(kube, RESOURCES.secrets);
    const invalid = { metadata: { namespace: NAMESPACE, name: 'Not_a_name' } };
    expect((await rejection(secrets.create(invalid))).code).to.equal('Invalid');
    const elsewhere = { metadata: { namespace: 'no-such-namespace', name: 'a' } };
    expect((await rejection(secrets.create(elsewhere))).code).to.equal('NotFound');
    const huge = { metadata: { namespace: NAMESPACE, name: 'huge' }, data: { a: 'A'.repeat(4_000_000) } };
    expect((await rejection(secrets.create(huge))).code).to.be.oneOf(['TooLarge', 'Invalid']);
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { secrets: '0' } },
    };
    await kube.request({
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/resourcequotas`,
      body: quota,
    });
    const error = await until('the quota to take effect', async () => {
      const name = `quota-${Math.random().toString(36).slice(2)}`;
      return secrets.create({ metadata: { namespace: NAMESPACE, name } }).then(
        () => undefined,
        (thrown: unknown) => (isKubeError(thrown) ? thrown : undefined),
      );
    });
    expect(error.code).to.equal('QuotaExceeded');
    const { name, exceeded = [] } = findQuotaRefusal(error.said) ?? {};
    expect([name, exceeded.length]).to.deep.equal(['none', 1]);
    expect(exceeded[0]).to.include({ resource: 'secrets', requested: '1', hard: '0' });
  });

  it("signs in with a service account's token file", async () => {
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default/token`;
    const accounts = createObjectClient(kube, RESOURCES.serviceAccounts);
    await until('the service account', () => accounts.get(NAMESPACE, 'default'));
    const response = await kube.request({ method: 'POST', path, body: { spec: {} } });
    const status = isRecord(response) && isRecord(response['status']) ? response['status'] : {};
    const dir = await mkdtemp(join(tmpdir(), 'token-'));
    try {
      await writeFile(join(dir, 'token'), `${String(status['token'])}\n`);
      await writeFile(join(dir, 'ca.crt'), cluster.apiServer.ca);
      const { hostname, port } = new URL(cluster.apiServer.url);
      const settings = {
        ...SETTINGS,
        serviceAccountDir: dir,
        kubernetesHost: hostname,
        kubernetesPort: Number(port),
      };
      await using pod = createKubeClient({
        access: await createKubeConfig(settings),
        requestTimeoutMs: 5_000,
      });
      const error = await rejection(createObjectClient(pod, RESOURCES.secrets).get(NAMESPACE, 'a'));
      expect(error.code).to.equal('Forbidden');
      expect(error.message).to.include(`system:serviceaccount:${NAMESPACE}:default`);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it('says that a kind is not served while its definition is deleted, and follows the restored one (X57)', async () => {
    const kept = { namespace: NAMESPACE, name: 'kept' };
    await notes.create({ metadata: { ...kept, finalizers: ['kube-client.test/keep'] } });
    const reflector = createReflector({
      kube,
      definition: NOTES,
      namespace: NAMESPACE,
      onChange: () => undefined,
      log,
      settings: { minBackoffMs: 10, maxBackoffMs: 100 },
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await reflector.synced(AbortSignal.timeout(60_000));
    const seen = new Set<string>();
    async function untilNotServed(what: string, call: () => Promise<unknown>): Promise<void> {
      await until(what, () =>
        call().then(
          () => false,
          (thrown: unknown) => {
            if (!isKubeError(thrown)) throw thrown;
            seen.add(thrown.code);
            expect(thrown.retryable, thrown.message).to.equal(true);
            return thrown.code === 'NotServed';
          },
        ),
      );
    }
    await kube.request({ method: 'DELETE', path: CRD_PATH });
    await untilNotServed('creates to be refused', () => notes.create(aNote('refused', 'x')));
    await notes.mergePatch(kept, { metadata: { finalizers: null } });
    await untilNotServed('reads to be refused', () => notes.get(NAMESPACE, 'kept'));
    await define();
    await until('the kind to be served again', () =>
      notes.create(aNote('restored', 'x')).catch((thrown: unknown) => {
        expect(isKubeError(thrown) && thrown.retryable, String(thrown)).to.equal(true);
        return undefined;
      }),
    );
    await until('the restored object', () => reflector.get(`${NAMESPACE}/restored`));
    expect(reflector.get(`${NAMESPACE}/kept`)).to.equal(undefined);
    expect([...seen]).to.include('NotServed');
    stop.abort();
    await running;
    await notes.delete(NAMESPACE, 'restored');
  });

  it('receives a list as a watch, without pages (G1)', async () => {
    for (const name of ['w1', 'w2']) await notes.create(aNote(name, 'x'));
    const requests: string[] = [];
    const recorded: KubeClient = {
      ...kube,
      request: (request) => {
        requests.push(`list ${JSON.stringify(request.query)}`);
        return kube.request(request);
      },
      stream: (request) => {
        requests.push(request.query?.['sendInitialEvents'] === true ? 'list as a watch' : 'watch');
        return kube.stream(request);
      },
    };
    const changes: string[] = [];
    const reflector = createReflector({
      kube: recorded,
      definition: NOTES,
      namespace: NAMESPACE,
      onChange: ({ kind, key }) => changes.push(`${kind} ${key}`),
      log,
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await reflector.synced(AbortSignal.timeout(60_000));
    expect(changes).to.include.members([`set ${NAMESPACE}/w1`, `set ${NAMESPACE}/w2`]);
    await notes.mergePatch({ namespace: NAMESPACE, name: 'w1' }, { spec: { text: 'new' } });
    await until('the change', () => reflector.get(`${NAMESPACE}/w1`)?.spec?.text === 'new');
    expect(requests).to.deep.equal(['list as a watch', 'watch']);
    stop.abort();
    await running;
    for (const name of ['w1', 'w2']) await notes.delete(NAMESPACE, name);
  });

  it('follows changes across pages, restarted watches and objects that are recreated with the same name', async () => {
    for (const name of ['r1', 'r2', 'r3']) await notes.create(aNote(name, 'x'));
    const changes: string[] = [];
    let endedWatches = 0;
    const reflector = createReflector({
      kube,
      definition: NOTES,
      namespace: NAMESPACE,
      onChange: ({ kind, key }) => changes.push(`${kind} ${key}`),
      log,
      settings: { watchList: false, pageSize: 2, watchTimeoutSeconds: 1, minBackoffMs: 10 },
      metrics: {
        relisted: () => undefined,
        watchEnded: () => {
          endedWatches += 1;
        },
        changesMissed: () => undefined,
        eventReceived: () => undefined,
      },
    });
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await reflector.synced(AbortSignal.timeout(60_000));
    expect(reflector.get(`${NAMESPACE}/r3`)?.metadata).to.not.have.property('managedFields');
    changes.length = 0;
    for (let round = 0; round < 3; round += 1) {
      await notes.mergePatch({ namespace: NAMESPACE, name: 'r1' }, { spec: { text: `round ${round}` } });
      await until('the change', () => reflector.get(`${NAMESPACE}/r1`)?.spec?.text === `round ${round}`);
      // The server ends the watch: the client resumes without a list.
      const before = endedWatches;
      await until('the watch to end', () => endedWatches > before);
    }
    await notes.delete(NAMESPACE, 'r1');
    await notes.create(aNote('r1', 'again'));
    await until('the new object', () => reflector.get(`${NAMESPACE}/r1`)?.spec?.text === 'again');
    expect(changes).to.deep.equal([
      ...Array.from({ length: 3 }, () => `set ${NAMESPACE}/r1`),
      `deleted ${NAMESPACE}/r1`,
      `set ${NAMESPACE}/r1`,
    ]);
    stop.abort();
    await running;
  });
});
