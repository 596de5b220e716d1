import { expect } from 'chai';
import { PROJECT_NAME } from '#crds/api-group.ts';
import { generateToken, maskToken } from '#crds/api-token.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { RefusedEntry } from '#runtime/refused-requests/refused-request.ts';
import { A_REQUEST, type ApiServer, aToken, startApiServer } from '#test/support/servers/api-server.ts';

/** Wherever a caller can put a text. */
const CANARY = 'canary9f3b';

describe('the requests that the API refuses', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  function noted(): readonly RefusedEntry[] {
    const project = api.projects.reflector.get(`team-a/${PROJECT_NAME}`);
    return project === undefined ? [] : api.refused.of(uidOf(project));
  }
  const entry = { url: 'https://files.example.com/a.txt', filename: 'a.txt' };

  it('are noted with request ID, token, route, status, code and the path of the field', async () => {
    const urls = [entry, { ...entry, filename: 'b.txt' }, { url: `${CANARY}://x`, filename: 'c.txt' }];
    const { headers } = await api.post({ ...A_REQUEST, urls }, { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-request-id')).to.equal('mine-1');
    const [first] = noted();
    expect(first).to.include({
      token: maskToken(api.token),
      method: 'POST',
      route: '/v1/zips',
      status: 422,
      code: 'parameter_invalid',
      param: 'urls[2].url',
      count: 1,
    });
    expect(first?.requestIds).to.deep.equal(['mine-1']);
  });

  it('include those that lack a permission, but none without a valid token', async () => {
    const reader = generateToken();
    api.tokens.put(aToken('team-a', reader, { name: 'reader', permissions: ['read'] }));
    await api.post(A_REQUEST, { token: reader });
    await api.post(A_REQUEST, { token: generateToken() });
    await api.ask({ path: '/v1/unknown' });
    expect(noted().map(({ status, token }) => [status, token])).to.deep.equal([[403, maskToken(reader)]]);
  });

  it('have no text of a caller, wherever it is in the request', async () => {
    const bad = [
      { ...A_REQUEST, bucket_name: CANARY },
      { ...A_REQUEST, key: `../${CANARY}` },
      { ...A_REQUEST, metadata: { [CANARY]: CANARY.repeat(2_000) } },
      { ...A_REQUEST, service: CANARY },
      { ...A_REQUEST, urls: [{ ...entry, headers: { [CANARY]: 1 } }] },
      { ...A_REQUEST, urls: [{ ...entry, headers: { [`${CANARY}:`]: CANARY } }] },
      { ...A_REQUEST, urls: [{ ...entry, url: `http://${CANARY}.internal/?sig=${CANARY}` }, { ...entry }] },
      { ...A_REQUEST, urls: [{ ...entry, filename: `/${CANARY}` }] },
      { ...A_REQUEST, object: { [CANARY]: 1 } },
      { ...A_REQUEST, object: { tags: { [CANARY]: 1 } } },
      { ...A_REQUEST, object: { metadata: { [`${CANARY} `]: CANARY } } },
      `{"${CANARY}`,
    ];
    const headers = {
      cookie: CANARY,
      'x-request-id': `/${CANARY}`,
      'user-agent': CANARY,
      'x-forwarded-for': CANARY,
    };
    const statuses: number[] = [];
    for (const body of bad) statuses.push((await api.post(body, { headers })).status);
    statuses.push((await api.ask({ path: `/v1/zips/${CANARY}?expand=${CANARY}`, headers })).status);
    statuses.push((await api.post(A_REQUEST, { headers: { 'idempotency-key': `"${CANARY}` } })).status);
    const refused = statuses.filter((status) => status >= 400).length;
    expect(refused, statuses.join()).to.equal(statuses.length);
    const entries = noted();
    expect(entries.reduce((sum, { count }) => sum + count, 0)).to.equal(refused);
    expect(JSON.stringify(entries)).not.to.include(CANARY);
    expect(JSON.stringify(entries)).not.to.include(api.token);
  });
});
