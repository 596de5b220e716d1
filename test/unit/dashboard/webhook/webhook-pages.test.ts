import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { endpointDigest } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const WEBHOOK = `${HOME}/webhook`;
const URL_SET = 'https://hooks.example.com/zips';
const SECRET = `${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`;
const OBJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;
const BOTH = ['COMPLETED', 'FAILED'] as const;

function form(url: string, events: readonly string[]): URLSearchParams {
  return new URLSearchParams([['url', url], ...events.map((event): [string, string] => ['events', event])]);
}

function inside(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((from, name) => (isRecord(from) ? from[name] : undefined), value);
}

describe('the webhook page', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function settings(): unknown {
    return inside(project.objects.get(OBJECT), 'spec', 'webhook');
  }
  function secretOf(key: string): string {
    return Buffer.from(String(inside(project.objects.get(SECRET), 'data', key)), 'base64').toString('utf8');
  }
  function annotation(name: string): unknown {
    return inside(project.objects.get(OBJECT), 'metadata', 'annotations', name);
  }
  function set(url: string = URL_SET, events: readonly string[] = BOTH) {
    return project.save(WEBHOOK, form(url, events));
  }

  it('is the form of the first endpoint without a webhook (Q-U14)', async () => {
    const { text } = await project.ada.get(WEBHOOK);
    expect(text).to.contain('>New endpoint</h2>').and.contain('name="url"').and.contain('>Save<');
    expect(text).to.not.contain('Send test').and.not.contain('<table');
    const { text: locked } = await project.viewer.get(WEBHOOK);
    expect(locked)
      .to.contain('No webhook is set up')
      .and.contain('New endpoint<span class="hidden"> (locked)');
  });

  it('says that no event can be sent while the signing secret is missing (Q-U14)', async () => {
    project.putProject({ webhook: { url: 'https://receiver.example/hook' } });
    const { text } = await project.ada.get(WEBHOOK);
    expect(text).to.contain('No event can be sent, because the signing secret is missing.');
    await set();
    expect((await project.ada.get(WEBHOOK)).text).to.not.contain('No event can be sent');
  });

  it('lists every endpoint with its own state, and says what the page changes', async () => {
    const url = 'https://audit.example.com/';
    const audit = {
      name: 'audit',
      endpoint: endpointDigest(url),
      state: 'Disabled',
      reason: 'Gone',
    } as const;
    project.putProject(
      { webhook: { url: URL_SET, endpoints: [{ name: 'audit', url, events: ['FAILED'] }] } },
      { status: { webhook: { endpoints: [audit] } } },
    );
    const { text } = await project.ada.get(WEBHOOK);
    const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(text) ?? [];
    const rows = body.split('</tr>').map((row) =>
      row
        .replaceAll(/<[^>]+>/g, ' ')
        .trim()
        .split(/\s+/),
    );
    expect(rows.slice(0, 2).map(([name, host, state]) => [name, host, state])).to.deep.equal([
      ['default', 'hooks.example.com', 'Enabled'],
      ['audit', 'audit.example.com', 'Disabled'],
    ]);
    expect(text)
      .to.contain('those of the endpoint <em>default</em>')
      .and.contain(`<a href="${WEBHOOK}/endpoints/audit">audit</a>`);
    await set();
    expect(settings()).to.deep.include({ endpoints: [{ name: 'audit', url, events: ['FAILED'] }] });
  });

  it('has tabs that are links, with one title row of actions above them (Q-U13, Q-U14)', async () => {
    await set();
    for (const [path, label] of [
      [WEBHOOK, 'Endpoint'],
      [`${WEBHOOK}/deliveries`, 'Deliveries'],
      [`${WEBHOOK}/verify`, 'Verify'],
    ] as const) {
      const { text } = await project.ada.get(path);
      const [, tabs = ''] = /<nav class="parts"[^>]*>(.*?)<\/nav>/s.exec(text) ?? [];
      const links = [...tabs.matchAll(/<a href="([^"]+)"( aria-current="page")?>([^<]+)/g)];
      expect(links.map(([, , , name]) => name)).to.deep.equal(['Endpoint', 'Deliveries', 'Verify']);
      expect(links.filter(([, , current]) => current).map(([, href, , name]) => [href, name])).to.deep.equal([
        [path, label],
      ]);
      const [, title = ''] = /<header class="title">(.*?)<\/header>/s.exec(text) ?? [];
      expect(title.replaceAll(/<[^>]+>/g, '\n').match(/\S[^\n]*/g)).to.deep.equal([
        'Webhook',
        TEAM,
        'Send test',
        '⋯',
        'Disable',
        'Rotate secret',
        'Resend failed deliveries…',
        'Remove webhook',
      ]);
    }
  });

  it('shows the signing secret in the response to the form that created it, and never again', async () => {
    const { status, text, headers } = await set();
    expect(status).to.equal(200);
    expect(headers.get('cache-control')).to.equal('no-store');
    const secret = secretOf('current');
    expect(secret).to.match(/^whsec_/);
    expect(text).to.contain(secret).and.contain(`<a href="${WEBHOOK}"><bdi>Webhook</bdi></a>`);
    expect(settings()).to.deep.equal({ events: [...BOTH] });
    expect(secretOf('url')).to.equal(URL_SET);
    const again = await set(URL_SET, ['FAILED']);
    expect(again.headers.get('location')).to.equal(WEBHOOK);
    expect(settings()).to.deep.equal({ events: ['FAILED'] });
    const { text: page } = await project.ada.get(WEBHOOK);
    expect(page).to.contain('stored and never shown again').and.not.contain(secret);
    expect(project.server.logLines.join('')).to.not.contain(secret);
  });

  it('shows the error next to the field, and keeps the entered values', async () => {
    const response = await set('ftp://x/"><b>', ['FAILED']);
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="url-error"').and.contain('value="ftp://x/&quot;&gt;&lt;b&gt;"');
    expect(response.text)
      .to.match(/value="FAILED" checked/)
      .and.not.match(/value="COMPLETED" checked/);
    const none = await set(URL_SET, []);
    expect(none.text).to.contain('id="events-error"');
    expect(settings()).to.equal(undefined);
    expect(project.objects.get(SECRET)).to.equal(undefined);
  });

  it('shows only the host of the URL, and keeps the URL when the field is left empty (N15)', async () => {
    const url = 'https://hooks.example.com/services/T0/hush?key=hush';
    project.putProject({ webhook: { url, events: ['COMPLETED'] } });
    for (const visitor of [project.ada, project.viewer])
      for (const path of [WEBHOOK, `${HOME}/live/webhook`]) {
        const { status, text } = await visitor.get(path);
        expect(status, path).to.equal(200);
        expect(text, path).to.contain('hooks.example.com').and.not.contain('hush').and.not.contain('/T0');
      }
    await set('', ['FAILED']);
    expect(settings()).to.deep.equal({ url, events: ['FAILED'] });
  });

  it('writes the URL into the Secret, and reports the change to the controller (N15)', async () => {
    project.putProject({ webhook: { url: 'https://old.example/', events: ['COMPLETED'] } });
    await set();
    expect(settings()).to.deep.equal({ events: [...BOTH] });
    expect(secretOf('url')).to.equal(URL_SET);
    const first = annotation(ANNOTATIONS.enableWebhook);
    await set('https://new.example/services/T1');
    expect(secretOf('url')).to.equal('https://new.example/services/T1');
    expect(annotation(ANNOTATIONS.enableWebhook)).to.be.a('string').and.not.equal(first);
    const kept = secretOf('current');
    await set('', ['FAILED']);
    expect([secretOf('url'), secretOf('current')]).to.deep.equal(['https://new.example/services/T1', kept]);
    expect(JSON.stringify(project.objects.get(OBJECT))).to.not.contain('T1');
  });

  it('keeps the URL that another user saved meanwhile (UI1)', async () => {
    await set();
    const open = unchangedForm((await project.ada.get(WEBHOOK)).text, WEBHOOK);
    await set('https://other.example/T1');
    open.set('url', 'https://mine.example/T2');
    const { status, text } = await project.ada.post(WEBHOOK, open);
    expect([status, secretOf('url')]).to.deep.equal([422, 'https://other.example/T1']);
    expect(text).to.contain('Someone else changed these settings').and.not.contain('other.example/T1');
    const again = unchangedForm(text, WEBHOOK);
    again.set('url', 'https://mine.example/T2');
    expect((await project.ada.post(WEBHOOK, again)).status).to.equal(303);
    expect(secretOf('url')).to.equal('https://mine.example/T2');
  });

  it('keeps the events that another user saved meanwhile, also after an error in the form (UI43)', async () => {
    await set();
    const open = unchangedForm((await project.ada.get(WEBHOOK)).text, WEBHOOK);
    await set('', ['FAILED']);
    open.set('url', 'no URL');
    const wrong = await project.ada.post(WEBHOOK, open);
    expect([wrong.status, wrong.text]).to.deep.include(422);
    expect(wrong.text).to.contain('Invalid webhook URL');
    const corrected = unchangedForm(wrong.text, WEBHOOK);
    corrected.set('url', 'https://mine.example/');
    const { status, text } = await project.ada.post(WEBHOOK, corrected);
    expect([status, settings()]).to.deep.equal([422, { events: ['FAILED'] }]);
    expect((await project.ada.post(WEBHOOK, unchangedForm(text, WEBHOOK))).status).to.equal(303);
    expect([settings(), secretOf('url')]).to.deep.equal([{ events: ['FAILED'] }, 'https://mine.example/']);
  });

  it('requires a URL when there is none', async () => {
    const response = await set('');
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="url-error"');
  });

  it('sends a test, and shows its result', async () => {
    await set();
    const response = await project.send(`${WEBHOOK}/test`, {});
    expect(response.headers.get('location')).to.equal(WEBHOOK);
    const nonce = annotation(ANNOTATIONS.testWebhook);
    expect(nonce).to.be.a('string');
    const live = `${HOME}/live/webhook`;
    expect((await project.ada.get(live)).text).to.contain('Sending</span>');
    const { text: page } = await project.ada.get(WEBHOOK);
    expect(page)
      .to.contain(`data-live="${live}?test=apart" data-every="10000"`)
      .and.contain(`data-live="${live}/test" data-every="2000"`);
    expect(page.match(/>Last test</g)).to.have.lengthOf(1);
    expect((await project.ada.get(`${live}?test=apart`)).text).to.not.contain('Last test');
    expect((await project.ada.get(`${live}/test`)).text)
      .to.contain('Sending</span>')
      .and.not.contain('data-live-end');
    const test = { nonce: String(nonce), at: '2026-01-02T03:04:05Z', durationMs: 12, status: 503 };
    project.putProject({ webhook: { url: URL_SET } }, { status: { webhook: { test } } });
    const { text } = await project.ada.get(`${HOME}/live/webhook`);
    expect(text).to.contain('HTTP 503').and.contain('after 12 ms').and.not.contain('Sending</span>');
    expect((await project.ada.get(`${live}/test`)).text)
      .to.contain('HTTP 503')
      .and.contain('data-live-end');
    expect((await project.ada.get(WEBHOOK)).text).to.not.contain('data-every="2000"');
  });

  it('refuses a test without a webhook', async () => {
    const response = await project.send(`${WEBHOOK}/test`, {});
    expect(response.headers.get('location')).to.equal(WEBHOOK);
    expect((await project.ada.get(WEBHOOK)).text)
      .to.contain(`<p>No webhook found in project &quot;${TEAM}&quot;</p>`)
      .and.not.contain('zipjobs webhook set');
  });

  it('shows why an endpoint was disabled, and offers to enable it', async () => {
    const state = { endpoint: endpointDigest(URL_SET), state: 'Disabled', reason: 'Gone' } as const;
    project.putProject({ webhook: { url: URL_SET } }, { status: { webhook: state } });
    const { text } = await project.ada.get(WEBHOOK);
    expect(text).to.contain('Disabled after failures').and.contain('responded with 410');
    expect(text).to.contain('>Enable<').and.not.contain('>Disable<');
  });

  it('disables the webhook, and enables it once the controller has confirmed', async () => {
    await set();
    await project.send(`${WEBHOOK}/disable`, {});
    expect(settings()).to.deep.include({ enabled: false });
    project.server.respondWith((request) => {
      const response = project.objects.respond(request);
      const nonce = inside(request.body, 'metadata', 'annotations', ANNOTATIONS.enableWebhook);
      if (typeof nonce === 'string')
        project.putProject(
          { webhook: { url: URL_SET, enabled: true } },
          { status: { webhook: { enabledNonce: nonce } } },
        );
      return response;
    });
    const response = await project.send(`${WEBHOOK}/enable`, {});
    expect(response.headers.get('location')).to.equal(WEBHOOK);
    expect((await project.ada.get(WEBHOOK)).text).to.contain('Webhook enabled');
    expect(settings()).to.deep.include({ enabled: true });
  });

  it('rotates the secret, shows it once, and keeps the old one valid', async () => {
    await set();
    const old = secretOf('current');
    const { text } = await project.save(`${WEBHOOK}/rotate-secret`, { overlapSeconds: '3600' });
    expect(secretOf('previous')).to.equal(old);
    expect(secretOf('current')).to.not.equal(old);
    expect(text).to.contain('also signed with the old secret').and.contain('id="secret"');
    expect(text).to.contain(`<a href="${WEBHOOK}"><bdi>Webhook</bdi></a>`);
    expect(text).to.not.contain(old);
  });

  it('keeps the secret that another user rotated meanwhile, until the form is sent again (UI1)', async () => {
    await set();
    const path = `${WEBHOOK}/rotate-secret`;
    const old = secretOf('current');
    const open = unchangedForm((await project.ada.get(path)).text, path);
    await project.save(path, { overlapSeconds: '3600' });
    const theirs = secretOf('current');
    // An error does not hide what has changed.
    open.set('overlapSeconds', '');
    const form = unchangedForm((await project.ada.post(path, open)).text, path);
    form.set('overlapSeconds', '0');
    const { status, text } = await project.ada.post(path, form);
    expect([status, secretOf('current'), secretOf('previous')]).to.deep.equal([422, theirs, old]);
    expect(text).to.contain('Someone else rotated the signing secret').and.not.contain(theirs);
    const again = unchangedForm(text, path);
    expect(again.get('overlapSeconds')).to.equal('0');
    expect((await project.ada.post(path, again)).status).to.equal(200);
    expect(secretOf('current')).to.not.equal(theirs);
  });

  it('does not rotate the secret without an overlap', async () => {
    await set();
    const old = secretOf('current');
    const response = await project.save(`${WEBHOOK}/rotate-secret`, {});
    expect(response.status).to.equal(422);
    expect(response.text).to.contain('id="overlapSeconds-error"');
    expect(secretOf('current')).to.equal(old);
  });

  it('is removed after a warning, and its secret only on request', async () => {
    await set();
    expect((await project.ada.get(`${WEBHOOK}/remove`)).text).to.contain('New jobs no longer send webhooks.');
    await project.send(`${WEBHOOK}/remove`, {});
    expect(settings()).to.equal(undefined);
    expect(project.objects.get(SECRET)).to.not.equal(undefined);
    await set();
    await project.send(`${WEBHOOK}/remove`, { withSecret: 'yes' });
    expect(project.objects.get(SECRET)).to.equal(undefined);
  });

  it('lists recent deliveries from the cache with their last attempt only', async () => {
    const times = ['2026-01-02T03:04:05Z', '2026-01-02T03:05:05Z'];
    const log = times.map((at) => ({ at, durationMs: 7, status: 500 }));
    const webhook = { state: 'Pending', attempts: 2, log } as const;
    project.server.zipJobs.put(
      aZipJob({
        metadata: { namespace: TEAM, name: 'delivered' },
        spec: { key: '<b>.zip' },
        status: { phase: 'Succeeded', webhook },
      }),
    );
    const { text } = await project.ada.get(`${WEBHOOK}/deliveries`);
    expect(text).to.contain('HTTP 500').and.contain('2026-01-02 03:05:05 UTC').and.not.contain('03:04:05');
    expect(text).to.contain(`href="${WEBHOOK}/deliveries/delivered"`).and.contain('&lt;b&gt;.zip');
  });

  it('is readable with the view role, which allows no changes', async () => {
    project.putProject({ webhook: { url: URL_SET } });
    const { status, text } = await project.viewer.get(WEBHOOK);
    expect(status).to.equal(200);
    expect(text).to.contain(`is not allowed to patch zipprojects`).and.not.contain(`action="${WEBHOOK}`);
    const csrf = await project.viewer.csrf(WEBHOOK);
    for (const below of ['', '/test', '/enable', '/disable', '/rotate-secret', '/remove'])
      expect((await project.viewer.post(`${WEBHOOK}${below}`, { csrf })).status, below).to.equal(403);
    expect(settings()).to.deep.equal({ url: URL_SET });
  });
});
