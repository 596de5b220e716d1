/** What is limited, and what is logged, while a real Redis cannot count. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { readApiConfig } from '#api/config.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { createSharedCounts } from '#runtime/redis/request-counts.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '#test/support/servers/redis-server.ts';
import { certificatePath, startTlsFront } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const PASSWORD = 'correct-horse';

describe('a real Redis', function () {
  this.timeout(60_000);
  let life: AsyncDisposableStack;
  before(async function () {
    await requirePrograms(this, ['redis-server']);
  });
  beforeEach(() => {
    life = new AsyncDisposableStack();
  });
  afterEach(() => life.disposeAsync());

  async function start(options: RedisServerOptions = {}): Promise<RedisServer> {
    return life.use(await startRedisServer(options));
  }

  function admin({ url }: RedisServer): Redis {
    return life.adopt(new Redis(url), (client) => client.disconnect());
  }

  /** Counts requests of one token as the API does. */
  async function countIn(REDIS_URL: string, more: Readonly<Record<string, string>> = {}) {
    const config = { ...readApiConfig({ REDIS_URL, ...more }), redisTimeoutMs: 30_000 };
    const redis = life.use(
      createRedis(config, { trust: BUILT_IN_TRUST, clock: systemClock, onError: () => undefined }),
    );
    const lines: string[] = [];
    const log = createLogger('api', { level: 'info', destination: { write: (line) => lines.push(line) } });
    const count = createSharedCounts({
      redis,
      keyPrefix: 'zipjobs:',
      clock: systemClock,
      log,
      onUncounted: () => undefined,
    });
    await until('the connection', () => redis.status === 'ready' || redis.status === 'reconnecting');
    async function used(): Promise<number | undefined> {
      return (await count('token', 'team-a/backend'))?.used;
    }
    async function untilCounted(): Promise<number> {
      let counted: number | undefined;
      await until('the count', async () => {
        counted = await used();
        return counted !== undefined;
      });
      return counted ?? 0;
    }
    function untilLogged(text: string) {
      return until(`the log to say ${text}`, async () => {
        await used();
        return lines.join('').includes(text);
      });
    }
    return { lines, untilCounted, untilLogged };
  }

  /** A host name whose address changes with a failover. */
  async function startName(target: { server: RedisServer }): Promise<string> {
    const sockets = new Set<Socket>();
    const name = createServer((client) => {
      const upstream = connect(Number(new URL(target.server.url).port), '127.0.0.1');
      for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
      client.pipe(upstream).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(name, 'listening');
    life.defer(async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(name, 'close');
      name.close();
      await closed;
    });
    return `redis://127.0.0.1:${(name.address() as AddressInfo).port}`;
  }

  it('counts on where the old primary ended, after a failover that keeps the connection to it (BC2)', async () => {
    const primary = await start();
    const target = { server: primary };
    const replica = await start({ settings: ['--replicaof', '127.0.0.1', new URL(primary.url).port] });
    const { lines, untilCounted, untilLogged } = await countIn(await startName(target));
    expect(await untilCounted()).to.equal(1);
    expect(await untilCounted()).to.equal(2);
    await admin(primary).call('WAIT', '1', '10000');
    await admin(replica).call('REPLICAOF', 'NO', 'ONE');
    await admin(primary).call('REPLICAOF', '127.0.0.1', new URL(replica.url).port);
    target.server = replica;
    await untilLogged('READONLY');
    expect(await untilCounted()).to.equal(3);
    expect(lines, lines.join('')).to.have.length(1);
  });

  it('limits nothing while its memory is full, and says so (BC21)', async () => {
    const server = await start({ settings: ['--maxmemory', '100kb', '--maxmemory-policy', 'noeviction'] });
    const { lines, untilCounted, untilLogged } = await countIn(server.url);
    await untilLogged('OOM');
    await admin(server).call('CONFIG', 'SET', 'maxmemory', '0');
    expect(await untilCounted()).to.equal(1);
    expect(lines, lines.join('')).to.have.length(1);
  });

  it('limits nothing for a user who may not count, and says so without the password (BC21)', async () => {
    const server = await start();
    await admin(server).call(
      'ACL',
      'SETUSER',
      'zipjobs',
      'on',
      `>${PASSWORD}`,
      '~*',
      '+@all',
      '-eval',
      '-evalsha',
    );
    const login = { REDIS_USERNAME: 'zipjobs', REDIS_PASSWORD: PASSWORD };
    const { lines, untilCounted, untilLogged } = await countIn(server.url, login);
    await untilLogged('NOPERM');
    expect(lines.join('')).not.to.include(PASSWORD);
    await admin(server).call('ACL', 'SETUSER', 'zipjobs', '+eval', '+evalsha');
    expect(await untilCounted()).to.equal(1);
  });

  it('limits nothing in cluster mode, and says so (BC21)', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'zipjobs-redis-'));
    life.defer(() => rmSync(dir, { recursive: true }));
    // By default it is 10,000 above the other port, where a connection of another process may have it.
    const [clusterPort] = await freePorts(1);
    const settings = ['--cluster-enabled', 'yes', '--cluster-port', `${clusterPort}`, '--dir', dir];
    const { url } = await start({ settings });
    const { lines, untilLogged } = await countIn(url);
    await untilLogged('CLUSTERDOWN');
    expect(lines, lines.join('')).to.have.length(1);
  });

  it('counts behind a proxy that knows servers by their names (BC8)', async () => {
    const server = await start();
    const front = life.use(await startTlsFront(server.url, 'private.pem', 'localhost'));
    const ca = { REDIS_CA_FILE: certificatePath('private-ca.pem') };
    const named = await countIn(`rediss://localhost:${front.port}`, ca);
    expect(await named.untilCounted()).to.equal(1);
    const nameless = await countIn(`rediss://127.0.0.1:${front.port}`, ca);
    await nameless.untilLogged('Redis does not respond');
  });
});
