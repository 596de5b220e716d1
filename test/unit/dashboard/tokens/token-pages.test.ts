import { expect } from 'chai';
import { hashToken, maskToken } from '#crds/api-token.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
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

function named(displayName: string, status: ZipToken['status'] = {}): ZipToken {
  const token = aToken(TEAM, VALUE, { name: 'one' });
  const metadata = { ...token.metadata, uid: 'uid of one' };
  return { ...token, metadata, spec: { ...token.spec, displayName }, status };
}

describe('the access token pages', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  /** The one request that created a token. */
  function made(): Readonly<Record<string, unknown>> {
    const request = project.server.requests.find(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.tokens,
    );
    expect(request?.bearer).to.equal('ada-token');
    const spec = isRecord(request?.body) ? request.body['spec'] : undefined;
    return isRecord(spec) ? spec : {};
  }

  it('list masked tokens with their permissions and last use', async () => {
    project.putToken(named(EVIL));
    const { status, text } = await project.ada.get(TOKENS);
    expect(status).to.equal(200);
    expect(text).to.match(/<header class="title">.*>New access token<\/a>.*<\/header>/s);
    expect(text).to.contain(maskToken(VALUE)).and.contain('create, read').and.contain('>Never<');
    expect(text).to.contain('&lt;img src=x').and.not.contain('<img src=x').and.not.contain(VALUE);
    expect(text).to.not.contain(hashToken(TEAM, VALUE));
  });

  it('are denied to a user who is not allowed to list tokens, and the menu shows why', async () => {
    expect((await project.viewer.get(TOKENS)).status).to.equal(403);
    const { text } = await project.viewer.get(`${HOME}/buckets`);
    expect(text).to.contain(`>Your Kubernetes account is not allowed to list ziptokens in ${TEAM}.<`);
  });

  it('disable buttons without the permission, and show the reason', async () => {
    project.putToken(named('one'));
    project.server.tokens.set('view-token', {
      name: 'vera',
      allowed: [`get zipprojects ${TEAM}`, `list ziptokens ${TEAM}`],
    });
    const { text } = await project.viewer.get(TOKENS);
    expect(text).to.contain(`is not allowed to create ziptokens in ${TEAM}`);
    expect(text).to.contain(`is not allowed to delete ziptokens in ${TEAM}`);
    expect(text).to.not.contain(`href="${TOKENS}/`);
  });

  it('show a new token in the response to its form, and nowhere else', async () => {
    const fields = new URLSearchParams([
      ['name', 'a program'],
      ['permissions', 'read'],
    ]);
    const { status, text, headers } = await project.send(`${HOME}/new-token`, fields);
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    const [, value = ''] = /<code id="token">([^<]+)</.exec(text) ?? [];
    expect(value).to.match(/^zj_/);
    expect(text).to.contain('data-copy="token" hidden').and.contain("Copy it now, you won't see it again.");
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

  it('create a token without a name when none is given', async () => {
    const fields = new URLSearchParams([
      ['name', '  '],
      ['permissions', 'create'],
      ['permissions', 'read'],
    ]);
    expect((await project.send(`${HOME}/new-token`, fields)).status).to.equal(200);
    expect(made()).to.not.have.property('displayName');
  });

  it('show an error next to the checkboxes when no permission is selected', async () => {
    const response = await project.send(`${HOME}/new-token`, { name: EVIL });
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="permissions-error"').and.contain('value="&quot;&gt;&lt;img');
    expect(response.text).to.not.contain('checked');
  });

  it('warn before a token is revoked, which deletes it', async () => {
    project.putToken(named('a program'));
    const warning = await project.ada.get(`${TOKENS}/one/revoke`);
    expect(warning.text).to.contain("can't be undone").and.contain(maskToken(VALUE));
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.not.equal(undefined);
    const response = await project.send(`${TOKENS}/one/revoke`, {});
    expect(response.headers.get('location')).to.equal(TOKENS);
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.equal(undefined);
    expect((await project.ada.get(TOKENS)).text).to.contain('Token a program revoked');
  });

  it('respond 404 for a deleted token', async () => {
    expect((await project.ada.get(`${TOKENS}/none/revoke`)).status).to.equal(404);
  });

  it('change nothing without the CSRF token', async () => {
    project.putToken(named('one'));
    for (const path of [`${HOME}/new-token`, `${TOKENS}/one/revoke`])
      expect((await project.ada.post(path, { permissions: 'read', csrf: '' })).status, path).to.equal(403);
    expect(project.objects.get(`${COLLECTIONS.tokens}/one`)).to.not.equal(undefined);
  });
});
