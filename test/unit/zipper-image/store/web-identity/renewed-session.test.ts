import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import { createRenewedSession } from '#zipper-image/store/web-identity/renewed-session.ts';
import type { Session } from '#zipper-image/store/web-identity/sts-response.ts';

const MINUTE = 60_000;

describe('credentials of a role', () => {
  let now: number;
  let asked: number;
  /** Undefined: the token service is away. */
  let lifetimeMs: number | undefined;
  beforeEach(() => {
    now = 0;
    asked = 0;
    lifetimeMs = 15 * MINUTE;
  });

  function assumeRole(): Promise<Session> {
    asked += 1;
    if (lifetimeMs === undefined) return Promise.reject(new Error('the token service is away'));
    return Promise.resolve({
      accessKeyId: `key-${asked}`,
      secretAccessKey: 's',
      sessionToken: 't',
      lifetimeMs,
    });
  }
  function open() {
    return createRenewedSession({
      assumeRole,
      retryMs: 5_000,
      now: () => now,
      log: createLogger('test', { level: 'silent' }),
    });
  }
  async function keyOf(session: ReturnType<typeof open>): Promise<string> {
    return (await session.current()).accessKeyId;
  }
  function untilKey(session: ReturnType<typeof open>, key: string) {
    return until(`the credentials ${key}`, async () => (await keyOf(session)) === key);
  }

  it('are requested once for concurrent requests, and kept (X21)', async () => {
    const session = open();
    expect(await Promise.all([keyOf(session), keyOf(session)])).to.deep.equal(['key-1', 'key-1']);
    now = 9 * MINUTE;
    expect(await keyOf(session)).to.equal('key-1');
    expect(asked).to.equal(1);
  });

  it('are renewed five minutes before they expire, without delaying a request (X21)', async () => {
    const session = open();
    await keyOf(session);
    now = 10 * MINUTE;
    expect(await keyOf(session)).to.equal('key-1');
    await untilKey(session, 'key-2');
    expect(asked).to.equal(2);
  });

  it('are renewed after two thirds of a short life (X21)', async () => {
    lifetimeMs = 3_000;
    const session = open();
    await keyOf(session);
    now = 1_900;
    await keyOf(session);
    expect(asked).to.equal(1);
    now = 2_000;
    await untilKey(session, 'key-2');
  });

  it('are used as long as they are valid while the token service is away, which is asked every few seconds (X21)', async () => {
    const session = open();
    await keyOf(session);
    lifetimeMs = undefined;
    for (now = 10 * MINUTE; now < 15 * MINUTE; now += 1_000) expect(await keyOf(session)).to.equal('key-1');
    expect(asked).to.equal(1 + 60);
    const error: unknown = await session.current().catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message', 'the token service is away');
    lifetimeMs = 15 * MINUTE;
    expect(await keyOf(session)).to.equal(`key-${asked}`);
  });

  it('are replaced when the store rejected them, by one request for several rejections (X21)', async () => {
    const session = open();
    const rejected = await session.current();
    await Promise.all([session.renew(rejected), session.renew(rejected)]);
    await session.renew(rejected);
    expect(await keyOf(session)).to.equal('key-2');
    expect(asked).to.equal(2);
  });
});
