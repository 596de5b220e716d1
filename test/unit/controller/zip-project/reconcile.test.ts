/** The real observe, decide and act of a project with objects in memory. */

import { expect } from 'chai';
import { Registry } from 'prom-client';
import { changingOf, INDEXES } from '#controller/cluster/caches.ts';
import type { PurgeState } from '#controller/history/purges.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import { createFinalizers } from '#controller/reconciling/finalizers.ts';
import { ZIPPROJECT } from '#controller/reconciling/measure-reconcile.ts';
import { createReconcile } from '#controller/reconciling/reconcile.ts';
import type { DeliveryState } from '#controller/webhook/dispatcher.ts';
import { createEndpointNotes } from '#controller/webhook/endpoint-notes.ts';
import { createActOnProject } from '#controller/zip-project/act.ts';
import { decideProject } from '#controller/zip-project/decide.ts';
import { createObserveProject } from '#controller/zip-project/observe.ts';
import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects, refusedByWebhook } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipBucket, aZipJob, aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';

const KEY = `${NAMESPACE}/project`;
const URL = 'https://hooks.example/a';

function aProject(metadata: Partial<ObjectMeta> = {}, change: Partial<ZipProject> = {}): ZipProject {
  const project = aZipProject();
  return { ...project, ...change, metadata: { ...project.metadata, finalizers: [FINALIZER], ...metadata } };
}

interface Given {
  readonly fault?: Error;
  /** Kinds that exist. */
  readonly present?: readonly string[];
  readonly test?: DeliveryState;
  /** What this process has deleted of the history. */
  readonly purge?: PurgeState;
  readonly leavesOutBuckets?: boolean;
  /** Why a policy refuses a job of the project. */
  readonly refusal?: string;
}

function purgesOf({ purge }: Given, calls: unknown[]) {
  return {
    of: () => purge,
    start: (key: string, order: unknown) => calls.push([`purge ${key}`, order]),
    forget: (key: string) => calls.push(`forget the purge of ${key}`),
  };
}

function childrenOf({ fault, present = [] }: Given, calls: unknown[]) {
  return {
    of: (project: ZipProject) =>
      ['ServiceAccount', 'RoleBinding'].map((kind) => ({
        kind,
        wanted: { metadata: { name: kind, namespace: project.metadata.namespace } },
        isPresent: present.includes(kind),
      })),
    create: ({ kind }: { readonly kind: string }) => {
      calls.push(`create ${kind}`);
      return fault ? Promise.reject(fault) : Promise.resolve();
    },
  };
}

function setUp(project: ZipProject | undefined, given: Given = {}) {
  const projects = createFakeObjects<ZipProject>();
  const zipJobs = createFakeObjects<ZipJob>({ indexes: { [INDEXES.changing]: changingOf } });
  const buckets = createFakeObjects<ZipBucket>();
  const calls: unknown[] = [];
  const applied: Record<string, unknown>[] = [];
  const stored = project && projects.put(project);
  const notes = createEndpointNotes(() => undefined);
  const metrics = createControllerMetrics(new Registry());
  const children = childrenOf(given, calls);
  const apply = createApplyStatus<ZipProject, object>('ZipProject', {
    apply: (object, { fieldManager, subresource }) => {
      applied.push({ ...object, by: fieldManager, subresource });
      return Promise.resolve(object as unknown as ZipProject);
    },
  });
  const dispatcher = {
    state: () => given.test ?? ({ kind: 'idle' } as const),
    submit: ({ attemptId }: { readonly attemptId: string }) => calls.push(`submit ${attemptId}`),
    endpoints: () => [],
    acknowledge: (key: string) => calls.push(`acknowledge ${key}`),
  };
  const none = createFakeObjects<never>().reflector;
  const caches = {
    projects: projects.reflector,
    zipJobs: zipJobs.reflector,
    buckets: { ...buckets.reflector, isIncomplete: () => given.leavesOutBuckets === true },
    jobs: none,
    pods: none,
  };
  function isNamespaceTerminating() {
    return Promise.resolve(false);
  }
  const purges = purgesOf(given, calls);
  const reconcile = createReconcile({
    controller: ZIPPROJECT,
    observe: createObserveProject({
      caches,
      projectClasses: projectClasses(),
      children,
      notes,
      refusedJobs: { of: () => given.refusal },
      dispatcher,
      purges,
      isNamespaceTerminating,
    }),
    decide: (seen, now) => decideProject(seen, now, aConfig()),
    act: createActOnProject({
      applyStatus: apply,
      finalizers: createFinalizers({ kind: 'ZipProject', client: projects.client, metrics }),
      children,
      zipJobs: zipJobs.client,
      notes,
      dispatcher,
      purges,
      recordEvent: (_project, { reason }) => calls.push(`event ${reason}`),
      planTest: (_project, name, nonce) => ({
        key: KEY,
        name,
        attemptId: nonce,
        project: NAMESPACE,
        endpoint: '',
        isWanted: () => true,
        send: () => Promise.reject(new Error('no')),
      }),
    }),
    onGone: (key) => calls.push(`gone ${key}`),
    queue: {
      add: () => undefined,
      addAfter: () => undefined,
      forget: () => undefined,
      cancel: () => undefined,
    },
    clock: createManualClock(),
    metrics,
  });
  return {
    run: () => reconcile(KEY, new AbortController().signal),
    stored,
    projects,
    zipJobs,
    buckets,
    calls,
    applied,
    notes,
  };
}

const READY = {
  type: 'Ready',
  status: 'True',
  reason: 'ProjectReady',
  message: 'ServiceAccount and RoleBinding zipjobs-zipper of the zippers exist.',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-02T03:04:05Z',
} as const;
const CLASS = projectClasses().of(NAMESPACE);
const present = ['ServiceAccount', 'RoleBinding'];

describe('the reconciler of ZipProjects', () => {
  it('adds the finalizer before anything else', async () => {
    const { run, projects, calls, applied } = setUp(aProject({ finalizers: [] }));
    await run();
    expect(projects.calls).to.have.lengthOf(1);
    expect(projects.calls[0]).to.contain(FINALIZER);
    expect([calls, applied]).to.deep.equal([[], []]);
  });

  it('creates the objects that zippers need, then reports them in the status', async () => {
    const { run, applied, calls, stored } = setUp(aProject(), { present: ['ServiceAccount'] });
    await run();
    expect(calls).to.deep.equal(['create RoleBinding']);
    expect(applied).to.deep.equal([
      {
        apiVersion: 'zipjobs.dev/v1alpha1',
        kind: 'ZipProject',
        metadata: {
          name: 'project',
          namespace: NAMESPACE,
          uid: 'uid-project',
          resourceVersion: stored?.metadata.resourceVersion,
        },
        status: { conditions: [READY], class: CLASS },
        by: 'zipjobs-controller',
        subresource: 'status',
      },
    ]);
  });

  it('reports an object that could not be created, writes the rest of the status, and retries', async () => {
    const fault = new Error('PATCH rolebindings/zipjobs-zipper: cannot change roleRef');
    const { run, applied, calls, notes } = setUp(aProject({}, { spec: { webhook: { url: URL } } }), {
      fault,
    });
    notes.add(NAMESPACE, {
      name: DEFAULT_ENDPOINT,
      endpoint: URL,
      delivery: { at: ago(0), durationMs: 1, status: 410 },
    });
    expect(await run().catch((error: unknown) => error)).to.equal(fault);
    expect(calls).to.deep.equal(['create ServiceAccount']);
    expect(applied).to.have.lengthOf(1);
    expect(JSON.stringify(applied)).to.contain('"status":"False","reason":"ProjectIncomplete"');
    expect(JSON.stringify(applied)).to.contain('cannot change roleRef');
    expect(applied[0]).to.have.nested.property('status.webhook.state', 'Disabled');
    expect(notes.of(NAMESPACE)).to.deep.equal([]);
  });

  it('writes no status in a terminating namespace', async () => {
    const fault = new KubeError('the namespace is going', { code: 'NamespaceTerminating' });
    const { run, applied } = setUp(aProject(), { fault });
    await run();
    expect(applied).to.deep.equal([]);
  });

  it('does not write an unchanged status', async () => {
    const { run, applied, calls } = setUp(aProject({}, { status: { conditions: [READY], class: CLASS } }), {
      present,
    });
    await run();
    expect([applied, calls]).to.deep.equal([[], []]);
  });

  it('reports the kinds of which the caches leave out objects, and when they have all again (N36)', async () => {
    const full = setUp(aProject(), { present, leavesOutBuckets: true });
    await full.run();
    const condition = 'status.conditions[1]';
    expect(full.applied[0]).to.have.nested.property(`${condition}.type`, 'ObjectsLeftOut');
    expect(full.applied[0]).to.have.nested.property(`${condition}.reason`, 'TooManyObjects');
    expect(JSON.stringify(full.applied)).to.contain('Kinds: ZipBucket.');
    const status = full.applied[0]?.['status'] as NonNullable<ZipProject['status']>;
    const free = setUp(aProject({}, { status }), { present });
    await free.run();
    expect(free.applied[0]).to.have.nested.property(`${condition}.status`, 'False');
    expect(free.applied[0]).to.have.nested.property(`${condition}.reason`, 'AllKept');
  });

  it('says once that a policy of the cluster refuses its jobs, and when it no longer does (X41)', async () => {
    const refusal = 'admission webhook "require-team" denied the request: the label team is missing';
    const refused = setUp(aProject(), { present, refusal });
    await refused.run();
    const condition = 'status.conditions[1]';
    expect(refused.applied[0]).to.have.nested.property('status.conditions[0].status', 'True');
    expect(refused.applied[0]).to.deep.nested.include({
      [`${condition}.type`]: 'ObjectsRefused',
      [`${condition}.status`]: 'True',
      [`${condition}.reason`]: 'RefusedByPolicy',
    });
    expect(JSON.stringify(refused.applied)).to.contain('require-team').and.contain('commonLabels');
    const status = refused.applied[0]?.['status'] as NonNullable<ZipProject['status']>;
    const same = setUp(aProject({}, { status }), { present, refusal });
    await same.run();
    expect(same.applied).to.deep.equal([]);
    const accepted = setUp(aProject({}, { status }), { present });
    await accepted.run();
    expect(accepted.applied[0]).to.deep.nested.include({
      [`${condition}.status`]: 'False',
      [`${condition}.reason`]: 'NoneRefused',
    });
  });

  it('says so of an object of the project itself too, which is then not ready (X41)', async () => {
    const { run, applied } = setUp(aProject(), { fault: refusedByWebhook() });
    await run().catch(() => undefined);
    const status = applied[0]?.['status'] as NonNullable<ZipProject['status']>;
    expect(status.conditions?.map(({ type, status: one, reason }) => [type, one, reason])).to.deep.equal([
      ['Ready', 'False', 'ProjectIncomplete'],
      ['ObjectsRefused', 'True', 'RefusedByPolicy'],
    ]);
  });

  it('sends a requested test event after it writes the status', async () => {
    const asked = aProject({ annotations: { [ANNOTATIONS.testWebhook]: 't1' } });
    const { run, applied, calls } = setUp({ ...asked, spec: { webhook: { url: URL } } }, { present });
    await run();
    expect([applied.length, calls]).to.deep.equal([1, ['submit t1']]);
  });

  it('starts the deletion of the history after the status has its nonce, and records its end (G9)', async () => {
    const asked = aProject({ annotations: { [ANNOTATIONS.purgeHistory]: 'p1' } });
    const started = setUp(asked, { present });
    await started.run();
    const order = { nonce: 'p1', projectUid: 'uid-project', records: 0 };
    expect(started.calls).to.deep.equal([[`purge ${KEY}`, order]]);
    expect(started.applied[0]).to.have.nested.property('status.historyPurge.nonce', 'p1');
    const purge = { nonce: 'p1', records: 3, isComplete: true };
    const ended = setUp(asked, { present, purge });
    await ended.run();
    expect(ended.calls).to.deep.equal(['event HistoryPurged']);
    expect(ended.applied[0]).to.have.nested.property('status.historyPurge.records', 3);
  });

  it('forgets a project that does not exist', async () => {
    const { run, applied, calls } = setUp(undefined);
    await run();
    expect([applied, calls]).to.deep.equal([[], [`gone ${KEY}`]]);
  });

  it('cancels the jobs of a project that is being deleted, and reports what it waits for', async () => {
    const { run, applied, zipJobs, projects } = setUp(aProject({ deletionTimestamp: ago(60) }));
    const { name } = zipJobs.put(aZipJob()).metadata;
    await run();
    expect(applied[0]).to.have.nested.property('status.conditions[0].reason', 'ProjectDeleting');
    expect(zipJobs.calls).to.deep.equal([`patch ${NAMESPACE}/${name} {"spec":{"cancel":true}}`]);
    expect(projects.calls).to.deep.equal([]);
  });

  it('removes the finalizer once neither jobs nor buckets remain', async () => {
    const { run, applied, projects, buckets } = setUp(aProject({ deletionTimestamp: ago(60) }));
    buckets.put(aZipBucket());
    await run();
    expect([projects.calls.length, applied.length]).to.deep.equal([0, 1]);
    buckets.remove(NAMESPACE, 's3-archive');
    await run();
    expect(projects.calls).to.have.lengthOf(1);
    expect(projects.calls[0]).to.contain('"finalizers":[]');
  });
});
