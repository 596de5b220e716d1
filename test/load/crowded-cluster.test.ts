/**
 * Memory of the servers with many finished jobs, and new jobs beside them: 100,000, or CROWDED_JOBS. The API server is in memory: so many objects
 * would take a real one ten minutes.
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
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import type { CrowdedCounts } from './crowded-api-server-main.ts';
import type { NewJobs, NewJobTimes } from './crowded-new-jobs.ts';

const MIB = 1024 * 1024;
const JOBS = Number(process.env['CROWDED_JOBS'] ?? 100_000);
/** Ended pods are limited (MAX_FINISHED_PODS). */
const PODS = Math.min(5_000, JOBS / 10);
const COUNTS: CrowdedCounts = [String(JOBS), String(PODS)];
const RESIDENT_BAR_BYTES = 200 * MIB;
/** For a moment, while a new leader reconciles all jobs. Half of the container's limit. */
const PEAK_BAR_BYTES = 256 * MIB;
const RECONCILES = 'workqueue_work_duration_seconds_count{name="zipjob"}';
/** On average, at most this many finished jobs are reconciled while a new ZipJob waits for its Job. */
const RECONCILES_PER_NEW_JOB = 4000;
const NEW_JOBS = JOBS / RECONCILES_PER_NEW_JOB;

const metric = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);

describe(`${JOBS} finished jobs`, function () {
  this.timeout(600_000);
  let directory: string;
  let apiServer: ChildProcess;
  let apiServerPort: string;
  let values: Readonly<Record<string, { readonly nodeOptions: string }>>;

  before(async () => {
    values = parse(await readFile('charts/zipjobs/values.yaml', 'utf8')) as typeof values;
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-crowded-'));
    await writeFile(join(directory, 'token'), 'token');
    await copyFile(PRIVATE_TLS.authorityPath, join(directory, 'ca.crt'));
    apiServer = fork(join(import.meta.dirname, 'crowded-api-server-main.ts'), [...COUNTS], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const [line] = (await once(createInterface({ input: apiServer.stdout ?? process.stdin }), 'line')) as [
      string,
    ];
    apiServerPort = line;
  });
  after(async () => {
    apiServer.kill('SIGKILL');
    await rm(directory, { recursive: true });
  });

  const started = async (folder: string, onSpawn?: (pid: number) => void) => {
    const { args, env } = imageProcess(`${folder}/Dockerfile`, directory);
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
        LEASE_DURATION_MS: '120000',
        DASHBOARD_URL: `http://127.0.0.1:${port}`,
      },
    });
    onSpawn?.(child.pid ?? 0);
    const ask = async (path: string): Promise<string | undefined> => {
      const response = await fetch(`http://127.0.0.1:${adminPort}${path}`).catch(() => undefined);
      const text = await response?.text();
      return response?.ok === true ? text : undefined;
    };
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
  };

  for (const folder of ['controller', 'api', 'dashboard'])
    it(`fit into the ${folder}, which receives them as a watch (G1)`, async () => {
      // Fills the compile cache, which the images contain.
      await (await started(folder))[Symbol.asyncDispose]();
      await using server = await started(folder);
      const cpuMs = await server.cpuMs();
      if (folder === 'controller')
        await until(
          'every job to have been reconciled',
          async () => metric((await server.ask('/metrics')) ?? '', RECONCILES) >= JOBS,
          { limitMs: 300_000 },
        );
      const { resident, peak } = await server.memory();
      console.log(
        `      ${folder}: ready after ${server.readyMs.toFixed(0)} ms and ${cpuMs} ms of CPU; resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`,
      );
      expect(resident).to.be.greaterThan(0).and.lessThan(RESIDENT_BAR_BYTES);
      expect(peak).to.be.lessThan(PEAK_BAR_BYTES);
    });

  const newJobs = async (pid: number): Promise<NewJobTimes> => {
    const response = once(apiServer, 'message');
    apiServer.send({ count: NEW_JOBS, pid } satisfies NewJobs);
    const [times] = (await response) as [NewJobTimes];
    return times;
  };

  const report = (when: string, { ms, cpuMs }: NewJobTimes): void => {
    const [p50 = '', p99 = '', cpu50 = '', cpu99 = ''] = [ms, cpuMs].flatMap((times) =>
      [0.5, 0.99].map((share) => quantile(times, share).toFixed(0)),
    );
    console.log(
      `      ${ms.length} new ZipJobs ${when}: p50 ${p50} ms, p99 ${p99} ms until the Job; CPU ${cpu50} and ${cpu99} ms; load ${loadavg()[0]?.toFixed(1)}`,
    );
  };

  it('create the Jobs of new ZipJobs while a new leader reconciles every job once (G1)', async () => {
    let pid = 0;
    let measuring: Promise<NewJobTimes> | undefined;
    await using controller = await started('controller', (spawned) => {
      pid = spawned;
      measuring = newJobs(pid);
    });
    const atStart = await measuring;
    if (!atStart) throw new Error('no ZipJobs were created');
    const reconciles = async (): Promise<number> =>
      metric((await controller.ask('/metrics')) ?? '', RECONCILES);
    const untilLast = await reconciles();
    report(`until reconcile ${untilLast}`, atStart);
    await until('every job to have been reconciled', async () => (await reconciles()) >= JOBS, {
      limitMs: 300_000,
    });
    const atRest = await newJobs(pid);
    report('at rest', atRest);
    expect(untilLast).to.be.lessThan(JOBS);
    expect(atRest.requests).to.equal(2 * (NEW_JOBS + 1));
  });
});
