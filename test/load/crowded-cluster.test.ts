/**
 * Memory of the servers with many finished jobs: 100,000, or CROWDED_JOBS. The API server is in memory: so many objects
 * would take a real one ten minutes.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import type { CrowdedCounts } from './crowded-api-server-main.ts';

const MIB = 1024 * 1024;
const JOBS = Number(process.env['CROWDED_JOBS'] ?? 100_000);
/** Ended pods are limited (MAX_FINISHED_PODS). */
const PODS = Math.min(5_000, JOBS / 10);
const COUNTS: CrowdedCounts = [String(JOBS), String(PODS)];
const RESIDENT_BAR_BYTES = 200 * MIB;
/** While the lists arrive, and while a new leader reconciles all jobs. */
const PEAK_BAR_BYTES = 220 * MIB;
/** As in values.yaml. */
const NODE_OPTIONS = '--max-semi-space-size=4 --max-old-space-size=256';

const metric = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);

describe(`${JOBS} finished jobs`, function () {
  this.timeout(600_000);
  let directory: string;
  let apiServer: ChildProcess;
  let apiServerPort: string;

  before(async () => {
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

  const started = async (folder: string) => {
    const { args, env } = imageProcess(`${folder}/Dockerfile`, directory);
    const [port = 0, adminPort = 0] = await freePorts(2);
    const startMs = performance.now();
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...env,
        NODE_OPTIONS,
        HOST: '127.0.0.1',
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        SERVICE_ACCOUNT_DIR: directory,
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: apiServerPort,
        POD_NAME: folder,
        POD_NAMESPACE: 'zipjobs-system',
        ZIPPER_IMAGE: 'zipper:1',
        DASHBOARD_URL: `http://127.0.0.1:${port}`,
      },
    });
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
          async () =>
            metric(
              (await server.ask('/metrics')) ?? '',
              'workqueue_work_duration_seconds_count{name="zipjob"}',
            ) >= JOBS,
          { limitMs: 300_000 },
        );
      const { resident, peak } = await server.memory();
      console.log(
        `      ${folder}: ready after ${server.readyMs.toFixed(0)} ms and ${cpuMs} ms of CPU; resident ${(resident / MIB).toFixed(0)} MiB, peak ${(peak / MIB).toFixed(0)} MiB`,
      );
      expect(resident).to.be.greaterThan(0).and.lessThan(RESIDENT_BAR_BYTES);
      expect(peak).to.be.lessThan(PEAK_BAR_BYTES);
    });
});
