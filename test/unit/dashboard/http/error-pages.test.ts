import { expect } from 'chai';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import {
  ADA,
  type DashboardServer,
  startStaffedDashboard,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const PAGE = '/projects/team-a/tokens';

/** The status of a page whose read fails with this code. A new code does not compile without one. */
const STATUSES: Readonly<Record<KubeErrorCode, number>> = {
  NotFound: 404,
  NotServed: 503,
  AlreadyExists: 409,
  Conflict: 409,
  Forbidden: 403,
  // The session ends.
  Unauthorized: 303,
  Invalid: 422,
  BadRequest: 422,
  TooLarge: 409,
  TooManyRequests: 503,
  Gone: 503,
  QuotaExceeded: 409,
  NamespaceTerminating: 409,
  ServerError: 503,
  Timeout: 503,
  Unreachable: 503,
  InvalidResponse: 503,
};

describe('the error pages of the dashboard', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startStaffedDashboard();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  async function failWith(code: KubeErrorCode, retryAfterMs?: number) {
    const visitor = await visitAs(server, ADA);
    server.logLines.length = 0;
    server.respondWith(() => {
      throw new KubeError('User "ada" cannot do it', {
        user: 'ada',
        attempt: 'GET /apis/x',
        httpStatus: 500,
        code,
        retryAfterMs,
      });
    });
    const { status, headers, text } = await visitor.get(PAGE);
    const failures = server.logLines.filter((line) => line.includes('dashboard request failed'));
    return {
      status,
      retryAfter: headers.get('retry-after'),
      refresh: headers.get('refresh'),
      text,
      failures,
    };
  }

  for (const [code, expected] of Object.entries(STATUSES) as [KubeErrorCode, number][])
    it(`respond with ${expected} to ${code} of the API server, and log only failures of the cluster (UI2)`, async () => {
      const { status, retryAfter, failures } = await failWith(code);
      const isFailure = expected >= 500;
      expect({ status, retryAfter, logged: failures.length }).to.deep.equal({
        status: expected,
        retryAfter: isFailure ? '5' : null,
        logged: isFailure ? 1 : 0,
      });
    });

  it('repeat the Retry-After of the API server, in whole seconds (UI2)', async () => {
    expect((await failWith('TooManyRequests', 16_500)).retryAfter).to.equal('17');
    expect((await failWith('ServerError', 0)).retryAfter).to.equal('1');
  });

  it('say what the API server reported, that jobs continue, and open again by themselves (UI2)', async () => {
    const { text, refresh } = await failWith('ServerError');
    expect(text).to.contain('The cluster is not responding').and.contain('Your jobs continue');
    // At different times, so that many open pages do not come back together.
    expect(Number(refresh)).to.be.within(10, 19);
    expect(text).to.contain(`This page opens again in ${refresh} s.`);
    expect((await failWith('Forbidden')).refresh).to.equal(null);
  });
});
