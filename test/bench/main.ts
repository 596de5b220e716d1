/**
 * Compares the zipper with its peers in one run: `npm run bench -- [--quick | --full] [--plain] [--json]
 * [--case NAME] [--jobs N] [--only NAME] [--rounds N] [--dir FOLDER] [--profile FILE]`. Origin and store speak HTTPS, or HTTP with
 * `--plain`. `--profile` records each run with perf, which overwrites the file. Cases: small, mixed, big, huge, tiny (only
 * on request, with `node -e 0` for comparison), cold-start, controller, api, and on request pipe (networks that limit each connection;
 * `--way TEXT` for the cases whose name starts with it), neighbours (with `--way NAME` for some of its ways), scale (`--jobs N`
 * running jobs, default 5,000, and `--queued N`, default twenty times as many), checkpoint, resume (`--full` for 10 GiB) and history
 * (`--rows N`, default 1,000,000; `--bulk` to build indexes after the rows). On a shared machine only ratios within one run are
 * meaningful.
 */
import { parseArgs } from 'node:util';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import { measureApi } from './api/measure-api.ts';
import { type BenchCase, benchCases, TINY } from './bench-case.ts';
import { type BenchResult, printTable, ratiosOf } from './bench-result.ts';
import { openWorld } from './bench-world.ts';
import { measureCheckpoints } from './checkpoint-cost.ts';
import { measureColdStart } from './cold-start.ts';
import { type Contender, findContenders, NODE_START, profiled } from './contenders.ts';
import { measureController } from './controller-latency.ts';
import { measureHistory } from './history/measure-history.ts';
import { historyLines } from './history/print-history.ts';
import { measureNeighbours, type NeighbourFigure } from './neighbours/measure-neighbours.ts';
import { measurePipe, type PipeResult, pipeLine } from './pipe/measure-pipe.ts';
import { pipeCases } from './pipe/pipe-cases.ts';
import { measureResume } from './resume-cost.ts';
import { runCase } from './run-case.ts';
import { measureScale, SCALE_JOBS, type ScaleFigure, sizeOf } from './scale/measure-scale.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    case: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    way: { type: 'string', multiple: true },
    jobs: { type: 'string' },
    queued: { type: 'string' },
    rows: { type: 'string', default: '1000000' },
    bulk: { type: 'boolean', default: false },
    dir: { type: 'string' },
    profile: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));

function log(line: string): void {
  console.error(line);
}

function isWanted(name: string): boolean {
  return values.case?.includes(name) ?? true;
}

function isMeasured({ name, onRequest }: Contender): boolean {
  return values.only?.includes(name) ?? onRequest !== true;
}

async function coldStart(): Promise<void> {
  await using host = await ZipperHost.start();
  const result = await measureColdStart(host, { runs: values.quick ? 5 : 15, plain: values.plain });
  if (values.json) console.log(JSON.stringify(result));
  else
    console.log(
      `cold-start: ${result.median_ms} ms from the start of a process to CreateMultipartUpload ` +
        `(median of ${result.runs}; ${result.fastest_ms} to ${result.slowest_ms} ms)`,
    );
}

async function controller(): Promise<void> {
  const results = await measureController(values.quick ? 5 : 20, log);
  const [ours, bare] = results;
  if (!ours || !bare) return;
  const ratio = {
    case: ours.case,
    against: bare.contender,
    p50_ratio: Number((ours.p50_ms / bare.p50_ms).toFixed(2)),
    p99_ratio: Number((ours.p99_ms / bare.p99_ms).toFixed(2)),
  };
  if (values.json) for (const one of [...results, { ratios: [ratio] }]) console.log(JSON.stringify(one));
  else
    console.log(
      `controller: ZipJob seen to Job created at ${ours.per_second}/s: p50 ${ours.p50_ms} ms, p99 ${ours.p99_ms} ms; ` +
        `a bare create: ${bare.p50_ms} and ${bare.p99_ms} ms (${ratio.p50_ratio} and ${ratio.p99_ratio} times as long)`,
    );
}

async function api(): Promise<void> {
  const figures = await measureApi(values.quick, log);
  if (values.json) for (const one of figures) console.log(JSON.stringify(one));
  else
    for (const { what, value, unit, bar } of figures)
      console.log(`api: ${what}: ${value} ${unit}${bar === '' ? '' : ` (target ${bar})`}`);
}

async function checkpoint(): Promise<void> {
  for (const cost of await measureCheckpoints(values.quick ? 10 : 50)) {
    const { what, characters, first_cpu_ms, cpu_ms, first_blocked_ms, blocked_ms } = cost;
    console.log(
      values.json
        ? JSON.stringify(cost)
        : `checkpoint: ${what}: ${characters} characters; ${cpu_ms} ms of CPU (the first ${first_cpu_ms}); ` +
            `other work waited ${blocked_ms} ms (the first ${first_blocked_ms})`,
    );
  }
}

async function neighbours(): Promise<void> {
  const size = values.quick
    ? { seconds: 6, rounds, jobs: 500 }
    : { seconds: 10, rounds: Number(values.rounds ?? 5), jobs: 8_000 };
  function report(figure: NeighbourFigure): void {
    const { way, what, p50_ms, p99_ms, p50_ratio, p99_ratio, attacks_per_s } = figure;
    console.log(
      values.json
        ? JSON.stringify(figure)
        : `neighbours: ${way}: ${what}: p50 ${p50_ms} ms, p99 ${p99_ms} ms; ` +
            `${p50_ratio} and ${p99_ratio} times the undisturbed (targets 1.5 and 3), ` +
            `beside ${attacks_per_s} requests/s`,
    );
  }
  await measureNeighbours({ ...size, ways: values.way ?? [], report, log });
}

async function pipe(): Promise<void> {
  function report(result: PipeResult): void {
    console.log(values.json ? JSON.stringify(result) : pipeLine(result));
  }
  const { way: ways } = values;
  const cases = pipeCases(values.quick).filter(
    ({ name }) => ways?.some((way) => name.startsWith(way)) ?? true,
  );
  await using world = await openWorld({ log, plain: true, parent: values.dir });
  await measurePipe(world, {
    cases,
    rounds,
    isWanted: isMeasured,
    log,
    report,
  });
}

/** On a cluster of its own. */
async function scale(): Promise<void> {
  const queued = values.queued === undefined ? undefined : Number(values.queued);
  function report(one: ScaleFigure): void {
    const { row, what, value, unit, target } = one;
    const line = `scale: ${row}: ${what}: ${value} ${unit}${target === undefined ? '' : ` (target ${target})`}`;
    console.log(values.json ? JSON.stringify(one) : line);
  }
  await using cluster = await startCluster({ log, apiServerMemoryGib: 12 });
  await measureScale({ cluster, size: sizeOf(Number(values.jobs ?? SCALE_JOBS), queued), log, report });
}

async function resume(): Promise<void> {
  const gib = values.full ? 10 : 2;
  const [bytes, pairs] = values.quick ? [256 * 1024 ** 2, 2] : [gib * 1024 ** 3, 10];
  await using world = await openWorld({ log, plain: values.plain, parent: values.dir });
  const ours = (await findContenders(world, log)).find(({ name }) => name === 'zipjobs');
  if (ours === undefined) return;
  const cost = await measureResume(world, ours, { bytes, pairs: Number(values.rounds ?? pairs), log });
  console.log(
    values.json
      ? JSON.stringify(cost)
      : `resume: ${cost.what}: ${cost.with_s} s with checkpoints, ${cost.without_s} s without; median of ${cost.pairs} ratios ` +
          `${cost.wall_ratio} (target 1.01), CPU ${cost.cpu_ratio}; at most ${cost.checkpoints_per_minute} checkpoints a minute ` +
          `(target 2); ${cost.other_requests_without} more requests without them (target 0)`,
  );
}

async function history(): Promise<void> {
  const figures = await measureHistory({
    rows: Number(values.rows),
    runs: values.quick ? 40 : 200,
    isBulk: values.bulk,
    log,
  });
  if (values.json) console.log(JSON.stringify(figures));
  else for (const line of historyLines(figures)) console.log(line);
}

function withNode(bench: BenchCase, contenders: readonly Contender[]): readonly Contender[] {
  return bench === TINY ? [...contenders, NODE_START] : contenders;
}

async function sideBySide(): Promise<void> {
  const size = values.quick ? 'quick' : values.full ? 'full' : 'normal';
  const tiny = values.case?.includes('tiny') === true ? [TINY] : [];
  const cases = [...benchCases(size).filter(({ name }) => isWanted(name)), ...tiny];
  if (cases.length === 0) return;
  const results: BenchResult[] = [];
  await using world = await openWorld({ log, plain: values.plain, parent: values.dir });
  log(`Origin and store speak ${values.plain ? 'HTTP' : 'HTTPS'}`);
  const found = await findContenders(world, log);
  const { profile } = values;
  const contenders = found
    .filter(isMeasured)
    .map((contender) => (profile === undefined ? contender : profiled(contender, profile)));
  for (const bench of cases)
    results.push(...(await runCase(world, withNode(bench, contenders), { bench, rounds, log })));
  const ratios = ratiosOf(results);
  if (values.json) for (const one of [...results, { ratios }]) console.log(JSON.stringify(one));
  else printTable(results, ratios);
}

if (isWanted('cold-start')) await coldStart();
if (isWanted('controller')) await controller();
if (isWanted('api')) await api();
// An hour or more, so only on request.
if (values.case?.includes('scale') === true) await scale();
if (values.case?.includes('checkpoint') === true) await checkpoint();
if (values.case?.includes('neighbours') === true) await neighbours();
if (values.case?.includes('pipe') === true) await pipe();
if (values.case?.includes('resume') === true) await resume();
if (values.case?.includes('history') === true) await history();
await sideBySide();
