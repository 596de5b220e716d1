import { expect } from 'chai';
import { hashToken, maskToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { aToken } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const VALUE = `zj_${'a'.repeat(40)}`;
const EVIL = '"><img src=x onerror=alert(1)>';
const TOKENS = `${HOME}/tokens`;

const named = (displayName: string, status: ZipToken['status'] = {}): ZipToken => {
  const token = aToken(TEAM, VALUE, { name: 'one' });
  const metadata = { ...token.metadata, uid: 'uid of one' };
  return { ...token, metadata, spec: { ...token.spec, displayName }, status };
};

describe('the pages of access tokens', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  /** The one request that made a token. */
  const made = (): Readonly<Record<string, unknown>> => {
    const request = project.server.requests.find(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.tokens,
    );
    expect(request?.bearer).to.equal('ada-token');
    const spec = isRecord(request?.body) ? request.body['spec'] : undefined;
    return isRecord(spec) ? spec : {};
  };

  it('list them masked, with what they may do and when they were used', async () => {
    project.putToken(named(EVIL));
    const { status, text } = await project.ada.get(TOKENS);
    expect(status).to.equal(200);
    expect(text).to.contain(maskToken(VALUE)).and.contain('create, read').and.contain('never');
    expect(text).to.contain('&lt;img src=x').and.not.contain('<img src=x').and.not.contain(VALUE);
    expect(text).to.not.contain(hashToken(TEAM, VALUE));
  });

  it('are not for somebody who may not list tokens, and the menu says why', async () => {
    expect((await project.viewer.get(TOKENS)).status).to.equal(403);
    const { text } = await project.viewer.get(`${HOME}/buckets`);
    expect(text).to.contain(`title="Your Kubernetes account may not list ziptokens in ${TEAM}."`);
  });

  it('show buttons without the right disabled, with the reason', async () => {
    project.putToken(named('one'));
    project.server.tokens.set('view-token', {
      name: 'vera',
      allowed: [`get zipprojects ${TEAM}`, `list ziptokens ${TEAM}`],
    });
    const { text } = await project.viewer.get(TOKENS);
    expect(text).to.contain(`may not create ziptokens in ${TEAM}`);
    expect(text).to.contain(`may not delete ziptokens in ${TEAM}`);
    expect(text).to.not.contain(`href="${TOKENS}/`);
  });

  it('show a new one in the answer to its form, and nowhere else', async () => {
    const fields = new URLSearchParams([
      ['name', 'a program'],
      ['permissions', 'read'],
    ]);
    const { status, text, headers } = await project.send(`${HOME}/new-token`, fields);
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    const [, value = ''] = /<code id="token">([^<]+)</.exec(text) ?? [];
    expect(value).to.match(/^zj_/);
    expect(text).to.contain('data-copy="token" hidden').and.contain('shown this once');
    expect(made()).to.deep.equal({
      sha256: hashToken(TEAM, value),
      masked: maskToken(value),
      permissions: ['read'],
      displayName: 'a program',
      createdBy: 'ada',
    });
    const list = (await project.ada.get(TOKENS)).text;
    expect(list).to.contain('a program').and.not.contain(value);
    expect([...headers].join(' ')).to.not.contain(value);
    expect(project.server.logLines.join('')).to.not.contain(value);
  });

  it('make one without a name when none is given', async () => {
    const fields = new URLSearchParams([
      ['name', '  '],
      ['permissions', 'create'],
      ['permissions', 'read'],
    ]);
    expect((await project.send(`${HOME}/new-token`, fields)).status).to.equal(200);
    expect(made()).to.not.have.property('displayName');
  });

  it('say beside the boxes that a token without permissions is none', async () => {
    const answer = await project.send(`${HOME}/new-token`, { name: EVIL });
    expect(answer.status).to.equal(422);
    expect(answer.text).to.contain('id="permissions-error"').and.contain('value="&quot;&gt;&lt;img');
    expect(answer.text).to.not.contain('checked');
  });

  it('warn before one is revoked, and revoke it then, in the API of this process at once (H11)', async () => {
    project.putToken(named('a program'));
    const warning = await project.ada.get(`${TOKENS}/one/revoke`);
    expect(warning.text).to.contain('cannot be undone').and.contain(maskToken(VALUE));
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.not.equal(undefined);
    const answer = await project.send(`${TOKENS}/one/revoke`, {});
    expect(project.server.revoked).to.deep.equal(['uid of one']);
    expect(answer.headers.get('location')).to.equal(TOKENS);
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.equal(undefined);
    expect((await project.ada.get(TOKENS)).text).to.contain('The token a program opens nothing any more.');
  });

  it('answer 404 for one that is gone', async () => {
    expect((await project.ada.get(`${TOKENS}/none/revoke`)).status).to.equal(404);
  });

  it('change nothing without the CSRF token', async () => {
    project.putToken(named('one'));
    for (const path of [`${HOME}/new-token`, `${TOKENS}/one/revoke`])
      expect((await project.ada.post(path, { permissions: 'read', csrf: '' })).status, path).to.equal(403);
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.not.equal(undefined);
  });
});
