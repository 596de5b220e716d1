/**
 * Hundreds of ZipJobs within seconds, on the real control plane with real zippers: all of them finish, and
 * small projects do not wait for a large one. Shares are counted in starts, not in seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { mostInAll } from '#controller/queue/queue-order.ts';
import { ANNOTATIONS, GROUP_VERSION, LABELS, PLURALS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { type Followed, followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi, componentPods } from '#test/support/processes/controller-pods.ts';
import { type Installation, installChart } from '#test/support/processes/installation.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const MIB = 1024 * 1024;
/** Each job needs half a second of CPU. */
const JOBS = sized(60, 1000);
const PROJECTS = sized(4, 10);
const POSTS_PER_SECOND = 100;
/** The first project posts this many before any other project posts one. */
const HEAD_START = 0.4 * JOBS;
const RUNNING = sized(6, 20);
const MEMORY_BAR_BYTES = 200 * MIB;
const DRAIN_LIMIT_MS = 800_000;
const ACTIVE = new Set(['Starting', 'Running', 'Finalizing']);
const FINAL = new Set(['Succeeded', 'Failed', 'Cancelled']);

/** The recorded fields of a version of a ZipJob or Job. */
interface Seen {
  readonly version: number;
  readonly namespace: string;
  readonly name: string;
  readonly order: string;
  readonly phase: string;
  /** Reason and message of the phase of a ZipJob. */
  readonly why: string;
}

function seen(object: ZipJob | Job): Seen {
  const { namespace, name, resourceVersion, creationTimestamp, annotations } = object.metadata;
  const status = object.status !== undefined && 'phase' in object.status ? object.status : undefined;
  return {
    version: Number(resourceVersion),
    namespace,
    name,
    order: `${creationTimestamp} ${annotations?.[ANNOTATIONS.acceptedAt]} ${name}`,
    phase: status?.phase ?? '',
    why: `${status?.reason ?? ''} ${status?.message ?? ''}`,
  };
}

/** Fewer pods than the controller starts: the Job controller has to wait for capacity. */
function aQuota(namespace: string, pods: number) {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name: 'pods' },
    spec: { hard: { pods } },
  };
}

describe(`${JOBS} ZipJobs posted within seconds over ${PROJECTS} projects, ${RUNNING} at a time`, function () {
  this.timeout(900_000);
  let cluster: Cluster;
  let api: KubeApi & AsyncDisposable;
  let origin: FileOrigin;
  let installation: Installation;
  let projects: readonly Project[] = [];
  /** Number of responses that requested a retry, by status. */
  const refused = new Map<number, number>();
  let zipJobs: Followed<Seen>;
  let jobs: Followed<Seen>;
  let pods: Followed<Seen>;

  before(async () => {
    cluster = await sharedCluster();
    api = await adminApi(cluster);
    origin = await startFileOrigin();
    installation = await installChart(cluster, {
      projectClasses: { default: { createsPerSecond: 0 } },
      controller: {
        podTemplate: { metadata: { annotations: { 'zipjobs.dev/test-run': 'load' } } },
        settings: { MAX_ACTIVE_JOBS: RUNNING },
      },
    });
    const made: Project[] = [];
    for (let index = 0; index < PROJECTS; index += 1) {
      const namespace = `load-${index}`;
      made.push(await createProject(cluster, { namespace }));
      await applyObjects(cluster, [aQuota(namespace, index === 0 ? RUNNING - 1 : 2)]);
    }
    projects = made;
    const own = `labelSelector=${LABELS.managedBy}%3Dzipjobs-controller`;
    [zipJobs, jobs, pods] = await Promise.all([
      followObjects(api, `/apis/${GROUP_VERSION}/${PLURALS.ZipJob}`, seen),
      followObjects(api, `/apis/batch/v1/jobs?${own}`, seen),
      followObjects(api, `/api/v1/pods?${own}`, seen),
    ]);
  });
  after(async () => {
    for (const followed of [zipJobs, jobs, pods]) followed[Symbol.dispose]();
    for (const project of projects) project[Symbol.dispose]();
    const namespaces = projects.map(({ namespace }) => namespace);
    await cluster.kubectl(['delete', 'namespace', ...namespaces, '--wait=false']);
    await origin[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    forgetInstallation();
  });

  async function post(baseUrl: string, index: number): Promise<string> {
    const projectIndex = index < HEAD_START ? 0 : index % PROJECTS;
    const project = projects[projectIndex];
    if (!project) throw new Error(`there is no project ${projectIndex}`);
    await delay((index / POSTS_PER_SECOND) * 1000);
    const request = {
      method: 'POST',
      path: '/v1/zips',
      token: project.token,
      // A client that retries must not create a second job.
      headers: { 'idempotency-key': `load-${index}` },
      body: JSON.stringify({
        bucket_name: project.bucketName,
        key: `${index}.zip`,
        urls: [{ url: origin.url(`/gen/1000/${index}`), filename: 'a' }],
      }),
    };
    return until(
      `POST ${index} to be accepted`,
      async () => {
        const response = await askApi(baseUrl, request);
        if (response.status === 201) return response.body.data?.uuid;
        refused.set(response.status, (refused.get(response.status) ?? 0) + 1);
        if (response.status === 429 || response.status === 503) return undefined;
        throw new Error(`POST /v1/zips returned ${response.status}: ${response.text}`);
      },
      { limitMs: 120_000, intervalMs: 1000 },
    );
  }

  /** The events of this test's projects: jobs of earlier test files may still end in the shared cluster. */
  function ownEvents({ events }: Followed<Seen>): Followed<Seen>['events'] {
    return events.filter(({ object }) => projects.some(({ namespace }) => namespace === object.namespace));
  }

  /** Every event in which an object appeared, in the order of the API server. */
  function added(followed: Followed<Seen>): readonly Seen[] {
    return ownEvents(followed)
      .flatMap(({ type, object }) => (type === 'ADDED' ? [object] : []))
      .toSorted((a, b) => a.version - b.version);
  }
  function ended(): number {
    return new Set(ownEvents(zipJobs).flatMap(({ object }) => (FINAL.has(object.phase) ? [object.name] : [])))
      .size;
  }

  /** The highest number of ZipJobs that were between their Job and their end at one time. */
  function mostActive(): number {
    const active = new Set<string>();
    let most = 0;
    for (const { object } of ownEvents(zipJobs)) {
      if (ACTIVE.has(object.phase)) active.add(object.name);
      else active.delete(object.name);
      most = Math.max(most, active.size);
    }
    return most;
  }

  it('all succeed, each with one Job and one pod (F22, H5, H6)', async () => {
    const baseUrl = await installation.apiUrl();
    for (const { token } of projects) await untilTokenKnown(baseUrl, token);
    const startedAt = performance.now();
    const uuids = await Promise.all(Array.from({ length: JOBS }, (_, index) => post(baseUrl, index)));
    const postedAt = performance.now();
    await until('every job to end', () => ended() >= JOBS, { limitMs: DRAIN_LIMIT_MS, intervalMs: 500 });
    const again = [...refused].map(([status, count]) => `${count} returned ${status}`).join(', ');
    console.log(
      `      posted in ${((postedAt - startedAt) / 1000).toFixed(1)} s (${again || 'no retries requested'}), ` +
        `ended after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    );
    const names = uuids.map((uuid) => `zip-${uuid}`).toSorted();
    const last = new Map(ownEvents(zipJobs).map(({ object }) => [object.name, object]));
    const others = [...last.values()].filter(({ phase }) => phase !== 'Succeeded');
    expect(others.map(({ name, phase, why }) => `${name} ${phase}: ${why}`)).to.deep.equal([]);
    expect([...last.keys()].toSorted()).to.deep.equal(names);
    const jobNames = added(jobs).map(({ name }) => name);
    expect(jobNames.toSorted(), 'Jobs').to.deep.equal(names);
    expect(added(pods), 'pods').to.have.lengthOf(JOBS);
    // A project without a running job may exceed the limit.
    expect(mostActive(), 'active at one time').to.be.within(1, mostInAll({ inAll: RUNNING }));
    for (const { failure } of [zipJobs, jobs, pods]) expect(failure).to.equal(undefined);
  });

  it('let no project wait for more than twice its share of the starts (F22)', () => {
    const starts = added(jobs);
    function startedBefore(version: number): number {
      return starts.filter((start) => start.version < version).length;
    }
    let worst = 0;
    for (const { namespace } of projects) {
      const created = added(zipJobs).filter((zipJob) => zipJob.namespace === namespace);
      const own = starts.flatMap((start, index) => (start.namespace === namespace ? [index + 1] : []));
      expect(own).to.have.lengthOf(created.length);
      for (const [index, position] of own.entries()) {
        const waited = position - startedBefore(created[index]?.version ?? 0) - RUNNING;
        worst = Math.max(worst, waited / ((index + 1) * PROJECTS));
      }
    }
    console.log(`      the longest wait was ${worst.toFixed(2)} of the fair share`);
    expect(worst).to.be.at.most(2);
  });

  /** The version with the last start of a wait, or with the start of the job. */
  function allReported(): number {
    const reported = new Map<string, number>();
    for (const { object } of ownEvents(zipJobs))
      if (object.phase !== '' && !reported.has(object.name)) reported.set(object.name, object.version);
    return Math.max(...reported.values());
  }

  it('start the oldest waiting job of a project first (F22)', () => {
    const orders = new Map(added(zipJobs).map(({ name, order }) => [name, order]));
    const inQueue = allReported();
    // Jobs that got a slot before all were queued may be younger than some that arrived later.
    const starts = added(jobs)
      .filter(({ version }) => version > inQueue)
      .slice(RUNNING);
    let most = 0;
    for (const { namespace } of projects) {
      const started = starts
        .filter((job) => job.namespace === namespace)
        .map(({ name }) => orders.get(name) ?? '');
      for (const [index, order] of started.entries())
        most = Math.max(most, started.slice(index + 1).filter((later) => later < order).length);
    }
    console.log(`      of ${starts.length} starts none happened before more than ${most} older ones`);
    expect(starts.length).to.be.greaterThan(JOBS / 4);
    // Slots are assigned in order, but the Jobs of one batch are created in parallel.
    expect(most).to.be.lessThan(RUNNING);
  });

  it('keep the controllers below 200 MiB', async () => {
    for (const pod of componentPods(cluster, 'controller')) {
      const { resident, peak } = await memoryOf(pod.containers[0]?.pid ?? 0);
      console.log(`      resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`);
      expect(peak).to.be.greaterThan(0).and.lessThan(MEMORY_BAR_BYTES);
    }
  });
});
