import { expect } from 'chai';
import { rateLimitHeaders } from '#api/http/rate-limit.ts';
import { longestDelay } from '#api/limits/all-limits.ts';
import { createRateLimits, type RateLimitsDeps } from '#api/limits/rate-limits.ts';
import { createLocalCounts } from '#runtime/redis/request-counts.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { aProject } from '#test/support/servers/api-server.ts';

function classWith(requestsPerMinute: number) {
  return projectClasses({ default: { requestsPerMinute } }).limitsOf;
}

function limitsOf(change: Partial<RateLimitsDeps> = {}) {
  return createRateLimits({
    count: createLocalCounts(createManualClock()),
    limitsOf: classWith(10),
    requestsPerMinutePerToken: 3,
    authFailuresPerMinute: 2,
    undelayedRequestsPerSecond: 1,
    undelayedBodyBytesPerSecond: 1_000,
    counters: 1,
    clock: createManualClock(),
    ...change,
  });
}

function caller(tokenName = 'a', requestsPerMinute?: number) {
  return {
    namespace: 'team-a',
    tokenName,
    project: aProject('team-a', requestsPerMinute === undefined ? {} : { limits: { requestsPerMinute } }),
  };
}

describe('createRateLimits', () => {
  it('counts by token and by project (T8)', async () => {
    const limits = limitsOf();
    await limits.take(caller('a'));
    expect(await limits.take(caller('b'))).to.deep.include.members([
      { name: 'token', limit: 3, remaining: 2, resetSeconds: 60, isExceeded: false },
      { name: 'project', limit: 10, remaining: 8, resetSeconds: 60, isExceeded: false },
    ]);
  });

  it('reports the first request above the limit (T8)', async () => {
    const limits = limitsOf();
    const seen: boolean[] = [];
    for (let n = 0; n < 4; n += 1) seen.push((await limits.take(caller()))[0]?.isExceeded ?? false);
    expect(seen).to.deep.equal([false, false, false, true]);
  });

  it('leaves the limit of the project to its other tokens when one exceeds its own (BC4)', async () => {
    const limits = limitsOf({ requestsPerMinutePerToken: 10, limitsOf: classWith(20) });
    async function accepted(tokenName: string): Promise<number> {
      let count = 0;
      for (let n = 0; n < 50; n += 1)
        if ((await limits.take(caller(tokenName))).every(({ isExceeded }) => !isExceeded)) count += 1;
      return count;
    }
    expect([await accepted('a'), await accepted('b')]).to.deep.equal([10, 10]);
    expect(await limits.take(caller('c'))).to.deep.include({
      name: 'project',
      limit: 20,
      remaining: 0,
      resetSeconds: 60,
      isExceeded: true,
    });
  });

  it('leaves the rate of the project to its other tokens when one exceeds its own (BC4)', () => {
    const limits = limitsOf({ requestsPerMinutePerToken: 120, limitsOf: classWith(240) });
    for (let n = 0; n < 100; n += 1) longestDelay(limits, caller('a'), 'read');
    // A burst and the longest wait of a token are 8 requests, half of those of the project.
    const delays = Array.from({ length: 8 }, () => longestDelay(limits, caller('b'), 'read').ms);
    expect(Math.max(...delays)).to.equal(2_000);
  });

  it('counts no create that another limit per second refuses (BC4)', () => {
    const clock = createManualClock();
    const grants = { requestsPerMinute: 0, createsPerSecond: 1, filesPerSecond: 10 };
    const limits = limitsOf({
      clock,
      requestsPerMinutePerToken: 0,
      limitsOf: projectClasses({ default: grants }).limitsOf,
    });
    limits.countFiles(aProject('team-a'), 125);
    for (let n = 0; n < 100; n += 1)
      expect(longestDelay(limits, caller(), 'create')).to.deep.equal({ limit: 'files', ms: 2_500 });
    clock.jump(2_500);
    expect(longestDelay(limits, caller(), 'create').ms).to.equal(0);
  });

  for (const [granted, requested, limit] of [
    [10, 4, 4],
    [10, 40, 10],
    [0, 4, 4],
    [10, undefined, 10],
  ] as const)
    it(`limits a project whose class grants ${granted} and that sets ${requested} to ${limit} (N8)`, async () => {
      const limits = limitsOf({ limitsOf: classWith(granted) });
      const quotas = await limits.take(caller('a', requested));
      expect(quotas.find(({ name }) => name === 'project')?.limit).to.equal(limit);
    });

  it('has no limit where the setting is 0', async () => {
    const limits = limitsOf({ requestsPerMinutePerToken: 0, limitsOf: classWith(0) });
    expect(await limits.take(caller())).to.deep.equal([]);
  });

  it('divides every limit by the number of processes that count separately (X25)', async () => {
    const limits = {
      counters: 3,
      requestsPerMinutePerToken: 10,
      limitsOf: classWith(7),
      authFailuresPerMinute: 2,
    };
    const replicas = Array.from({ length: 3 }, () => limitsOf(limits));
    let accepted = 0;
    for (let n = 0; n < 30; n += 1) {
      const quotas = (await replicas[n % 3]?.take(caller())) ?? [];
      if (quotas.every(({ isExceeded }) => !isExceeded)) accepted += 1;
    }
    // Two of seven requests for each.
    expect(accepted).to.equal(6);
    const [quota] = (await replicas[0]?.fail('192.0.2.1')) ?? [];
    expect(quota, 'at least one').to.deep.include({ limit: 1, isExceeded: false });
    const unlimited = limitsOf({ counters: 3, requestsPerMinutePerToken: 0, limitsOf: classWith(0) });
    expect(await unlimited.take(caller())).to.deep.equal([]);
  });

  it('delays requests above the rate of the token, and above that of the project (N7)', () => {
    const limits = limitsOf({ requestsPerMinutePerToken: 120, limitsOf: classWith(180) });
    function delays(tokenName: string, length: number): readonly number[] {
      return Array.from({ length }, () => Math.round(longestDelay(limits, caller(tokenName), 'read').ms));
    }
    expect(delays('a', 6), '2 per second').to.deep.equal([0, 0, 0, 0, 500, 1_000]);
    expect(delays('b', 4), '3 per second with those of the other token').to.deep.equal([
      333, 667, 1_000, 1_333,
    ]);
  });

  it('delays no request below UNDELAYED_REQUESTS_PER_SECOND, and none without a limit (N7)', () => {
    const limits = limitsOf({ undelayedRequestsPerSecond: 5 });
    const delays = Array.from({ length: 11 }, () => longestDelay(limits, caller(), 'read').ms);
    expect(delays.filter((ms) => ms > 0)).to.deep.equal([200]);
    const unlimited = limitsOf({ requestsPerMinutePerToken: 0, limitsOf: classWith(0) });
    for (let n = 0; n < 100; n += 1) expect(longestDelay(unlimited, caller(), 'read').ms).to.equal(0);
  });

  it('delays no create for earlier files when the limit was removed (N7)', () => {
    const limits = limitsOf({ limitsOf: projectClasses({ default: { filesPerSecond: 0 } }).limitsOf });
    const limited = aProject('team-a', { limits: { filesPerSecond: 1 } });
    limits.countFiles(limited, 100);
    expect(limits.filesDelayMs(limited)).to.equal(60_000);
    expect(limits.filesDelayMs(aProject('team-a'))).to.equal(0);
  });

  it('reports no quota while the counter is unavailable', async () => {
    const limits = limitsOf({ count: () => Promise.resolve(undefined) });
    expect(await limits.take(caller())).to.deep.equal([]);
  });

  it('counts an IPv6 network as one client and unwraps IPv4-mapped addresses (T9)', async () => {
    const limits = limitsOf();
    async function used(address: string) {
      return (await limits.fail(address))[0]?.remaining;
    }
    expect(await used('2001:db8:1:2::1')).to.equal(1);
    expect(await used('2001:db8:1:2:ffff::9')).to.equal(0);
    expect(await used('2001:db8:1:3::1')).to.equal(1);
    expect(await used('192.0.2.1')).to.equal(1);
    expect(await used('::ffff:192.0.2.1')).to.equal(0);
  });
});

describe('rateLimitHeaders', () => {
  it('lists the policies and the remaining requests (T8)', () => {
    const quota = { limit: 100, remaining: 99, resetSeconds: 60, isExceeded: false };
    expect(
      rateLimitHeaders([
        { ...quota, name: 'token' },
        { ...quota, name: 'project', limit: 7, remaining: 0 },
      ]),
    ).to.deep.equal({
      'RateLimit-Policy': '"token";q=100;w=60, "project";q=7;w=60',
      RateLimit: '"token";r=99;t=60, "project";r=0;t=60',
    });
  });

  it('returns no headers without a limit', () => {
    expect(rateLimitHeaders([])).to.deep.equal({});
  });
});
