import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { createSharedCounts } from '#runtime/redis/request-counts.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { type RedisScript, startScriptedRedis } from '#test/support/servers/scripted-redis.ts';
import { certificatePath } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';

/** A count of 1, and 60 s until the window ends. */
const COUNTED = '*2\r\n:1\r\n:60000';
/** The scripted server leaves a command without a response. */
const NONE = '';
const REPLICA = "-READONLY You can't write against a read only replica.";

describe('a Redis that refuses commands', () => {
  let life: AsyncDisposableStack;
  beforeEach(() => {
    life = new AsyncDisposableStack();
  });
  afterEach(() => life.disposeAsync());

  // Long enough for a busy machine: a response that is late would be another failure.
  async function connect(script: RedisScript, timeoutMs = 30_000) {
    const server = life.use(await startScriptedRedis(script));
    const clock = createManualClock();
    const config = {
      ...readApiConfig({ REDIS_URL: `redis://127.0.0.1:${server.port}` }),
      redisTimeoutMs: timeoutMs,
    };
    const redis = life.use(createRedis(config, { trust: BUILT_IN_TRUST, clock, onError: () => undefined }));
    const lines: string[] = [];
    const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
    let uncounted = 0;
    const count = createSharedCounts({
      redis,
      keyPrefix: 'zipjobs:',
      clock,
      log,
      onUncounted: () => {
        uncounted += 1;
      },
    });
    function isReady() {
      return until('the connection', () => redis.status === 'ready');
    }
    await isReady();
    /** Counts after the pause that follows a failure. */
    async function take() {
      clock.jump(500);
      return count('token', 'team-a/backend');
    }
    return { server, clock, redis, lines, take, isReady, uncounted: () => uncounted };
  }

  for (const response of [
    REPLICA,
    '-LOADING Redis is loading the dataset in memory',
    "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    '-NOREPLICAS Not enough good replicas to write.',
    "-ERR Error running script (call to f_1): @user_script:2: @user_script: 2: -READONLY You can't write against a read only replica.",
  ])
    it(`connects again, to the address that its name has now, after "${response.slice(0, 90)}" (BC2)`, async () => {
      let isPrimary = false;
      const { server, take, isReady, lines } = await connect(() => (isPrimary ? COUNTED : response));
      expect(await take()).to.equal(undefined);
      isPrimary = true;
      await until('another connection', () => server.connections() === 2);
      await isReady();
      expect(await take()).to.deep.equal({ used: 1, resetMs: 60_000 });
      expect(lines.join('')).to.include(response.slice(1)).and.not.include('does not respond');
    });

  it('connects again after two seconds if Redis does not respond any more, as after the loss of its node (BC2)', async () => {
    let isLost = true;
    const { server, take, isReady } = await connect(() => (isLost ? NONE : COUNTED), 200);
    expect(await take()).to.equal(undefined);
    isLost = false;
    await until('another connection', () => server.connections() === 2);
    await isReady();
    await until('the count', async () => (await take()) !== undefined);
  });

  it('connects again at most every two seconds while Redis stays read-only (BC2)', async () => {
    const { server, clock, redis, take, isReady, uncounted } = await connect(() => REPLICA);
    await take();
    await until('another connection', () => server.connections() === 2);
    await isReady();
    for (let n = 0; n < 3; n += 1) await take();
    expect(uncounted()).to.equal(4);
    expect([server.connections(), redis.status]).to.deep.equal([2, 'ready']);
    clock.jump(500);
    await take();
    await until('the next connection', () => server.connections() === 3);
  });

  for (const response of [
    "-NOPERM User zipjobs has no permissions to run the 'evalsha' command",
    '-MOVED 3999 127.0.0.1:6381',
    "-OOM command not allowed when used memory > 'maxmemory'.",
  ])
    it(`keeps the connection, and logs what Redis responded, after "${response}" (BC21)`, async () => {
      const { server, lines, take, uncounted, redis } = await connect(() => response);
      expect(await take()).to.equal(undefined);
      expect(await take()).to.equal(undefined);
      expect(uncounted()).to.equal(2);
      expect([server.connections(), redis.status]).to.deep.equal([1, 'ready']);
      expect(lines, lines.join('')).to.have.length(1);
      expect(lines[0]).to.include(response.slice(1)).and.not.include('does not respond');
    });

  it('logs each different response once a minute (BC21)', async () => {
    let response = '-NOPERM User zipjobs has no permissions';
    const { lines, take, clock } = await connect(() => response);
    function codes(): readonly string[] {
      return lines.map((line) => /NOPERM|OOM/.exec(line)?.[0] ?? line);
    }
    await take();
    response = '-OOM command not allowed';
    for (let n = 0; n < 3; n += 1) await take();
    expect(codes()).to.deep.equal(['NOPERM', 'OOM']);
    clock.jump(60_000);
    await take();
    expect(codes()).to.deep.equal(['NOPERM', 'OOM', 'OOM']);
  });

  it('logs why there is no connection, without the password (BC21)', async () => {
    const server = life.use(
      await startScriptedRedis(() => '-WRONGPASS invalid username-password pair or user is disabled.'),
    );
    const config = readApiConfig({
      REDIS_URL: `redis://127.0.0.1:${server.port}`,
      REDIS_PASSWORD: 'correct-horse',
    });
    const clock = createManualClock();
    const redis = life.use(createRedis(config, { trust: BUILT_IN_TRUST, clock, onError: () => undefined }));
    const lines: string[] = [];
    const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
    const count = createSharedCounts({ redis, keyPrefix: '', clock, log, onUncounted: () => undefined });
    await until('Redis to refuse the password', () => server.connections() >= 2);
    expect(await count('token', 'a')).to.equal(undefined);
    expect(lines.join('')).to.include('WRONGPASS').and.not.include('correct-horse');
  });
});

describe('a rediss:// URL', () => {
  for (const [host, serverName] of [
    ['localhost', 'localhost'],
    // Node reports no name as false.
    ['127.0.0.1', 'false'],
  ] as const)
    it(`sends the name of the host as server name, and no address: ${host} (BC8)`, async () => {
      await using server = await startScriptedRedis(() => COUNTED, { tls: true });
      const config = readApiConfig({
        REDIS_URL: `rediss://${host}:${server.port}`,
        REDIS_CA_FILE: certificatePath('private-ca.pem'),
      });
      const errors: Error[] = [];
      await using redis = createRedis(config, {
        trust: BUILT_IN_TRUST,
        clock: createManualClock(),
        onError: (error) => errors.push(error),
      });
      await until('the connection', () => redis.status === 'ready' || errors.length > 0);
      expect(errors.map(String)).to.deep.equal([]);
      expect(server.serverNames).to.deep.equal([serverName]);
    });
});
