import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createLocalSessionStore } from '#dashboard/http/sessions/local-session-store.ts';
import { type SessionStore, SessionStoreAwayError } from '#dashboard/http/sessions/session-store.ts';
import { createSessions } from '#dashboard/http/sessions/sessions.ts';
import { createSharedSessionStore } from '#dashboard/http/sessions/shared-session-store.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type RedisServer, startRedisServer } from '#test/support/servers/redis-server.ts';
import { until } from '#test/support/until.ts';

const TOKEN = 'eyJhbGciOi.a-secret-token.xyz';

describe('createSessions', () => {
  const IDLE_MS = 60_000;
  const SESSION_MS = 300_000;
  function start() {
    const clock = createManualClock();
    const store = createLocalSessionStore({ clock, idleMs: IDLE_MS, maxPerUser: 3 });
    return { clock, store, sessions: createSessions({ store, clock, sessionMs: SESSION_MS }) };
  }

  it('opens a session only with its cookie', async () => {
    const { sessions } = start();
    const cookie = await sessions.begin('ada', TOKEN);
    expect(await sessions.read(cookie)).to.include({ user: 'ada', token: TOKEN });
    const last = cookie.at(-2) === 'A' ? 'B' : 'A';
    for (const other of ['', 'x', `${cookie.slice(0, -2)}${last}${cookie.at(-1) ?? ''}`, 'A'.repeat(86)])
      expect(await sessions.read(other), other).to.equal(undefined);
  });

  it('creates every session with its own cookie and CSRF token', async () => {
    const { sessions } = start();
    const [a, b] = [await sessions.begin('ada', TOKEN), await sessions.begin('ada', TOKEN)];
    expect(a).to.not.equal(b);
    expect((await sessions.read(a))?.csrf).to.not.equal((await sessions.read(b))?.csrf);
  });

  it('ends after the idle timeout without requests, and not before', async () => {
    const { clock, sessions } = start();
    const cookie = await sessions.begin('ada', TOKEN);
    for (let step = 0; step < 4; step += 1) {
      clock.jump(IDLE_MS - 1);
      expect(await sessions.read(cookie), `step ${step}`).to.not.equal(undefined);
    }
    clock.jump(IDLE_MS + 1);
    expect(await sessions.read(cookie)).to.equal(undefined);
  });

  it('ends after the idle timeout although an open page refreshes its live parts', async () => {
    const { clock, sessions } = start();
    const cookie = await sessions.begin('ada', TOKEN);
    clock.jump(IDLE_MS / 2);
    expect(await sessions.read(cookie, 'page')).to.include({ user: 'ada' });
    clock.jump(IDLE_MS / 2 + 1);
    expect(await sessions.read(cookie, 'page')).to.equal(undefined);
  });

  it('ends at its maximum lifetime despite requests', async () => {
    const { clock, sessions } = start();
    const cookie = await sessions.begin('ada', TOKEN);
    for (let passed = 0; passed < SESSION_MS; passed += IDLE_MS / 2) {
      expect(await sessions.read(cookie)).to.not.equal(undefined);
      clock.jump(IDLE_MS / 2);
    }
    expect(await sessions.read(cookie)).to.equal(undefined);
  });

  it('ends one session, or all sessions of one user', async () => {
    const { sessions } = start();
    const [a, b, c] = [
      await sessions.begin('ada', TOKEN),
      await sessions.begin('ada', TOKEN),
      await sessions.begin('ada', TOKEN),
    ];
    const other = await sessions.begin('bob', TOKEN);
    await sessions.end(a);
    expect(await sessions.read(a)).to.equal(undefined);
    expect(await sessions.read(b)).to.not.equal(undefined);
    await sessions.endAll('ada');
    for (const cookie of [b, c]) expect(await sessions.read(cookie)).to.equal(undefined);
    expect(await sessions.read(other)).to.not.equal(undefined);
  });

  it('ends the session of a user that was idle longest when there are too many', async () => {
    const { clock, sessions } = start();
    const other = await sessions.begin('bob', TOKEN);
    const cookies: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      cookies.push(await sessions.begin('ada', TOKEN));
      clock.jump(1_000);
    }
    await sessions.read(cookies[0] ?? '');
    cookies.push(await sessions.begin('ada', TOKEN));
    const open = await Promise.all(cookies.map(async (one) => (await sessions.read(one)) !== undefined));
    expect(open).to.deep.equal([true, false, true, true]);
    expect(await sessions.read(other)).to.not.equal(undefined);
  });

  it('hides token and name from the store', async () => {
    const { clock, store } = start();
    const seen: string[] = [];
    const watched: SessionStore = {
      ...store,
      put: (id, record, of) => {
        seen.push(JSON.stringify([id, record, of]));
        return store.put(id, record, of);
      },
    };
    const sessions = createSessions({ store: watched, clock, sessionMs: SESSION_MS });
    const cookie = await sessions.begin('ada-lovelace', TOKEN);
    expect(seen.join()).to.not.contain('ada-lovelace').and.not.contain('secret');
    expect(seen.join()).to.not.contain(cookie.slice(0, 40)).and.not.contain(cookie.slice(44));
  });
});

describe('createSharedSessionStore', function () {
  this.timeout(60_000);
  let server: RedisServer;
  let redis: Redis;
  let sessions: ReturnType<typeof createSessions>;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requirePrograms(this, ['redis-server']);
    server = life.use(await startRedisServer());
    redis = new Redis(server.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 200,
      retryStrategy: () => 20,
    });
    life.defer(() => redis.disconnect());
    redis.on('error', () => undefined);
    await until('Redis to be connected', () => redis.status === 'ready');
    const clock = { date: () => new Date() };
    const store = createSharedSessionStore({
      redis,
      keyPrefix: 'zips:',
      clock,
      idleMs: 60_000,
      sessionMs: 600_000,
      maxPerUser: 3,
    });
    sessions = createSessions({ store, clock, sessionMs: 600_000 });
  });
  after(() => life.disposeAsync());

  it('stores sessions that a copy of Redis cannot open', async () => {
    const cookie = await sessions.begin('ada-lovelace', TOKEN);
    expect(await sessions.read(cookie)).to.include({ user: 'ada-lovelace', token: TOKEN });
    const keys = await redis.keys('*');
    expect(keys.every((key) => key.startsWith('zips:session'))).to.equal(true);
    const records = await Promise.all(
      keys.filter((key) => key.startsWith('zips:session:')).map((key) => redis.get(key)),
    );
    const all = [...keys, ...records].join('\n');
    expect(all).to.not.contain('ada-lovelace').and.not.contain('secret').and.not.contain(cookie.slice(0, 40));
  });

  it('expires idle sessions', async () => {
    const cookie = await sessions.begin('lapse', TOKEN);
    const keys = await redis.keys('zips:session:*');
    for (const key of keys) expect(await redis.pttl(key)).to.be.within(1, 60_000);
    for (const key of keys) await redis.pexpire(key, 30_000);
    await sessions.read(cookie, 'page');
    for (const key of keys) expect(await redis.pttl(key)).to.be.most(30_000);
    await sessions.read(cookie);
    const ages = await Promise.all(keys.map((key) => redis.pttl(key)));
    expect(ages.filter((age) => age > 30_000)).to.have.lengthOf(1);
  });

  it('ends all sessions of a user', async () => {
    const [a, b] = [await sessions.begin('bob', TOKEN), await sessions.begin('bob', TOKEN)];
    const other = await sessions.begin('eve', TOKEN);
    await sessions.endAll('bob');
    for (const cookie of [a, b]) expect(await sessions.read(cookie)).to.equal(undefined);
    expect(await sessions.read(other)).to.not.equal(undefined);
  });

  it('ends the oldest session of a user when there are too many', async () => {
    const other = await sessions.begin('eve', TOKEN);
    const cookies: string[] = [];
    for (let n = 0; n < 5; n += 1) cookies.push(await sessions.begin('many', TOKEN));
    const open = await Promise.all(cookies.map((one) => sessions.read(one)));
    expect(open.filter((one) => one !== undefined)).to.have.length(3);
    expect(await sessions.read(other)).to.not.equal(undefined);
  });

  it('counts only sessions that exist towards the limit of a user (UI13)', async () => {
    const first = await sessions.begin('counted', TOKEN);
    for (let n = 0; n < 3; n += 1) await sessions.end(await sessions.begin('counted', TOKEN));
    expect(await sessions.read(first)).to.not.equal(undefined);
    const before = new Set(await redis.keys('zips:session:*'));
    for (let n = 0; n < 2; n += 1) await sessions.begin('counted', TOKEN);
    const later = (await redis.keys('zips:session:*')).filter((key) => !before.has(key));
    for (const key of later) await redis.pexpire(key, 1);
    await until('the idle sessions to expire', async () => (await redis.exists(...later)) === 0);
    const others = [await sessions.begin('counted', TOKEN), await sessions.begin('counted', TOKEN)];
    for (const cookie of [first, ...others]) expect(await sessions.read(cookie)).to.not.equal(undefined);
    await sessions.begin('counted', TOKEN);
    expect(await sessions.read(first)).to.equal(undefined);
  });

  it('fails while Redis is down, and recovers', async () => {
    const cookie = await sessions.begin('ada', TOKEN);
    server.freeze();
    for (const call of [
      () => sessions.read(cookie),
      () => sessions.begin('ada', TOKEN),
      () => sessions.end(cookie),
      () => sessions.endAll('ada'),
    ])
      expect(await call().catch((error: unknown) => error)).to.be.instanceOf(SessionStoreAwayError);
    server.thaw();
    const session = await until('Redis to respond', () =>
      sessions.begin('ada', TOKEN).catch(() => undefined),
    );
    expect(await sessions.read(session)).to.not.equal(undefined);
  });
});
