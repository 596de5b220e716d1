import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import {
  type StsReply,
  type StsServer,
  startStsServer,
  tokenWith,
} from '#test/support/servers/sts-server.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { type AssumeRoleDeps, assumeRole } from '#zipper-image/store/web-identity/assume-role.ts';
import { failureOf } from '../upload-harness.ts';

const AUDIENCE = 'sts.example.com';
const identity = { roleArn: 'arn:aws:iam::123456789012:role/zips', audience: AUDIENCE };

describe('the request for credentials of a role', () => {
  let sts: StsServer;
  let token: string;
  beforeEach(async () => {
    sts = await startStsServer();
    token = tokenWith({ aud: [AUDIENCE] });
  });
  afterEach(() => sts[Symbol.asyncDispose]());

  async function ask(change: Partial<AssumeRoleDeps> = {}, allowCidrs = ['127.0.0.0/8']) {
    const agent = createGuardedAgent(createEgressPolicy({ allowCidrs, denyCidrs: [] }), { connections: 1 });
    try {
      return await assumeRole({
        endpoint: new URL(sts.endpoint),
        identity,
        agent,
        readToken: () => Promise.resolve(token),
        sessionName: 'zipjobs-pod-1',
        timeoutMs: 5_000,
        ...change,
      });
    } finally {
      await agent.destroy();
    }
  }

  it('sends the token in the body, with an explicit lifetime, and returns the session (X21)', async () => {
    sts.reply = { kind: 'session', lifetimeMs: 900_000 };
    expect(await ask()).to.deep.equal({
      accessKeyId: 'session-1',
      secretAccessKey: 'a&b/c+d',
      sessionToken: 'token-of-session-1',
      lifetimeMs: 900_000,
    });
    const [{ path, headers, form } = { path: '', headers: {}, form: new URLSearchParams() }] = sts.requests;
    expect(path).to.equal('/');
    expect(headers).not.to.have.property('authorization');
    expect(Object.fromEntries(form)).to.deep.equal({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: identity.roleArn,
      RoleSessionName: 'zipjobs-pod-1',
      DurationSeconds: '3600',
      WebIdentityToken: token,
    });
  });

  it('computes the lifetime with the clock of the token service (X21)', async () => {
    const date = new Date('2030-01-01T00:00:00Z');
    const expiration = new Date(date.getTime() + 900_000).toISOString();
    sts.reply = {
      kind: 'raw',
      status: 200,
      headers: { date: date.toUTCString() },
      body: `<AccessKeyId>i</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expiration}</Expiration>`,
    };
    expect(await ask()).to.include({ lifetimeMs: 900_000 });
  });

  it('reports a wrong audience with claims and issuer, and without the token (X21)', async () => {
    sts.reply = {
      kind: 'error',
      status: 400,
      code: 'InvalidIdentityToken',
      message: `Incorrect token audience in ${token}`,
    };
    const failure = toFailure(await failureOf(ask()));
    expect(failure).to.include({ code: 'BucketCredentialsInvalid', retriable: false });
    expect(failure.message).to.contain('400 InvalidIdentityToken: Incorrect token audience');
    expect(failure.message).to.contain(
      'audience "sts.example.com", issuer "kubernetes.default.svc" and subject "system:serviceaccount:red:zipper"',
    );
    expect(failure.message).not.to.contain('CANARY');
  });

  for (const aud of [
    [AUDIENCE, 'https://kubernetes.default.svc'],
    ['https://kubernetes.default.svc'],
    undefined,
  ])
    it(`does not send a token with the audience ${JSON.stringify(aud)} (X21)`, async () => {
      token = tokenWith({ aud });
      const error = await failureOf(ask());
      expect(error).to.include({ code: 'InvalidTask', retryable: false });
      expect(error.message).not.to.contain('CANARY');
      expect(sts.requests).to.deep.equal([]);
    });

  for (const status of [301, 307, 308])
    it(`does not follow a redirect with ${status} (X21)`, async () => {
      const elsewhere = await startStsServer();
      sts.reply = { kind: 'raw', status, body: '', headers: { location: elsewhere.endpoint } };
      expect(await failureOf(ask())).to.include({ code: 'BucketMisconfigured', retryable: false });
      expect(elsewhere.requests).to.deep.equal([]);
      await elsewhere[Symbol.asyncDispose]();
    });

  it('does not connect to a closed address (X21)', async () => {
    expect(await failureOf(ask({}, []))).to.include({ code: 'BucketMisconfigured', retryable: false });
    expect(sts.requests).to.deep.equal([]);
  });

  const verdicts: readonly (readonly [string, StsReply, boolean])[] = [
    ['a server error', { kind: 'error', status: 503, code: 'ServiceUnavailable' }, true],
    ['throttling', { kind: 'error', status: 400, code: 'Throttling' }, true],
    ['an expired token', { kind: 'error', status: 400, code: 'ExpiredTokenException' }, true],
    ['a region that is off', { kind: 'error', status: 403, code: 'RegionDisabledException' }, false],
    ['a denied role', { kind: 'error', status: 403, code: 'AccessDenied' }, false],
    ['a page that is no response', { kind: 'raw', status: 200, body: '<html></html>' }, false],
    ['credentials that have expired', { kind: 'session', lifetimeMs: -1_000 }, false],
    ['no response', { kind: 'silence' }, true],
  ];
  for (const [what, reply, retryable] of verdicts)
    it(`${retryable ? 'can be repeated' : 'is not repeated'} after ${what} (X21)`, async () => {
      sts.reply = reply;
      expect(await failureOf(ask({ timeoutMs: 200 }))).to.include({ retryable, httpStatus: undefined });
    });

  // As MinIO reports it, which has no error code of its own for an expired token.
  for (const [what, life, retryable] of [
    ['has expired', -1, true],
    ['has not expired', 600, false],
  ] as const)
    it(`${retryable ? 'can be repeated' : 'is not repeated'} after the refusal of a token that ${what} (X21)`, async () => {
      token = tokenWith({ aud: [AUDIENCE], exp: Math.floor(Date.now() / 1000) + life });
      sts.reply = { kind: 'error', status: 400, code: 'InvalidParameterValue', message: 'Token is expired' };
      const code = retryable ? 'StoreUnavailable' : 'BucketCredentialsInvalid';
      expect(await failureOf(ask())).to.include({ code, retryable, storeCode: 'InvalidParameterValue' });
    });

  it('reads a response of at most 64 KiB (X21)', async () => {
    sts.reply = { kind: 'raw', status: 200, body: 'x'.repeat(10_000_000) };
    expect(await failureOf(ask())).to.include({ code: 'BucketMisconfigured' });
  });
});
