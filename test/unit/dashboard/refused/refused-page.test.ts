import { expect } from 'chai';
import type { RefusedRequestList } from '#administration/projects/refused-interface.ts';
import { generateToken, maskToken } from '#crds/api-token.ts';
import type { RefusedRequests } from '#dashboard/refused/refused-reader.ts';
import { AppError } from '#runtime/errors.ts';
import { aRefusedEntry, refusedRequests } from '#test/support/builders/refused-requests.ts';
import { ADA, createVisitor, NOBODY } from '#test/support/servers/dashboard-server.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';

const PAGE = `${HOME}/refused-requests`;
const PROJECT_UID = '6f1c1f0e-0000-4000-8000-00000000000a';

function rowsOf(html: string): readonly string[] {
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(html) ?? [];
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

describe('the page of refused requests', () => {
  let project: DashboardProject;
  let known: RefusedRequests;
  let asked: string[];
  let failure: AppError | undefined;
  beforeEach(async () => {
    asked = [];
    failure = undefined;
    known = refusedRequests([
      aRefusedEntry({ requestIds: ['first', 'second'], count: 12 }),
      aRefusedEntry({
        requestIds: ['other'],
        token: 'zj_B...1234',
        status: 429,
        code: 'rate_limit_exceeded',
        param: '',
      }),
    ]);
    project = await startDashboardProject(
      {},
      {
        readRefused: async (projectUid) => {
          asked.push(projectUid);
          if (failure !== undefined) throw failure;
          return known;
        },
      },
    );
    project.putProject({}, { metadata: { uid: PROJECT_UID } });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  it('lists them with status, code, field, token and count, and explains the codes', async () => {
    const { status, text } = await project.ada.get(PAGE);
    expect(status).to.equal(200);
    expect(asked).to.deep.equal([PROJECT_UID]);
    const [first = '', other = '', ...more] = rowsOf(text);
    expect(more).to.deep.equal([]);
    expect(first).to.match(
      /^first 1 more IDs second .* 422 parameter_invalid urls\[3\]\.url POST \/v1\/zips zj_A\.\.\.wxyz 12$/,
    );
    expect(other).to.include('429 rate_limit_exceeded – POST /v1/zips zj_B...1234 1');
    expect(text).to.include('A field has an invalid value.');
    expect(text).to.include('href="https://zips.example.com/docs#parameter_invalid"');
  });

  it('finds a request by its ID, also one of several equal ones, by token and by code', async () => {
    async function found(query: string): Promise<readonly string[]> {
      return rowsOf((await project.ada.get(`${PAGE}?${query}`)).text).map((row) => row.split(' ')[0] ?? '');
    }
    expect(await found('id=second')).to.deep.equal(['second']);
    expect(await found('token=1234')).to.deep.equal(['other']);
    expect(await found('code=rate_limit_exceeded')).to.deep.equal(['other']);
    expect(await found('id=first&code=rate_limit_exceeded')).to.deep.equal([]);
    const { text } = await project.ada.get(`${PAGE}?id=unknown`);
    expect(text).to.include('No refused requests match these filters');
  });

  it('replaces a whole token in the filter by its mask', async () => {
    const token = generateToken();
    known = refusedRequests([aRefusedEntry({ token: maskToken(token) })]);
    const { status, headers } = await project.ada.get(`${PAGE}?token=${token}&code=a`);
    expect([status, headers.get('location')]).to.deep.equal([
      303,
      `${PAGE}?token=${maskToken(token)}&code=a`,
    ]);
    expect(rowsOf((await project.ada.get(`${PAGE}?token=${maskToken(token)}`)).text)).to.have.length(1);
  });

  it('has pages, whose links keep the filters', async () => {
    known = refusedRequests(
      Array.from({ length: 120 }, (_, n) => aRefusedEntry({ requestIds: [`id-${n}`], token: `zj_${n}` })),
    );
    const { text } = await project.ada.get(`${PAGE}?code=parameter_invalid&page=2`);
    expect(rowsOf(text)).to.have.length(50);
    expect(rowsOf(text)[0]).to.match(/^id-50 /);
    expect(text).to.include('refused-requests?code=parameter_invalid&amp;page=3');
  });

  it('hides tokens from users who may not list them, and all from users who may not list jobs', async () => {
    const { text } = await project.viewer.get(PAGE);
    expect(rowsOf(text)).to.have.length(2);
    expect(text).to.match(/not allowed to list ziptokens in team-a/);
    expect(text).not.to.include('wxyz');
    expect(rowsOf((await project.viewer.get(`${PAGE}?token=wxyz`)).text)).to.deep.equal([]);
    project.server.tokens.set(VIEW, { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    asked = [];
    expect((await project.viewer.get(PAGE)).status).to.equal(403);
    expect(asked).to.deep.equal([]);
  });

  it('escapes what it shows', async () => {
    known = refusedRequests([aRefusedEntry({ param: '<b>', route: '"><script>', requestIds: ["'<i>"] })]);
    const { text } = await project.ada.get(PAGE);
    for (const raw of ['<b>', '<script>', '<i>']) expect(text).not.to.include(raw);
  });

  it('says what may be missing', async () => {
    known = refusedRequests([], { sharing: 'none', silent: 2 });
    const { text } = await project.ada.get(PAGE);
    expect(text).to.include('Without Redis, this list has only what the API refused since it started');
    expect(text).to.include('2 API processes did not respond');
    expect(text).to.include('No refused requests');
    known = refusedRequests([], { sharing: 'away' });
    expect((await project.ada.get(PAGE)).text).to.include('Redis does not respond');
  });

  it('returns 503 while no API process responds', async () => {
    failure = new AppError('none', { code: 'RefusedRequestsUnavailable', retryable: true });
    const { status, text } = await project.ada.get(PAGE);
    expect(status).to.equal(503);
    expect(text).to.include('The API does not respond');
  });

  it('is JSON for programs with a Kubernetes token', async () => {
    async function ask(token: string, query = '') {
      const headers = { authorization: `Bearer ${token}` };
      const path = `/refused/projects/${TEAM}/requests${query}`;
      const { status, text } = await createVisitor(project.server.url).get(path, headers);
      return { status, body: JSON.parse(text) as RefusedRequestList & { error?: { code: string } } };
    }
    const { body } = await ask(ADA, '?id=second');
    expect(body.requests).to.have.length(1);
    expect(body.requests[0]).to.include({
      count: 12,
      firstAt: '2026-01-02T03:04:05.000Z',
      token: 'zj_A...wxyz',
      meaning: 'A field has an invalid value.',
    });
    expect((await ask(VIEW)).body.requests[0]).not.to.have.property('token');
    project.server.tokens.set(NOBODY, { name: 'nobody', allowed: [] });
    expect((await ask(NOBODY)).status).to.equal(403);
    expect((await ask('unknown')).status).to.equal(401);
    failure = new AppError('No API process returned them', {
      code: 'RefusedRequestsUnavailable',
      retryable: true,
    });
    const { status, body: failed } = await ask(ADA);
    expect([status, failed.error?.code]).to.deep.equal([503, 'refused_requests_unavailable']);
  });
});
