import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ERROR_CODES } from '#api/errors/error-codes.ts';
import { html } from '#api/openapi/page/html.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { FAILURE_CODES } from '#crds/exit-codes.ts';
import { API_STATUSES } from '#crds/zip-job.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type ApiServer, aBucket, startApiServer } from '#test/support/servers/api-server.ts';

const SAMPLES = new URL('../../../../api/openapi/samples/', import.meta.url);
const VERIFY_SAMPLES = new URL('../../../../runtime/samples/', import.meta.url);
const VOID = new Set(['meta', 'br', 'input']);

/** The tags that are still open at the end of a text, or the first closing tag without its opening tag. */
function unbalanced(text: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = ''] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (VOID.has(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
}

/** What a browser shows of escaped text. */
function shownText(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

describe('GET /docs', () => {
  let api: ApiServer;
  let response: Response;
  let page: string;
  before(async () => {
    api = await startApiServer({
      maxFiles: 4_321,
      projectClasses: { default: { archiveBytes: 9_876_543 } },
      rateLimits: { requestsPerMinutePerToken: 765 },
    });
    response = await fetch(`${api.url}/docs`);
    page = await response.text();
  });
  after(() => api[Symbol.asyncDispose]());
  function sectionOf(id: string): string {
    const start = page.indexOf(`<section aria-labelledby="${id}">`);
    return page.slice(start, page.indexOf('</section>', start));
  }

  it('is a public page below 110 KiB', () => {
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.headers.get('etag')).to.match(/^"/);
    expect(Buffer.byteLength(page)).to.be.lessThan(110 * 1_024);
    expect(unbalanced(page)).to.deep.equal([]);
  });

  it('runs no scripts, loads no resources and refuses framing', () => {
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(response.headers.get('content-security-policy')).to.equal(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(page).not.to.match(/<script|<link|<img|<iframe|\ssrc=|\son[a-z]+=|\sstyle=|@import|url\(/);
  });

  it('has an anchor for every code, unique IDs and no dead internal links', () => {
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids).to.include.members([...Object.keys(ERROR_CODES), ...Object.keys(FAILURE_CODES), 'Cancelled']);
    expect(ids).to.have.lengthOf(new Set(ids).size);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids).to.include.members(links);
  });

  it('contains the active limits, in units that people use and exactly (Q-A8)', () => {
    expect(page)
      .to.contain('4,321')
      .and.to.contain('765 per minute')
      .and.to.contain('32 MiB (33,554,432 bytes)');
    expect(page).to.contain('9.88 MB (9,876,543 bytes)').and.to.contain('2 hours');
    expect(page)
      .to.contain('64 KiB (65,536 bytes)')
      .and.to.contain('1 MiB (1,048,576 bytes) in all data: URLs');
    expect(page).not.to.match(/\d,\d{3} seconds/);
  });

  it('lists the Authorization header first in both operations', () => {
    const [create, read, webhook] = [...page.matchAll(/>Parameters<\/a><\/h3>\s*<dl>\s*<div id="([^"]+)">/g)];
    expect([create?.[1], read?.[1]]).to.deep.equal(['createZip.Authorization', 'readZip.Authorization']);
    expect(webhook?.[1]).to.equal('zipEnded.webhook-id');
  });

  it('starts with a request of six lines that works, and its response (Q-A2)', async function () {
    await requirePrograms(this, ['sh', 'curl']);
    const [call = '', response = ''] = [...page.matchAll(/<pre[^>]*><code>([^]*?)<\/code>/g)].map(
      ([, text = '']) => shownText(text),
    );
    expect(page.indexOf('<pre')).to.be.lessThan(page.indexOf('<h2', page.indexOf('<h2') + 1));
    expect(call.split('\n')).to.have.lengthOf(6);
    api.buckets.put(aBucket('team-a', 's3', 'reports'));
    const env = { ...process.env, ZIPJOBS_URL: api.url, ZIPJOBS_TOKEN: api.token };
    const { stdout } = await promisify(execFile)('sh', ['-c', call.replace('curl', 'curl -sS')], { env });
    const { data } = JSON.parse(stdout) as { data: { uuid: string } };
    const shown = JSON.parse(response) as { data: object };
    expect(data).to.deep.equal({ ...shown.data, uuid: data.uuid });
  });

  it('explains an option, and the zip object, in one place (Q-A4)', () => {
    for (const text of ['close an option', 'Number of files already in the archive.'])
      expect(page.split(text), text).to.have.lengthOf(2);
    for (const option of CALLER_OPTIONS)
      expect(page).to.contain(`id="${option}"`).and.to.contain(`<code>${option}</code>`);
    for (const id of ['createZip', 'readZip']) expect(sectionOf(id)).to.contain('<a href="#zip">');
    expect(sectionOf('createZip')).to.contain('<a href="#options">').and.not.to.contain('on_source_error');
  });

  it('contains the description of the request, which says what happens to unknown fields', () => {
    expect(sectionOf('createZip')).to.contain('Other unknown fields are ignored, ');
  });

  it('uses no words of Kubernetes, which callers do not have (Q-A3)', () => {
    expect(page).not.to.match(
      /jobDefaults|objectOptions|callerOptions|ResourceQuota|kubectl|namespace|cluster|\bpods?\b/i,
    );
  });

  it('describes the Authorization header in one paragraph (Q-A6)', () => {
    expect(sectionOf('authentication')).to.contain(
      '<p>Send an access token of your project in this header. Create one in the dashboard or with the command line; it is shown only once.',
    );
  });

  it('says which failures a retry helps with (Q-A7)', () => {
    const failures = sectionOf('failures');
    expect(failures).to.contain('<th scope="col">Retry helps</th>');
    for (const [code, retryHelps] of [
      ['SourceUnavailable', 'yes'],
      ['SourceNotFound', 'after a fix'],
      ['Cancelled', 'no'],
    ] as const)
      expect(failures).to.match(new RegExp(`<tr id="${code}"><td>.*?</td><td>${retryHelps}</td>`));
  });

  it('uses the words of the headings in the contents, and has an address for each heading and field (Q-A12)', () => {
    const [, contents = ''] = /<nav[^>]*>([^]*?)<\/nav>/.exec(page) ?? [];
    const links = [...contents.matchAll(/<li><a href="#([^"]+)">(.*?)<\/a>/g)].map(([, id, text]) => [
      id,
      text,
    ]);
    const headings = [...page.matchAll(/<h2 id="([^"]+)"><a href="#\1">(.*?)<\/a>/g)].map(([, id, text]) => [
      id,
      text,
    ]);
    expect(links).to.deep.equal(headings).and.to.have.length.greaterThan(10);
    expect(page).not.to.match(/<h[23]>|<dt>(?!<a href="#)/);
    for (const id of ['urls', 'urls.url', 'bucket_name', 'metadata', 'compression', 'object.tags'])
      expect(page).to.contain(`id="${id}"`);
  });

  it('explains the error of a failed job once, for responses and webhooks (Q-A5)', () => {
    expect(page).to.contain('id="zip.error.retriable"').and.to.contain('id="ZipFailedEvent.error"');
    expect(page).not.to.contain('id="ZipFailedEvent.error.');
    expect(sectionOf('zipEnded')).to.contain('are those of <a href="#zip.error">the zip object</a>');
    expect(page).to.contain('id="ZipCompletedEvent.bucket.name"');
  });

  it('lists the fields of responses and webhooks, and explains each status', () => {
    for (const field of [
      'zip.status',
      'zip.archive.size',
      'zip.job.finished_at',
      'zip.error.retriable',
      'error.code',
    ])
      expect(page).to.contain(`id="${field}"`);
    for (const event of ['ZipCompletedEvent', 'ZipFailedEvent', 'TestEvent'])
      expect(page).to.contain(`<h3 id="${event}">`).and.to.contain(`id="${event}.type"`);
    for (const status of API_STATUSES) expect(page).to.contain(`<tr><td><code>${status}</code></td><td>`);
    expect(page).to.contain('<a href="#resource_not_found">');
    for (const header of ['Retry-After', 'RateLimit', 'Location'])
      expect(page).to.contain(`id="headers.${header}"`);
  });

  it('contains every sample verbatim', async () => {
    const shown = shownText(page);
    async function filesOf(folder: URL): Promise<readonly URL[]> {
      return (await readdir(folder))
        .filter((name) => /verify|receive|make/.test(name))
        .map((name) => new URL(name, folder));
    }
    const files = [...(await filesOf(SAMPLES)), ...(await filesOf(VERIFY_SAMPLES))];
    expect(files).to.have.lengthOf(12);
    for (const file of files) expect(shown, file.href).to.contain(await readFile(file, 'utf8'));
  });
});

describe('html', () => {
  it('escapes inserted values except HTML', () => {
    expect(html`<b title="${'"'}">${'<&>'}${[html`<i>${1}</i>`, undefined]}</b>`.html).to.equal(
      '<b title="&quot;">&lt;&amp;&gt;<i>1</i></b>',
    );
  });
});
