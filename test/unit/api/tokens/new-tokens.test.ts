import { expect } from 'chai';
import { generateToken } from '#crds/api-token.ts';
import { TOKEN_LIMIT } from '#crds/zip-token.ts';
import { systemClock } from '#runtime/clock.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { type ApiServer, aProject, aToken, startApiServer } from '#test/support/servers/api-server.ts';

const PATH = '/v1/zips/6f1c1f0e-0000-4000-8000-000000000000';

describe('a token that the watch has not reported yet', () => {
  let api: ApiServer;
  let laterMs: number;
  beforeEach(async () => {
    laterMs = 0;
    const clock = { ...systemClock, monotonicMs: () => laterMs };
    api = await startApiServer({ clock });
    api.tokens.lagging = true;
    api.tokens.calls.length = 0;
  });
  afterEach(() => api[Symbol.asyncDispose]());

  /** 404: the token is valid and the ID unknown. */
  const statusOf = async (token: string): Promise<number> => (await api.ask({ path: PATH, token })).status;
  const lists = (): number => api.tokens.calls.filter((call) => call === 'list').length;

  it('is found at the API server (BC15)', async () => {
    const token = generateToken();
    api.tokens.put(aToken('team-a', token, { name: 'new' }));
    expect(await statusOf(token)).to.equal(404);
    api.tokens.catchUp();
    expect([await statusOf(token), lists()]).to.deep.equal([404, 1]);
  });

  it('is found in a project that the watch has not reported yet either (BC15)', async () => {
    const [late, known] = [generateToken(), generateToken()];
    api.projects.lagging = true;
    api.projects.put(aProject('team-b'));
    api.tokens.put(aToken('team-b', late, { name: 'new' }));
    api.tokens.lagging = false;
    api.tokens.put(aToken('team-b', known, { name: 'known' }));
    expect([await statusOf(late), await statusOf(known)]).to.deep.equal([404, 404]);
  });

  it('is refused if its project does not exist, or has as many tokens as count (BC15)', async () => {
    const [elsewhere, tooMany] = [generateToken(), generateToken()];
    api.tokens.put(aToken('no-project', elsewhere));
    api.tokens.lagging = false;
    for (let n = 1; n < TOKEN_LIMIT; n += 1)
      api.tokens.put(aToken('team-a', generateToken(), { name: `t${n}` }));
    api.tokens.lagging = true;
    api.tokens.put(aToken('team-a', tooMany, { name: 'too-many' }));
    expect([await statusOf(elsewhere), await statusOf(tooMany)]).to.deep.equal([401, 401]);
    api.tokens.catchUp();
    laterMs += 1_000;
    expect([await statusOf(elsewhere), await statusOf(tooMany)]).to.deep.equal([401, 401]);
  });

  it('is unknown, not invalid, while the API server does not respond (BC15)', async () => {
    const token = generateToken();
    api.tokens.put(aToken('team-a', token, { name: 'new' }));
    api.tokens.fail(unreachable());
    const response = await api.ask({ path: PATH, token });
    expect([response.status, response.body.error?.code]).to.deep.equal([503, 'service_unavailable']);
    api.tokens.fail(undefined);
    laterMs += 1_000;
    expect(await statusOf(token)).to.equal(404);
  });

  it('is invalid if the definition of ZipToken is older and has no field to select by (BC15)', async () => {
    api.tokens.fail(new KubeError('GET: field label not supported', { code: 'BadRequest', httpStatus: 400 }));
    expect(await statusOf(generateToken())).to.equal(401);
  });

  it('is searched once a second by any number of requests with it (BC15)', async () => {
    const revoked = generateToken();
    for (let n = 0; n < 3; n += 1) {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(revoked)));
      expect(new Set(statuses)).to.deep.equal(new Set([401]));
      expect(lists()).to.equal(n + 1);
      laterMs += 1_000;
    }
  });

  it('is searched ten times a second after a burst, for any number of senders (BC15)', async () => {
    const guesses = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) expect(await statusOf(generateToken())).to.equal(401);
    };
    await guesses(100);
    expect(lists()).to.equal(40);
    laterMs += 1_000;
    await guesses(100);
    expect(lists()).to.equal(50);
    expect(await statusOf(api.token), 'a known token needs no search').to.equal(404);
  });
});
