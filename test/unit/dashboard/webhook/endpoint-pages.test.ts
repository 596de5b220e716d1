import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { endpointAnnotation } from '#crds/webhook-endpoints.ts';
import { endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const WEBHOOK = `${HOME}/webhook`;
const NEW = `${WEBHOOK}/new-endpoint`;
const AUDIT = `${WEBHOOK}/endpoints/audit`;
const LIVE = `${HOME}/live/webhook/endpoints/audit`;
const FIRST = 'https://hooks.example.com/zips';
const URL_SET = 'https://audit.example.com/services/T0';
const SECRET = `${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`;
const OBJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;

function inside(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((from, name) => (isRecord(from) ? from[name] : undefined), value);
}

/** The texts of the title row. */
function titleOf(html: string): readonly string[] | null {
  const [, title = ''] = /<header class="title">(.*?)<\/header>/s.exec(html) ?? [];
  return title.replaceAll(/<[^>]+>/g, '\n').match(/\S[^\n]*/g);
}

describe('the page of an endpoint other than the default one', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
    project.putProject({ webhook: { url: FIRST } });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function webhook(): ZipProject['spec']['webhook'] {
    return inside(project.objects.get(OBJECT), 'spec', 'webhook') as ZipProject['spec']['webhook'];
  }
  function secretOf(key: string): string | undefined {
    const stored = inside(project.objects.get(SECRET), 'data', key);
    return typeof stored === 'string' ? Buffer.from(stored, 'base64').toString('utf8') : undefined;
  }
  function annotation(name: string): unknown {
    const key = endpointAnnotation(name, 'audit');
    return inside(project.objects.get(OBJECT), 'metadata', 'annotations', key);
  }
  function add(name = 'audit', url = URL_SET, events: readonly string[] = ['FAILED']) {
    const fields = [['endpoint', name], ['url', url], ...events.map((event) => ['events', event])];
    return project.save(NEW, new URLSearchParams(fields as [string, string][]));
  }

  it('comes with a form that adds the endpoint, and shows its signing secret only once', async () => {
    expect((await project.ada.get(WEBHOOK)).text).to.contain(`href="${NEW}">New endpoint</a>`);
    const { status, text, headers } = await add();
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
    const secret = secretOf('audit.current') ?? '';
    expect(secret).to.match(/^whsec_/);
    expect(text).to.contain(secret).and.contain(`<a href="${AUDIT}">Done</a>`);
    expect(webhook()).to.deep.equal({ url: FIRST, endpoints: [{ name: 'audit', events: ['FAILED'] }] });
    expect(secretOf('audit.url')).to.equal(URL_SET);
    const page = (await project.ada.get(AUDIT)).text;
    expect(page).to.contain('stored and never shown again').and.contain('audit.example.com');
    expect(page).to.not.contain(secret).and.not.contain('services/T0');
    expect(project.server.logLines.join('')).to.not.contain(secret).and.not.contain('services/T0');
  });

  for (const [what, [name, url, events], field] of [
    ['a name that is no DNS label', ['Audit_Log', URL_SET, ['FAILED']], 'endpoint'],
    ['no name', ['', URL_SET, ['FAILED']], 'endpoint'],
    ['the name of an endpoint that exists', ['default', URL_SET, ['FAILED']], 'endpoint'],
    ['no URL', ['audit', '', ['FAILED']], 'url'],
    ['an invalid URL', ['audit', 'ftp://x/"><b>', ['FAILED']], 'url'],
    ['no events', ['audit', URL_SET, []], 'events'],
  ] as const)
    it(`is not added with ${what}: the form says so at the field, and keeps its input`, async () => {
      const { status, text } = await add(name, url, events);
      expect([status, text]).to.deep.include(422);
      expect(text).to.contain(`id="${field}-error"`);
      const form = unchangedForm(text, NEW);
      expect([form.get('endpoint'), form.getAll('events')]).to.deep.equal([name, events]);
      expect([webhook(), project.objects.get(SECRET)]).to.deep.equal([{ url: FIRST }, undefined]);
    });

  it('is not changed by a form that adds one with the same name', async () => {
    await add();
    const before = [secretOf('audit.current'), webhook()];
    const { status, text } = await add('audit', 'https://mine.example/');
    expect([status, text]).to.deep.include(422);
    expect(text).to.contain('id="endpoint-error"').and.contain('already. Use another name');
    expect([secretOf('audit.current'), webhook()]).to.deep.equal(before);
    expect(secretOf('audit.url')).to.equal(URL_SET);
  });

  it('is one of at most four: after that the page says why there is no more', async () => {
    const endpoints = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    project.putProject({ webhook: { url: FIRST, endpoints } });
    expect((await project.ada.get(WEBHOOK)).text)
      .to.contain('The webhook has 5 endpoints, which is the maximum.')
      .and.not.contain(`href="${NEW}"`);
    const { status, text } = await add();
    expect([status, text]).to.deep.include(422);
    expect(text).to.contain('has 5 webhook endpoints already');
    expect(project.objects.get(SECRET)).to.equal(undefined);
  });

  it('shows its own state, and the actions that it has', async () => {
    const state = {
      name: 'audit',
      endpoint: endpointDigest(URL_SET),
      state: 'Disabled',
      reason: 'Gone',
    } as const;
    project.putProject(
      { webhook: { url: FIRST, endpoints: [{ name: 'audit', url: URL_SET, events: ['FAILED'] }] } },
      { status: { webhook: { endpoints: [state] } } },
    );
    const { text } = await project.ada.get(AUDIT);
    expect(titleOf(text)).to.deep.equal([
      'audit',
      TEAM,
      'Enable',
      '⋯',
      'Send test',
      'Rotate secret',
      'Resend failed deliveries…',
      'Remove endpoint',
    ]);
    expect(text)
      .to.contain('responded with 410')
      .and.contain('audit.example.com')
      .and.contain(`href="${WEBHOOK}/deliveries?endpoint=audit">Deliveries to this endpoint`)
      .and.contain(`href="${WEBHOOK}/resend?endpoint=audit"`)
      .and.contain(`<a href="${WEBHOOK}"><bdi>Webhook</bdi></a>`)
      .and.contain(`data-live="${LIVE}"`);
    expect(text)
      .to.not.contain('hooks.example.com')
      .and.not.contain(NEW)
      .and.not.contain('<nav class="parts"');
    expect((await project.ada.get(LIVE)).text).to.contain('responded with 410');
  });

  it('changes the URL and the events of this endpoint only', async () => {
    await add();
    const { headers } = await project.save(AUDIT, { url: 'https://new.example/T1', events: 'COMPLETED' });
    expect(headers.get('location')).to.equal(AUDIT);
    expect((await project.ada.get(AUDIT)).text).to.contain('Endpoint audit saved');
    expect(webhook()).to.deep.equal({ url: FIRST, endpoints: [{ name: 'audit', events: ['COMPLETED'] }] });
    expect([secretOf('audit.url'), secretOf('url')]).to.deep.equal(['https://new.example/T1', undefined]);
    const wrong = await project.save(AUDIT, { url: 'no URL', events: 'FAILED' });
    expect([wrong.status, wrong.text]).to.deep.include(422);
    expect(wrong.text)
      .to.contain('id="url-error"')
      .and.match(/value="FAILED" checked/);
  });

  it('keeps what another user saved meanwhile (UI1)', async () => {
    await add();
    const open = unchangedForm((await project.ada.get(AUDIT)).text, AUDIT);
    await project.save(AUDIT, { url: 'https://theirs.example/', events: 'FAILED' });
    open.set('url', 'https://mine.example/');
    const { status, text } = await project.ada.post(AUDIT, open);
    expect([status, secretOf('audit.url')]).to.deep.equal([422, 'https://theirs.example/']);
    const again = unchangedForm(text, AUDIT);
    again.set('url', 'https://mine.example/');
    expect((await project.ada.post(AUDIT, again)).status).to.equal(303);
    expect(secretOf('audit.url')).to.equal('https://mine.example/');
  });

  it('sends a test to this endpoint, and shows its result', async () => {
    await add();
    expect((await project.send(`${AUDIT}/test`, {})).headers.get('location')).to.equal(AUDIT);
    const nonce = String(annotation(ANNOTATIONS.testWebhook));
    expect((await project.ada.get(`${LIVE}/test`)).text).to.contain('Sending</span>');
    expect((await project.ada.get(`${HOME}/live/webhook`)).text).to.not.contain('Sending</span>');
    expect((await project.ada.get(AUDIT)).text)
      .to.contain(`data-live="${LIVE}?test=apart"`)
      .and.contain(`data-live="${LIVE}/test" data-every="2000"`);
    const test = { nonce, at: '2026-01-02T03:04:05Z', durationMs: 12, status: 503 };
    project.putProject(
      { webhook: { url: FIRST, endpoints: [{ name: 'audit' }] } },
      { status: { webhook: { endpoints: [{ name: 'audit', test }] } } },
    );
    expect((await project.ada.get(`${LIVE}/test`)).text)
      .to.contain('HTTP 503')
      .and.contain('data-live-end');
  });

  it('disables this endpoint only, and enables it once the controller has confirmed', async () => {
    await add();
    expect((await project.send(`${AUDIT}/disable`, {})).headers.get('location')).to.equal(AUDIT);
    expect((await project.ada.get(AUDIT)).text).to.contain(
      'Endpoint audit disabled. Its settings are kept, and new jobs send nothing to it.',
    );
    expect(webhook()).to.deep.equal({
      url: FIRST,
      endpoints: [{ name: 'audit', events: ['FAILED'], enabled: false }],
    });
    project.server.respondWith((request) => {
      const response = project.objects.respond(request);
      const key = endpointAnnotation(ANNOTATIONS.enableWebhook, 'audit');
      const nonce = inside(request.body, 'metadata', 'annotations', key);
      if (typeof nonce === 'string')
        project.putProject(
          { webhook: webhook() ?? {} },
          { status: { webhook: { endpoints: [{ name: 'audit', enabledNonce: nonce }] } } },
        );
      return response;
    });
    expect((await project.send(`${AUDIT}/enable`, {})).headers.get('location')).to.equal(AUDIT);
    expect((await project.ada.get(AUDIT)).text).to.contain('Endpoint audit enabled');
    expect(webhook()?.endpoints?.[0]).to.deep.include({ enabled: true });
  });

  it('rotates the secret of this endpoint, and shows the new one once', async () => {
    await project.save(WEBHOOK, { url: FIRST, events: 'FAILED' });
    await add();
    const [first, old] = [secretOf('current'), secretOf('audit.current')];
    const { text } = await project.save(`${AUDIT}/rotate-secret`, { overlapSeconds: '3600' });
    expect(text)
      .to.contain(secretOf('audit.current'))
      .and.contain(`<a href="${AUDIT}"><bdi>audit</bdi></a>`)
      .and.contain('also signed with the old secret');
    expect([secretOf('audit.previous'), secretOf('current')]).to.deep.equal([old, first]);
    expect(secretOf('audit.current')).to.not.equal(old);
  });

  it('is removed after a warning, with its keys in the Secret and nothing else', async () => {
    await project.save(WEBHOOK, { url: FIRST, events: 'FAILED' });
    await add();
    const first = secretOf('current');
    const { text } = await project.ada.get(`${AUDIT}/remove`);
    expect(text)
      .to.contain('<h1>Remove endpoint audit</h1>')
      .and.contain('its pending events are dropped')
      .and.not.contain('withSecret');
    expect((await project.send(`${AUDIT}/remove`, {})).headers.get('location')).to.equal(WEBHOOK);
    expect((await project.ada.get(WEBHOOK)).text).to.contain('Endpoint audit removed.');
    expect(webhook()).to.deep.equal({ events: ['FAILED'] });
    expect([secretOf('audit.current'), secretOf('audit.url'), secretOf('current')]).to.deep.equal([
      undefined,
      undefined,
      first,
    ]);
  });

  it('leaves other words for the default endpoint, which is not the whole webhook any more', async () => {
    await add();
    await project.send(`${WEBHOOK}/disable`, {});
    expect((await project.ada.get(WEBHOOK)).text).to.contain(
      'Endpoint default disabled. Its settings are kept, and new jobs send nothing to it.',
    );
    expect(webhook()).to.deep.include({ enabled: false });
  });

  it('keeps the default endpoint, which cannot be removed before it', async () => {
    await add();
    const page = (await project.ada.get(WEBHOOK)).text;
    expect(page)
      .to.contain('Remove webhook<span class="hidden"> (locked)')
      .and.contain('cannot be removed while it has other endpoints: audit.')
      .and.not.contain(`href="${WEBHOOK}/remove"`);
    const { status, text } = await project.send(`${WEBHOOK}/remove`, {});
    expect([status, text]).to.deep.include(422);
    expect(text).to.contain('cannot be deleted while there are others: audit');
    expect(webhook()).to.deep.include({ url: FIRST });
  });

  it('does not exist for a name that the project does not have', async () => {
    const { status, text } = await project.ada.get(AUDIT);
    expect([status, text]).to.deep.include(404);
    expect(text).to.contain('No webhook found for endpoint &quot;audit&quot;');
    for (const path of [LIVE, `${LIVE}/test`])
      expect((await project.ada.get(path)).status, path).to.equal(404);
    for (const page of ['remove', 'rotate-secret'])
      expect((await project.ada.get(`${AUDIT}/${page}`)).status, page).to.equal(404);
    expect((await project.send(AUDIT, { url: URL_SET, events: 'FAILED' })).status).to.equal(404);
    expect((await project.send(`${AUDIT}/remove`, {})).status).to.equal(404);
    const response = await project.send(`${AUDIT}/test`, {});
    expect(response.headers.get('location')).to.equal(WEBHOOK);
    expect((await project.ada.get(WEBHOOK)).text).to.contain('No webhook found for endpoint');
    expect([webhook(), project.objects.get(SECRET)]).to.deep.equal([{ url: FIRST }, undefined]);
  });

  it('has no secret to rotate after it was removed with kubectl', async () => {
    await add();
    const before = secretOf('audit.current');
    const path = `${AUDIT}/rotate-secret`;
    const open = unchangedForm((await project.ada.get(path)).text, path);
    project.putProject({ webhook: { url: FIRST } });
    expect((await project.ada.post(path, open)).status).to.equal(404);
    expect([before !== undefined, secretOf('audit.current')]).to.deep.equal([true, before]);
  });

  it('has no pages for the default one, whose pages need other rights', async () => {
    await add();
    const first = `${WEBHOOK}/endpoints/default`;
    for (const path of [first, `${first}/remove`, `${first}/rotate-secret`])
      expect((await project.ada.get(path)).status, path).to.equal(404);
    for (const verb of ['test', 'enable', 'disable', 'rotate-secret', 'remove'])
      expect((await project.send(`${first}/${verb}`, {})).status, verb).to.equal(404);
    expect(webhook()).to.deep.include({ url: FIRST });
  });

  it('is readable with the view role, which allows no changes', async () => {
    project.putProject({ webhook: { url: FIRST, endpoints: [{ name: 'audit', url: URL_SET }] } });
    const { status, text } = await project.viewer.get(AUDIT);
    expect(status).to.equal(200);
    expect(text)
      .to.contain('audit.example.com')
      .and.contain('is not allowed to patch zipprojects')
      .and.not.contain(`action="${AUDIT}`)
      .and.not.contain('services/T0');
    expect((await project.viewer.get(WEBHOOK)).text)
      .to.contain('New endpoint<span class="hidden"> (locked)')
      .and.not.contain(`href="${NEW}"`);
    const csrf = await project.viewer.csrf(AUDIT);
    for (const path of [
      NEW,
      AUDIT,
      ...['test', 'enable', 'disable', 'rotate-secret', 'remove'].map((verb) => `${AUDIT}/${verb}`),
    ])
      expect((await project.viewer.post(path, { csrf })).status, path).to.equal(403);
    expect(webhook()).to.deep.equal({ url: FIRST, endpoints: [{ name: 'audit', url: URL_SET }] });
  });
});
