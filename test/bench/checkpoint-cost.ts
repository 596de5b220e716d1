/** What a checkpoint of the largest jobs costs the zipper. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { type LargeRecords, largeRecords } from '#test/support/builders/large-records.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { encodeRecords } from '#zipper-image/resume/document.ts';
import type { Records } from '#zipper-image/resume/types.ts';
import { type CheckpointApi, createCheckpointApi } from '#zipper-image/status/checkpoint-api.ts';
import { median } from './bench-result.ts';

export interface CheckpointCost {
  readonly what: string;
  readonly characters: number;
  /** CPU time of the thread to encode and to send: of the first one, and the median of the others. */
  readonly first_cpu_ms: number;
  readonly cpu_ms: number;
  /** The longest time that other work waited, also for other processes: in the first one, and the median of the others. */
  readonly first_blocked_ms: number;
  readonly blocked_ms: number;
}

const CASES: Readonly<Record<string, LargeRecords>> = {
  '10 files, 10,000 parts': { files: 10 },
  '10,000 files, 10,000 parts': {},
  '10,000 files with SHA-256, 10,000 parts': { sha256: true },
};

/** In a thread of its own, whose time does not count. */
const SERVER = `
const { createServer } = require('node:https');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer(workerData, (request, response) => {
  request.resume();
  request.on('end', () => response.end('{}'));
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const STATUS = { uploadId: 'upload', owner: 'pod', plan: 'ab'.repeat(32) };

interface Once {
  readonly characters: number;
  readonly cpuMs: number;
  readonly blockedMs: number;
}

async function writeOnce(api: CheckpointApi, records: Records, sequence: number): Promise<Once> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.threadCpuUsage();
  const text = await encodeRecords(records);
  await api.write({ ...STATUS, sequence, records: text });
  const { user, system } = process.threadCpuUsage(before);
  delay.disable();
  return { characters: text.length, cpuMs: (user + system) / 1000, blockedMs: delay.max / 1e6 };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

async function measureCase(
  api: CheckpointApi,
  [what, given]: readonly [string, LargeRecords],
  runs: number,
): Promise<CheckpointCost> {
  const records = largeRecords(given);
  const first = await writeOnce(api, records, 1);
  const others: Once[] = [];
  for (let run = 0; run < runs; run += 1) others.push(await writeOnce(api, records, run + 2));
  return {
    what,
    characters: first.characters,
    first_cpu_ms: rounded(first.cpuMs),
    cpu_ms: rounded(median(others.map(({ cpuMs }) => cpuMs))),
    first_blocked_ms: rounded(first.blockedMs),
    blocked_ms: rounded(median(others.map(({ blockedMs }) => blockedMs))),
  };
}

/** Encodes records and writes them over HTTPS, as the zipper does. */
export async function measureCheckpoints(runs: number): Promise<readonly CheckpointCost[]> {
  await using life = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'zipjobs-checkpoint-cost-'));
  life.defer(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'ca.crt'), PRIVATE_TLS.authority);
  await writeFile(join(directory, 'token'), 'token');
  const { cert, key } = PRIVATE_TLS;
  const worker = new Worker(SERVER, { eval: true, workerData: { cert, key } });
  life.defer(async () => void (await worker.terminate()));
  const [port] = (await once(worker, 'message')) as [number];
  const api = await createCheckpointApi({
    server: `https://127.0.0.1:${port}`,
    serviceAccountDir: directory,
    target: { namespace: 'bench', name: 'zip-1', uid: 'uid-1' },
    requestTimeoutMs: 30_000,
  });
  life.defer(() => api.close());
  const costs: CheckpointCost[] = [];
  for (const one of Object.entries(CASES)) costs.push(await measureCase(api, one, runs));
  return costs;
}
