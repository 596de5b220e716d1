/** The API compared with the API server: creates, reads, slow clients, large requests, and memory. */
import { randomUUID } from 'node:crypto';
import { presignedRequest } from '#test/support/clients/presigned-request.ts';
import { openSlowClients } from '#test/support/clients/slow-clients.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { cpuSecondsOf } from '#test/support/processes/process-cpu.ts';
import { memoryOf } from '#test/support/processes/process-memory.ts';
import type { Project } from '#test/support/worlds/project.ts';
import { type ApiWorld, openApiWorld } from './api-world.ts';
import { createStraight, latencyAtRate, measureThroughput, post, readTemplate } from './creates.ts';

const MIB = 1024 * 1024;

interface Figure {
  readonly case: 'api';
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The target of the value. */
  readonly bar: string;
}

function figure(what: string, value: number, [unit, bar]: readonly [string, string]): Figure {
  return {
    case: 'api',
    what,
    value: Number(value.toPrecision(3)),
    unit,
    bar,
  };
}

async function memory({ pid }: ApiWorld, when: string): Promise<readonly Figure[]> {
  const { resident, peak } = await memoryOf(pid);
  return [
    figure(`memory, ${when}`, resident / MIB, ['MiB', '']),
    figure(`peak memory, ${when}`, peak / MIB, ['MiB', '< 200']),
  ];
}

async function readFinished(world: ApiWorld, index: number): Promise<void> {
  const uuid = world.stored[index % world.stored.length] ?? '';
  const status = await world.ask({ method: 'GET', path: `/v1/zips/${uuid}` });
  if (status !== 200) throw new Error(`GET /v1/zips/${uuid} returned ${status}`);
}

async function reads(world: ApiWorld, count: number): Promise<readonly Figure[]> {
  const before = await cpuSecondsOf(world.pid);
  const startedAt = performance.now();
  await inParallel(count, 32, (index) => readFinished(world, index));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (await cpuSecondsOf(world.pid)) - before;
  return [
    figure('reads of finished jobs', count / seconds, ['/s', '']),
    figure('reads of finished jobs, per second of processor time', count / cpuSeconds, ['/s', '>= 2000']),
  ];
}

async function creates(world: ApiWorld, seconds: number): Promise<readonly Figure[]> {
  const template = await readTemplate(world);
  const rate = { count: 200 * seconds, perSecond: 200 };
  await latencyAtRate({ count: 400, perSecond: 200 }, () => post(world));
  const { p50, p99, failed } = await latencyAtRate(rate, () => post(world));
  const alone = await latencyAtRate(rate, () => createStraight(world, template));
  const counts = { count: 50 * seconds, rounds: 3 };
  const { throughApi, straight, asApi } = await measureThroughput(world, template, counts);
  return [
    figure('creates at 200/s, p50', p50, ['ms', '']),
    figure('creates at 200/s, p99', p99, ['ms', '< 100']),
    figure('creates at 200/s, failed', failed, ['', '0']),
    figure('the same objects directly at 200/s, p50', alone.p50, ['ms', '']),
    figure('the same objects directly at 200/s, p99', alone.p99, ['ms', '']),
    figure('creates', throughApi, ['/s', '']),
    figure('the same objects directly', straight, ['/s', '']),
    figure('the same objects directly, with the account of the API', asApi, ['/s', '']),
    figure('creates, ratio', throughApi / straight, ['', '>= 0.8']),
    figure('creates, ratio to the account of the API', throughApi / asApi, ['', '']),
  ];
}

async function besideSlowClients(world: ApiWorld, seconds: number): Promise<readonly Figure[]> {
  const { baseUrl: url, project } = world;
  using slow = openSlowClients({ url, count: 1_000, everyMs: 5_000, token: project.token });
  const rate = { count: 100 * seconds, perSecond: 100 };
  let next = 0;
  const { p50, p99, failed } = await latencyAtRate(rate, () => readFinished(world, next++));
  return [
    figure('connected slow clients', slow.connected, ['', '']),
    figure('reads during slow clients, p50', p50, ['ms', '']),
    figure('reads during slow clients, p99', p99, ['ms', '< 100']),
    figure('reads during slow clients, failed', failed, ['', '0']),
  ];
}

async function postLarge(world: ApiWorld, { bucketName, token }: Project): Promise<number> {
  const body = presignedRequest({
    bucketName,
    key: `${randomUUID()}.zip`,
    count: 10_000,
    url: (index) => `https://files.example.com/${index}`,
    secret: randomUUID(),
  });
  const startedAt = performance.now();
  const status = await world.ask({ method: 'POST', path: '/v1/zips', body, token });
  if (status !== 201) throw new Error(`10,000 URLs returned ${status}`);
  return performance.now() - startedAt;
}

async function largeRequests(world: ApiWorld): Promise<readonly Figure[]> {
  const oneByOne: number[] = [];
  for (let round = 0; round < 3; round += 1) oneByOne.push(await postLarge(world, world.project));
  const projects = [world.project, ...world.others];
  const atOnce = await Promise.all(projects.map((project) => postLarge(world, project)));
  const { peak } = await memoryOf(world.pid);
  return [
    figure('10,000 presigned URLs of 1,964 characters, slowest of 3', Math.max(...oneByOne), [
      'ms',
      '< 2000',
    ]),
    figure('the same from three projects at once, slowest', Math.max(...atOnce), ['ms', '']),
    figure('peak memory, after large requests', peak / MIB, ['MiB', '< 512, the limit of the container']),
  ];
}

/** Runs on a local cluster of its own, with the controller stopped. */
export async function measureApi(isQuick: boolean, log: (line: string) => void): Promise<readonly Figure[]> {
  const seconds = isQuick ? 5 : 20;
  await using world = await openApiWorld(isQuick ? 1_000 : 10_000, log);
  const steps: readonly (() => Promise<readonly Figure[]>)[] = [
    () => memory(world, 'ready'),
    () => reads(world, 1_000 * seconds),
    () => creates(world, seconds),
    () => besideSlowClients(world, seconds),
    () => memory(world, 'after load'),
    () => largeRequests(world),
  ];
  const figures: Figure[] = [];
  for (const step of steps) {
    const some = await step();
    for (const { what, value, unit } of some) log(`api: ${what}: ${value} ${unit}`);
    figures.push(...some);
  }
  return figures;
}
