/**
 * Fuzzes strict parsing: generated bodies are read as the API reads them, four at a time. Compares the result with an
 * oracle and records heap and event loop delay. The exit code is not 0 if one of them is wrong.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { quantile } from '#test/bench/rates.ts';
import { createReadHostile } from './json/read-hostile.ts';

const USAGE = `npm run fuzz:json -- [--seconds N] [--seed S]
  --seconds N  how long (default 300)
  --seed S     repeats the bodies of an earlier run (default: by the clock)`;
/** More bodies of the largest size than MAX_BODY_BYTES_IN_FLIGHT allows at the same time. */
const LANES = 4;
const MIB = 1024 * 1024;
const MAX_HEAP_MIB = 256;
const MAX_DELAY_MS = 250;
/** In a shorter run, p99.9 is one of the longest delays of all, which other processes cause. */
const LONG_RUN_SECONDS = 60;

const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
const seconds = Number(values.seconds ?? 300);
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
if (!(seconds > 0) || !Number.isSafeInteger(seed)) throw new Error(USAGE);

const source = new Worker(new URL('./json-source-main.ts', import.meta.url), {
  workerData: seed,
  resourceLimits: { maxOldGenerationSizeMb: 1_024 },
});
const waiting: ((body: Buffer) => void)[] = [];
source.on('message', (body: Uint8Array) => waiting.shift()?.(Buffer.from(body.buffer)));

function nextBody(): Promise<Buffer> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    source.postMessage('next');
  });
}

const outcomes = new Map<string, number>();
const differences: string[] = [];
let bytes = 0;
let count = 0;
let peakHeap = 0;
let peakResident = 0;
/** Processor time between two timers: the event loop delay that the process itself causes. */
const busyTimes: number[] = [];
let usedMs = 0;

function sample(): void {
  const { user, system } = process.threadCpuUsage();
  busyTimes.push((user + system) / 1000 - usedMs);
  usedMs = (user + system) / 1000;
  const { heapUsed, rss } = process.memoryUsage();
  peakHeap = Math.max(peakHeap, heapUsed);
  peakResident = Math.max(peakResident, rss);
}

const readHostile = createReadHostile();
const endsAt = performance.now() + seconds * 1000;

async function lane(): Promise<void> {
  while (performance.now() < endsAt) {
    const body = await nextBody();
    const index = count;
    count += 1;
    bytes += body.length;
    const { outcome, difference } = await readHostile(body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (difference !== undefined)
      differences.push(`body ${index}: ${difference}: ${body.subarray(0, 500).toString()}`);
  }
}

const delays = monitorEventLoopDelay({ resolution: 10 });
delays.enable();
const timer = setInterval(sample, 5);
await Promise.all(Array.from({ length: LANES }, lane));
clearInterval(timer);
delays.disable();
await source.terminate();

function delayMs(percentile: number): number {
  return Math.round(delays.percentile(percentile) / 1e6);
}

const heapMib = Math.round(peakHeap / MIB);
for (const line of differences.slice(0, 20)) console.log(line);
console.log(`seed ${seed}: ${count} bodies, ${Math.round(bytes / MIB)} MiB, in ${seconds} s`);
console.log(`outcomes: ${[...outcomes].map(([name, times]) => `${name} ${times}`).join(', ')}`);
console.log(`peak heap ${heapMib} MiB, peak resident ${Math.round(peakResident / MIB)} MiB`);
console.log(
  `event loop delay p50 ${delayMs(50)} ms, p99 ${delayMs(99)} ms, p99.9 ${delayMs(99.9)} ms, longest ${Math.round(delays.max / 1e6)} ms`,
);
const busyMs = quantile(busyTimes.slice(1), 0.999);
console.log(
  `processor time between two timers p99.9 ${busyMs.toFixed(0)} ms, longest ${Math.max(...busyTimes.slice(1)).toFixed(0)} ms`,
);
console.log(`${differences.length} differences`);
const isSlow = seconds >= LONG_RUN_SECONDS ? delayMs(99.9) > MAX_DELAY_MS : busyMs > MAX_DELAY_MS;
process.exitCode = differences.length > 0 || heapMib > MAX_HEAP_MIB || isSlow ? 1 : 0;
