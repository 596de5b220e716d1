/** Refused requests of several API processes in a real Redis. */
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { readApiConfig } from '#api/config.ts';
import { createRefusedLog, type RefusedLog } from '#api/refused/refused-log.ts';
import { type SharedRefused, shareRefused } from '#api/refused/shared-refused.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { REDIS_KEY_PREFIX } from '#runtime/redis/settings.ts';
import { MAX_REFUSED, mergeEntries, type RefusedEntry } from '#runtime/refused-requests/refused-request.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type RedisServer, startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';

const PROJECT = '6f1c1f0e-0000-4000-8000-000000000000';
const KEY = `${REDIS_KEY_PREFIX}refused:${PROJECT}`;

interface Process {
  readonly entries: RefusedLog;
  readonly shared: SharedRefused;
  readonly lines: readonly string[];
  readonly redis: Redis;
}

describe('refused requests in Redis', function () {
  this.timeout(60_000);
  let life: AsyncDisposableStack;
  let server: RedisServer;
  let clock: ManualClock;
  before(function () {
    return requirePrograms(this, ['redis-server']);
  });
  beforeEach(async () => {
    life = new AsyncDisposableStack();
    server = life.use(await startRedisServer());
    clock = createManualClock(new Date());
  });
  afterEach(() => life.disposeAsync());

  async function start(replica: string): Promise<Process> {
    const config = { ...readApiConfig({ REDIS_URL: server.url }), redisTimeoutMs: 10_000 };
    const redis = life.use(
      createRedis(config, {
        trust: BUILT_IN_TRUST,
        clock: { monotonicMs: () => performance.now() },
        onError: () => undefined,
      }),
    );
    await until('the connection', () => redis.status === 'ready');
    const lines: string[] = [];
    const log = createLogger('api', { level: 'warn', destination: { write: (line) => lines.push(line) } });
    const entries = createRefusedLog({ clock, replica, isShared: true });
    const shared = life.use(shareRefused({ redis, keyPrefix: REDIS_KEY_PREFIX, entries, clock, log }));
    return { entries, shared, lines, redis };
  }
  function note({ entries }: Process, requestId: string, token = 'zj_A...wxyz'): void {
    entries.note({
      projectUid: PROJECT,
      requestId,
      token,
      method: 'POST',
      route: '/v1/zips',
      status: 429,
      code: 'rate_limit_exceeded',
      param: '',
    });
  }
  async function read({ shared, entries }: Process): Promise<readonly RefusedEntry[]> {
    return mergeEntries([...(await shared.of(PROJECT)), ...entries.of(PROJECT)]);
  }
  async function untilCounted(process: Process, count: number): Promise<RefusedEntry | undefined> {
    let found: RefusedEntry | undefined;
    await until(`${count} requests`, async () => {
      await clock.advance(1_000);
      [found] = await read(process);
      return found?.count === count;
    });
    return found;
  }

  it('are those of all processes, also of those that have ended', async () => {
    const [one, other] = [await start('one'), await start('other')];
    note(one, 'first');
    note(other, 'second');
    expect((await untilCounted(one, 2))?.requestIds).to.have.members(['first', 'second']);
    note(one, 'third');
    await untilCounted(other, 3);
    note(other, 'last');
    await other.shared[Symbol.asyncDispose]();
    expect((await untilCounted(await start('new'), 4))?.requestIds).to.have.length(4);
    expect(await one.redis.zcard(KEY)).to.equal(2);
    expect(await one.redis.pttl(KEY)).to.be.within(1, 7 * 24 * 3_600_000);
  });

  it('are 1,000 entries of a project, however many requests there were', async () => {
    const one = await start('one');
    for (let n = 0; n < MAX_REFUSED + 50; n += 1) note(one, `id-${n}`, `zj_${n}`);
    await until('all to be written', async () => {
      await clock.advance(1_000);
      return (await one.shared.of(PROJECT)).some(({ token }) => token === `zj_${MAX_REFUSED + 49}`);
    });
    expect(await one.redis.zcard(KEY)).to.equal(MAX_REFUSED);
  });

  it('stay in memory while Redis is away, and are written when it is back', async () => {
    const one = await start('one');
    await server.kill();
    await until('the connection to end', () => one.redis.status !== 'ready');
    note(one, 'meanwhile');
    await clock.advance(1_000);
    await until('the warning', () => one.lines.length > 0);
    expect(one.lines.join('')).to.include('could not share refused requests');
    expect(one.entries.of(PROJECT)).to.have.length(1);
    await expectRejection(one.shared.of(PROJECT));
    await server.start();
    await until('the entry in Redis', async () => {
      await clock.advance(5_000);
      return one.redis.status === 'ready' && (await one.shared.of(PROJECT)).length === 1;
    });
    expect(one.lines).to.have.length(1);
  });

  it('are not what others write to Redis', async () => {
    const one = await start('one');
    note(one, 'ours');
    await untilCounted(one, 1);
    const foreign = ['no JSON', '{}', JSON.stringify({ code: '<b>' }), 'x'.repeat(5_000)];
    for (const text of foreign) await one.redis.zadd(KEY, clock.date().getTime(), text);
    expect((await one.shared.of(PROJECT)).map(({ requestIds }) => requestIds)).to.deep.equal([['ours']]);
  });
});

async function expectRejection(task: Promise<unknown>): Promise<void> {
  const outcome = await task.then(
    () => 'resolved',
    () => 'rejected',
  );
  expect(outcome).to.equal('rejected');
}
