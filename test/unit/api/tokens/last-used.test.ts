import { expect } from 'chai';
import { createNoteUse } from '#api/tokens/last-used.ts';
import { generateToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { aToken } from '#test/support/servers/api-server.ts';

const HOUR = 3_600_000;
const USER = { namespace: 'team-a', tokenName: 'token' };

function setUp(lastUsedAt?: string) {
  const tokens = createFakeObjects<ZipToken>();
  const time = { now: HOUR };
  tokens.put({
    ...aToken('team-a', generateToken()),
    ...(lastUsedAt === undefined ? {} : { status: { lastUsedAt } }),
  });
  const noteUse = createNoteUse({
    tokens: tokens.reflector,
    tokenClient: tokens.client,
    clock: { ...systemClock, monotonicMs: () => time.now, date: () => new Date(time.now) },
    log: createLogger('test', { level: 'silent' }),
    intervalMs: HOUR,
  });
  return { tokens, time, noteUse };
}

describe('createNoteUse', () => {
  it('writes once an hour', () => {
    const { tokens, time, noteUse } = setUp();
    noteUse(USER);
    time.now += HOUR - 1;
    noteUse(USER);
    expect(tokens.calls).to.have.length(1);
    time.now += HOUR;
    noteUse(USER);
    expect(tokens.calls).to.have.length(2);
  });

  it('skips a token that another replica has just updated', () => {
    const { tokens, noteUse } = setUp(new Date(1).toISOString());
    noteUse(USER);
    expect(tokens.calls).to.have.length(0);
  });

  it('ignores a failed write', async () => {
    const { tokens, noteUse } = setUp();
    tokens.fail(unreachable());
    noteUse(USER);
    await new Promise(setImmediate);
    expect(tokens.calls).to.have.length(1);
  });
});
