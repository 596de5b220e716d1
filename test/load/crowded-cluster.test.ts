/**
 * Memory of the servers with many finished jobs, and new jobs beside them. The API server is in memory: so many objects
 * would take a real one minutes.
 */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { parse } from 'yaml';
import { quantile } from '#test/bench/rates.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { memoryOf, type ProcessMemory } from '#test/support/processes/process-memory.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import type { CrowdedCounts } from './crowded-api-server-main.ts';
import type { NewJobs, NewJobTimes } from './crowded-new-jobs.ts';

const MIB = 1024 * 1024;
const KIB = 1024;
const JOBS = sized(20_000, 100_000);
/** Their memory is that of a server without jobs. */
const FEW_JOBS = 100;
/** Ended pods are limited (MAX_FINISHED_PODS). */
function countsOf(jobs: number, large: number): CrowdedCounts {
  return [String(jobs), String(Math.min(5_000, jobs / 10)), String(large)];
}

/** Of each kind, in a namespace without a project. */
const LARGE_OBJECTS = sized(1_200, 10_000);
const RESIDENT_BAR_BYTES = 200 * MIB;
/** For a moment, while a new leader reconciles all jobs. Half of the container's limit. */
const PEAK_BAR_BYTES = 256 * MIB;
/**
 * More for each job, because the bars above are for the full size. A whole ZipJob has 4 KiB as text. Garbage that is not yet
 * collected is up to half a KiB for each of 20,000.
 */
const BARS_EACH = {
  controller: { resident: 3 * KIB, peak: 4 * KIB },
  api: { resident: 2 * KIB, peak: 3 * KIB },
  dashboard: { resident: 2 * KIB, peak: 3 * KIB },
} as const;
const RECONCILES = 'workqueue_work_duration_seconds_count{name="zipjob"}';
/** On average, at most this many finished jobs are reconciled while a new ZipJob waits for its Job. */
const RECONCILES_PER_NEW_JOB = 4000;
const NEW_JOBS = JOBS / RECONCILES_PER_NEW_JOB;

function metric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

interface ApiServer extends Disposable {
  readonly process: ChildProcess;
  readonly port: string;
}

async function startApiServer(jobs: number, large = 0): Promise<ApiServer> {
  const child = fork(join(import.meta.dirname, 'crowded-api-server-main.ts'), [...countsOf(jobs, large)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const [port] = (await once(lines, 'line')) as [string];
  return { process: child, port, [Symbol.dispose]: () => child.kill('SIGKILL') };
}

describe(`${JOBS} finished jobs`, function () {
  this.timeout(600_000);
  const life = new AsyncDisposableStack();
  let directory: string;
  let empty: ApiServer;
  let crowded: ApiServer;
  let values: Readonly<Record<string, { readonly nodeOptions: string }>>;

  before(async () => {
    values = parse(await readFile('charts/zipjobs/values.yaml', 'utf8')) as typeof values;
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-crowded-'));
    life.defer(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, 'token'), 'token');
    await copyFile(PRIVATE_TLS.authorityPath, join(directory, 'ca.crt'));
    [empty, crowded] = await Promise.all([startApiServer(FEW_JOBS), startApiServer(JOBS)]);
    life.use(empty);
    life.use(crowded);
  });
  after(() => life.disposeAsync());

  async function started(
    folder: string,
    { port: apiServerPort }: ApiServer,
    onSpawn?: (pid: number) => void,
  ) {
    const { args, env } = imageProcess(folder, directory);
    const [port = 0, adminPort = 0] = await freePorts(2);
    const startMs = performance.now();
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...env,
        NODE_OPTIONS: values[folder]?.nodeOptions,
        HOST: '127.0.0.1',
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        SERVICE_ACCOUNT_DIR: directory,
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: apiServerPort,
        POD_NAME: folder,
        POD_NAMESPACE: 'zipjobs-system',
        ZIPPER_IMAGE: 'zipper:1',
        MAX_ACTIVE_JOBS: '1000',
        // On a busy machine it would expire, and the controller would end.
        ...unsupported({ LEASE_DURATION_MS: 120_000 }),
        DASHBOARD_URL: `http://127.0.0.1:${port}`,
      },
    });
    onSpawn?.(child.pid ?? 0);
    async function ask(path: string): Promise<string | undefined> {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`).catch(() => undefined);
      const text = await response?.text();
      return response?.ok === true ? text : undefined;
    }
    await until(`the ${folder} to be ready`, () => ask('/readyz'), { limitMs: 300_000 });
    const readyMs = performance.now() - startMs;
    return {
      ask,
      memory: () => memoryOf(child.pid ?? 0),
      readyMs,
      cpuMs: async () => {
        const fields = (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(' ');
        return (Number(fields[13]) + Number(fields[14])) * 10;
      },
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  }

  type Server = Awaited<ReturnType<typeof started>>;
  async function reconciles({ ask }: Server): Promise<number> {
    return metric((await ask('/metrics')) ?? '', RECONCILES);
  }
  function untilReconciled(server: Server, jobs: number): Promise<unknown> {
    return until('every job to have been reconciled', async () => (await reconciles(server)) >= jobs, {
      limitMs: 300_000,
    });
  }
  async function memoryWith(folder: string, apiServer: ApiServer, jobs: number): Promise<ProcessMemory> {
    await using server = await started(folder, apiServer);
    const cpuMs = await server.cpuMs();
    if (folder === 'controller') await untilReconciled(server, jobs);
    const memory = await server.memory();
    const [resident, peak] = [memory.resident, memory.peak].map((bytes) => (bytes / MIB).toFixed(0));
    console.log(
      `      ${folder}, ${jobs} jobs: ready after ${server.readyMs.toFixed(0)} ms and ${cpuMs} ms of CPU; resident ${resident} MiB, peak ${peak} MiB`,
    );
    return memory;
  }

  for (const folder of ['controller', 'api', 'dashboard'] as const)
    it(`fit into the ${folder}, which receives them as a watch (G1)`, async () => {
      // Fills the compile cache, which the images contain.
      await (await started(folder, empty))[Symbol.asyncDispose]();
      const few = await memoryWith(folder, empty, FEW_JOBS);
      const many = await memoryWith(folder, crowded, JOBS);
      function more(of: keyof ProcessMemory): number {
        return (many[of] - few[of]) / (JOBS - FEW_JOBS);
      }
      console.log(
        `      for each job: resident ${more('resident').toFixed(0)}, peak ${more('peak').toFixed(0)} bytes`,
      );
      expect(more('resident')).to.be.lessThan(BARS_EACH[folder].resident);
      expect(more('peak')).to.be.lessThan(BARS_EACH[folder].peak);
      expect(many.resident).to.be.greaterThan(0).and.lessThan(RESIDENT_BAR_BYTES);
      expect(many.peak).to.be.lessThan(PEAK_BAR_BYTES);
    });

  for (const folder of ['controller', 'api', 'dashboard'] as const)
    it(`leave room in the ${folder} for ${LARGE_OBJECTS} objects of 250 KiB of each kind in one namespace (N36)`, async () => {
      using large = await startApiServer(FEW_JOBS, LARGE_OBJECTS);
      const { peak } = await memoryWith(folder, large, FEW_JOBS);
      expect(peak).to.be.greaterThan(0).and.lessThan(PEAK_BAR_BYTES);
    });

  async function newJobs(pid: number): Promise<NewJobTimes> {
    const response = once(crowded.process, 'message');
    crowded.process.send({ count: NEW_JOBS, pid } satisfies NewJobs);
    const [times] = (await response) as [NewJobTimes];
    return times;
  }

  function report(when: string, { ms, cpuMs }: NewJobTimes): void {
    const [p50 = '', p99 = '', cpu50 = '', cpu99 = ''] = [ms, cpuMs].flatMap((times) =>
      [0.5, 0.99].map((share) => quantile(times, share).toFixed(0)),
    );
    console.log(
      `      ${ms.length} new ZipJobs ${when}: p50 ${p50} ms, p99 ${p99} ms until the Job; CPU ${cpu50} and ${cpu99} ms; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }

  it('create the Jobs of new ZipJobs while a new leader reconciles every job once (G1)', async () => {
    let pid = 0;
    let measuring: Promise<NewJobTimes> | undefined;
    await using controller = await started('controller', crowded, (spawned) => {
      pid = spawned;
      measuring = newJobs(pid);
    });
    const atStart = await measuring;
    if (!atStart) throw new Error('no ZipJobs were created');
    const untilLast = await reconciles(controller);
    report(`until reconcile ${untilLast}`, atStart);
    await untilReconciled(controller, JOBS);
    const atRest = await newJobs(pid);
    report('at rest', atRest);
    expect(untilLast).to.be.lessThan(JOBS);
    expect(atRest.requests).to.equal(2 * (NEW_JOBS + 1));
  });
});
