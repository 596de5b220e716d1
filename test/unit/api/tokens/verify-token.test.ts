import { expect } from 'chai';
import { createVerifyToken } from '#api/tokens/verify-token.ts';
import { generateToken } from '#crds/api-token.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createFakeObjects, unreachable } from '#test/support/builders/fake-objects.ts';
import { aProject, aToken } from '#test/support/servers/api-server.ts';

function setUp() {
  const tokens = createFakeObjects<ZipToken>();
  const projects = createFakeObjects<ZipProject>();
  const time = { now: 0 };
  projects.put(aProject('team-a'));
  const candidate = tokens.put(aToken('team-a', generateToken()));
  const verify = createVerifyToken({
    tokenClient: tokens.client,
    projectClient: projects.client,
    clock: { ...systemClock, monotonicMs: () => time.now },
    log: createLogger('test', { level: 'silent' }),
    freshMs: 1_000,
    staleMs: 10_000,
    verificationTimeoutMs: 50,
  });
  return { tokens, projects, time, candidate, verify };
}

describe('createVerifyToken', () => {
  it('verifies again only if the last verification is older than a second (T6)', async () => {
    const { tokens, time, candidate, verify } = setUp();
    await verify(candidate);
    time.now = 1_000;
    await verify(candidate);
    expect(tokens.calls).to.have.length(1);
    time.now = 1_001;
    await verify(candidate);
    expect(tokens.calls).to.have.length(2);
  });

  it('sends one request for concurrent verifications (T6)', async () => {
    const { tokens, candidate, verify } = setUp();
    await Promise.all(Array.from({ length: 20 }, () => verify(candidate)));
    expect(tokens.calls).to.have.length(1);
  });

  it('detects within a second a deletion that the cache missed (T6, H11)', async () => {
    const { tokens, time, candidate, verify } = setUp();
    await verify(candidate);
    tokens.remove('team-a', 'token');
    time.now = 1_001;
    expect(await verify(candidate)).to.equal(undefined);
  });

  it('refuses a token that was replaced by another of the same name', async () => {
    const { tokens, candidate, verify } = setUp();
    tokens.remove('team-a', 'token');
    tokens.put(aToken('team-a', generateToken()));
    expect(await verify(candidate)).to.equal(undefined);
  });

  it('detects that the project was deleted', async () => {
    const { projects, candidate, verify } = setUp();
    projects.remove('team-a', 'project');
    expect(await verify(candidate)).to.equal(undefined);
  });

  it('accepts the last verification for ten seconds while the API server is unreachable, then returns 503 (T6, H11)', async () => {
    const { tokens, time, candidate, verify } = setUp();
    await verify(candidate);
    tokens.fail(unreachable());
    time.now = 10_000;
    expect(await verify(candidate)).to.include({ verifiedAt: 0 });
    time.now = 10_001;
    const error = await verify(candidate).catch((thrown: unknown) => thrown);
    expect(error).to.include({ status: 503, code: 'service_unavailable' });
    tokens.fail(undefined);
    expect(await verify(candidate)).to.include({ verifiedAt: 10_001 });
  });

  it('returns 503 for a token that was never verified while the API server is unreachable', async () => {
    const { projects, candidate, verify } = setUp();
    projects.fail(unreachable());
    expect(await verify(candidate).catch((thrown: unknown) => thrown)).to.include({ status: 503 });
  });

  it('does not wait for an API server that does not respond', async () => {
    const { tokens, candidate, verify } = setUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    tokens.holdUntil(promise);
    const response = await verify(candidate).catch((thrown: unknown) => thrown);
    resolve();
    expect(response).to.include({ status: 503 });
  });
});
