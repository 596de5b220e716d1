/** Replicas of the API that share their limits in a real Redis, which the tests stop. */

import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { createSharedCounts } from '#runtime/redis/request-counts.ts';
import { REDIS_KEY_PREFIX } from '#runtime/redis/settings.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { type ConfigChange, changedConfig } from '#test/support/builders/changed-config.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type ApiServer, aToken, startApiServer } from '#test/support/servers/api-server.ts';
import { type RedisServer, startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';

const PATH = '/v1/zips/6f1c1f0e-0000-4000-8000-000000000000';
const TOKEN = 'the-shared-token';

interface Replica extends AsyncDisposable {
  readonly api: ApiServer;
  readonly lines: string[];
  uncounted(): number;
  get(token: string): Promise<{ status: number; left: string | null }>;
}

async function startReplica(env: ConfigChange, limit: number): Promise<Replica> {
  const life = new AsyncDisposableStack();
  const lines: string[] = [];
  const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
  const config = changedConfig(readApiConfig, env);
  const trust = createBundleTrust(config, { clock: systemClock, log });
  const redis = life.use(createRedis(config, { trust, clock: systemClock, onError: () => undefined }));
  let uncounted = 0;
  function onUncounted(): void {
    uncounted += 1;
  }
  const keyPrefix = REDIS_KEY_PREFIX;
  const count = createSharedCounts({ redis, keyPrefix, clock: systemClock, log, onUncounted });
  const api = life.use(
    await startApiServer({
      count,
      rateLimits: { requestsPerMinutePerToken: limit, authFailuresPerMinute: limit },
    }),
  );
  return {
    api,
    lines,
    uncounted: () => uncounted,
    get: async (token) => {
      const { status, headers } = await api.ask({ path: PATH, token });
      return { status, left: headers.get('ratelimit') };
    },
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  };
}

describe('rate limits in Redis', function () {
  this.timeout(120_000);
  let life: AsyncDisposableStack;
  before(function () {
    return requirePrograms(this, ['redis-server']);
  });
  beforeEach(() => {
    life = new AsyncDisposableStack();
  });
  afterEach(() => life.disposeAsync());

  async function startReplicas(redis: RedisServer, limit: number, env: ConfigChange = {}) {
    // High enough that a busy machine causes no fallback to uncounted requests.
    const settings = { REDIS_URL: redis.url, redisTimeoutMs: 30_000, ...env };
    const replicas = [
      life.use(await startReplica(settings, limit)),
      life.use(await startReplica(settings, limit)),
    ] as const;
    const { token } = replicas[0].api;
    replicas[1].api.tokens.put(aToken('team-a', token));
    for (const replica of replicas)
      await until('the replica to count requests', async () => (await replica.get(token)).left !== null);
    return { replicas, token };
  }
  function leftOf(text: string | null): number {
    return Number(/r=(\d+)/.exec(text ?? '')?.[1] ?? -1);
  }

  it('apply to all replicas together (T8)', async () => {
    const redis = life.use(await startRedisServer());
    const { replicas, token } = await startReplicas(redis, 60);
    const seen = [];
    for (let n = 0; n < 6; n += 1) seen.push(leftOf((await replicas[n % 2 === 0 ? 0 : 1].get(token)).left));
    const [first = 0] = seen;
    expect(seen).to.deep.equal([0, 1, 2, 3, 4, 5].map((n) => first - n));
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async (_, n) => (await replicas[n % 2 === 0 ? 0 : 1].get(token)).status),
    );
    expect(statuses.filter((status) => status === 404)).to.have.length(first - 5);
    expect(statuses.filter((status) => status === 429)).to.have.length(80 - (first - 5));
  });

  it('stop a flood of invalid tokens that is spread over the replicas (T9)', async () => {
    const redis = life.use(await startRedisServer());
    const { replicas } = await startReplicas(redis, 10);
    const statuses: number[] = [];
    for (let n = 0; n < 14; n += 1) statuses.push((await replicas[n % 2 === 0 ? 0 : 1].get(TOKEN)).status);
    expect(statuses).to.deep.equal([...Array<number>(10).fill(401), ...Array<number>(4).fill(429)]);
  });

  it('let requests pass while Redis is down, log it once, and apply again when Redis returns', async () => {
    const redis = life.use(await startRedisServer());
    const { replicas, token } = await startReplicas(redis, 100);
    const [replica] = replicas;
    const stop = new AbortController();
    const statuses = new Map<number, number>();
    const load = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const { status } = await replica.get(`${token}x`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    await redis.kill();
    await until('requests to pass uncounted', () => replica.uncounted() > 200);
    for (let n = 0; n < 120; n += 1)
      expect(await replica.get(token)).to.deep.equal({ status: 404, left: null });
    await redis.start();
    await until('requests to be counted again', async () => (await replica.get(token)).left !== null);
    stop.abort();
    await Promise.all(load);
    expect([...statuses.keys()].every((status) => status === 401 || status === 429)).to.equal(true);
    const reported = replica.lines.filter((line) => line.includes('Redis does not respond'));
    expect(reported).to.have.length(1);
    expect(replica.lines.join('')).to.not.include(redis.url);
  });

  it('end a minute after a forged counter, and count again, whatever Redis has (T8)', async () => {
    const redis = life.use(await startRedisServer());
    const { replicas, token } = await startReplicas(redis, 60);
    const [replica] = replicas;
    await replica.get(`${token}x`);
    await using client = createRedis(readApiConfig({ REDIS_URL: redis.url }), {
      trust: createBundleTrust(readApiConfig({}), {
        clock: systemClock,
        log: createLogger('test', { level: 'silent' }),
      }),
      clock: systemClock,
      onError: () => undefined,
    });
    await until('the client to connect', () => client.status === 'ready');
    const keys = await client.keys('*');
    expect(keys.length).to.be.at.least(2);
    function forge(write: (key: string) => Promise<unknown>) {
      return Promise.all(keys.map(write));
    }
    const uncounted = replica.uncounted();
    for (const [write, status] of [
      [(key: string) => client.set(key, 'text'), 404],
      [(key: string) => client.del(key).then(() => client.rpush(key, 'list')), 404],
      [(key: string) => client.set(key, '9223372036854775807'), 404],
      [(key: string) => client.set(key, '-1000000'), 404],
      [(key: string) => client.set(key, '1000000'), 429],
      [(key: string) => client.set(key, '1000000', 'EX', 31_536_000), 429],
    ] as const) {
      await forge(write);
      const responses = [await replica.get(token), await replica.get(`${token}x`)];
      expect(responses[0]?.status).to.equal(status);
      expect(responses[1]?.status).to.be.oneOf([401, 429]);
      expect(leftOf(responses[0]?.left ?? null)).to.be.within(0, 60);
      for (const key of keys) expect(await client.pttl(key), key).to.be.within(1, 60_000);
    }
    expect(replica.uncounted()).to.equal(uncounted);
  });

  it('do not delay requests when Redis does not respond', async () => {
    const redis = life.use(await startRedisServer());
    const { replicas, token } = await startReplicas(redis, 1_000, { redisTimeoutMs: 50 });
    redis.freeze();
    try {
      const responses = await Promise.all(Array.from({ length: 50 }, () => replicas[0].get(token)));
      expect(new Set(responses.map(({ status }) => status))).to.deep.equal(new Set([404]));
      expect(replicas[0].uncounted()).to.be.at.least(50);
    } finally {
      redis.thaw();
    }
    await until('requests to be counted again', async () => (await replicas[0].get(token)).left !== null);
  });

  it('work over TLS with a password and its CA or the trust bundle, and not without (X22)', async () => {
    const redis = life.use(await startRedisServer({ password: 'correct-horse', tls: true }));
    const valid = { REDIS_PASSWORD: 'correct-horse', REDIS_CA_FILE: redis.caPath };
    await startReplicas(redis, 100, valid);
    await startReplicas(redis, 100, { REDIS_PASSWORD: 'correct-horse', TRUST_BUNDLE_FILE: redis.caPath });
    for (const env of [
      { ...valid, REDIS_CA_FILE: '' },
      { ...valid, REDIS_PASSWORD: 'wrong' },
    ]) {
      const replica = life.use(await startReplica({ REDIS_URL: redis.url, ...env }, 100));
      const { token } = replica.api;
      for (let n = 0; n < 3; n += 1)
        expect(await replica.get(token)).to.deep.equal({ status: 404, left: null });
      expect(replica.lines.join('')).to.not.include('correct-horse').and.not.include('wrong');
    }
  });
});

describe('settings of Redis', () => {
  it('are refused when they are invalid, without printing the secret', () => {
    expect(() => readApiConfig({ REDIS_URL: 'http://user:hunter2@redis' }))
      .to.throw('REDIS_URL')
      .that.satisfies((error: Error) => !error.message.includes('hunter2'));
  });
});
