/**
 * Zippers that freeze before one of their writes on a node that is lost, and wake up after the next pod has finished the job. Their
 * write arrives at last, too.
 */
import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { unsupportedPod } from '#test/support/builders/unsupported.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';
import type { AddedNode } from '#tools/local-cluster/cluster-types.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

const MIB = 1024 * 1024;
const LIMITS = { limitMs: 300_000, intervalMs: 500 };
/** A busy machine must have time for each of the writes. */
const RATE = MIB;
const REFUSALS = 10;
const FILES = [
  [17 * MIB + 1, 1],
  [70_000, 2],
  [6 * MIB + 3, 3],
] as const;
const ENV = { STATUS_PROGRESS_INTERVAL_MS: '700', CHECKPOINT_INTERVAL_MS: '500' };
const TOLERATIONS = [
  {
    key: 'node.kubernetes.io/unreachable',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 1,
  },
];

interface Body {
  readonly status?: ZipJobStatus;
}

function statusIn({ body, path }: ProxiedRequest): ZipJobStatus | undefined {
  return path.includes('/zipjobs/') ? (JSON.parse(body.toString('utf8')) as Body).status : undefined;
}

type IsIt = (request: ProxiedRequest) => boolean;

function isPart({ method, path }: ProxiedRequest): boolean {
  return method === 'PUT' && path.includes('partNumber=');
}

function isCheckpoint({ method, path, body }: ProxiedRequest): boolean {
  // An empty one only reads.
  return method === 'PATCH' && path.includes('/zipcheckpoints/') && body.length > 2;
}

function isState(state: string): IsIt {
  return (request) => statusIn(request)?.upload?.state === state && statusIn(request)?.result === undefined;
}

/** The write before which a pod freezes: the n-th of its kind. */
const WRITES: Readonly<Record<string, readonly [IsIt, number]>> = {
  'the creation of its upload': [({ method, path }) => method === 'POST' && path.includes('uploads'), 1],
  'the record of its upload': [isState('open'), 1],
  'its first part': [isPart, 1],
  'its third part': [isPart, 3],
  'its first checkpoint': [isCheckpoint, 1],
  'its second checkpoint': [isCheckpoint, 2],
  'its second progress with an upload': [isState('open'), 3],
  'the record of its commit': [isState('committing'), 1],
  'its Complete': [({ method, path }) => method === 'POST' && path.includes('uploadId='), 1],
  'its result': [(request) => statusIn(request)?.result !== undefined, 1],
};

interface Frozen {
  readonly uuid: string;
  readonly isFrozen: Promise<void>;
  readonly podUid: () => string;
  readonly thaw: () => void;
  /** Requests of the pod to the API server since it woke up. */
  readonly requests: () => number;
}

describe('a pod that freezes on a lost node, and wakes up after the job has ended', function () {
  this.timeout(600_000);
  let world: ZipperWorld;
  let far: AddedNode;
  const jobs = new Map<string, Frozen>();
  /** SHA-256 of each archive before the pods wake up. */
  const archives = new Map<string, string>();

  /** Only the first pod freezes. */
  async function start([isIt, nth]: readonly [IsIt, number]): Promise<Frozen> {
    const thawed = Promise.withResolvers<void>();
    const frozen = Promise.withResolvers<void>();
    let podUid = '';
    let left = nth;
    let isAwake = false;
    let requests = 0;
    /** Of another pod; requests to the store name none. */
    function isOther({ actor }: ProxiedRequest): boolean {
      return actor?.podUid !== undefined && actor.podUid !== podUid;
    }
    function count(request: ProxiedRequest): void {
      podUid ||= request.actor?.podUid ?? '';
      if (isAwake && request.actor?.podUid === podUid) requests += 1;
    }
    function judge(request: ProxiedRequest): FaultAction | undefined {
      count(request);
      if (isOther(request) || left === 0 || !isIt(request)) return undefined;
      left -= 1;
      if (left > 0) return undefined;
      far.agent.kill(podUid, 'SIGSTOP');
      frozen.resolve();
      return { kind: 'hold', until: thawed.promise };
    }
    const sources = FILES.map(([bytes, seed]) =>
      world.origin.url(`/paced/${RATE}/${bytes}/${seed}?in=${jobs.size}`),
    );
    const uuid = await world.start(sources, {
      spec: { fixedModificationTime: '2026-01-31T12:00:00Z' },
      env: ENV,
      apiFault: judge,
      storeFault: judge,
    });
    return {
      uuid,
      isFrozen: frozen.promise,
      podUid: () => podUid,
      requests: () => requests,
      thaw: () => {
        isAwake = true;
        far.agent.kill(podUid, 'SIGCONT');
        thawed.resolve();
      },
    };
  }

  async function untilAllFrozen(): Promise<void> {
    const left = new Set(jobs.keys());
    for (const [name, { isFrozen }] of jobs) void isFrozen.then(() => left.delete(name));
    await until('every pod to freeze', () => left.size === 0, LIMITS).catch((cause: unknown) => {
      throw new Error(`no pod froze before ${[...left].join(', ')}`, { cause });
    });
  }

  before(async () => {
    world = await startZipperWorld('frozen-pods');
    const settings = { RESUME_FROM_BYTES: 0 };
    await installChart(world.cluster, {
      controller: { podTemplate: unsupportedPod('controller', settings) },
    });
    const patch = JSON.stringify({ spec: { pods: { tolerations: TOLERATIONS } } });
    await world.kubectl('patch', 'zipproject', 'project', '--type=merge', '-p', patch);
    far = await world.cluster.addNode('far');
    await world.kubectl('cordon', world.cluster.node.name);
    for (const [name, write] of Object.entries(WRITES)) jobs.set(name, await start(write));
    await untilAllFrozen();
    await world.kubectl('uncordon', world.cluster.node.name);
    await far.agent.stop();
    const pods = await until(
      'Kubernetes to evict the pods',
      async () => {
        const path = '{range .items[?(@.metadata.deletionTimestamp)]}{.metadata.name} {end}';
        const evicted = (await world.kubectl('get', 'pods', '-o', `jsonpath=${path}`)).trim().split(' ');
        return evicted.length === jobs.size && evicted;
      },
      LIMITS,
    );
    await world.kubectl('delete', 'pod', ...pods, '--grace-period=1', '--wait=false');
    for (const { uuid } of jobs.values()) {
      const ended = await until(
        `the end of job ${uuid}`,
        async () => {
          const { status } = await world.project.zipJob(uuid);
          return status?.finishedAt !== undefined && status;
        },
        LIMITS,
      );
      expect(ended, JSON.stringify(ended)).to.include({ phase: 'Succeeded' });
      archives.set(uuid, await world.project.bucket.sha256(`${uuid}.zip`));
    }
    for (const { thaw } of jobs.values()) thaw();
  });
  after(async () => {
    await world.kubectl('uncordon', world.cluster.node.name);
    await far.remove();
    await world[Symbol.asyncDispose]();
    await resetInstallation();
  });

  for (const name of Object.keys(WRITES))
    it(`changes nothing if it froze before ${name} (G13)`, async () => {
      const { uuid, podUid, requests } = jobs.get(name) ?? expect.fail('no such job');
      // Its token is no longer valid, which it takes for a fault of the API server.
      await until(
        'its process to end, or to be refused again and again',
        () =>
          requests() >= REFUSALS ||
          (far.agent.pods().find(({ uid }) => uid === podUid())?.containers.length ?? 0) === 0,
        LIMITS,
      );
      const { status } = await world.project.zipJob(uuid);
      console.log(
        `      ${status?.reason}, attempts: ${status?.attemptsTotal}, resumes: ${status?.result?.resumes ?? 0}`,
      );
      expect(status?.phase).to.equal('Succeeded');
      const digest = await world.project.bucket.sha256(`${uuid}.zip`);
      expect(digest).to.equal(archives.get(uuid));
      expect(new Set(archives.values()).size).to.equal(1);
    });

  it('leaves no upload', async () => {
    await world.untilNoOpenUploads();
  });
});
