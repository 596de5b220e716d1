import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ERROR_CODES } from '#api/errors/error-codes.ts';
import { html } from '#api/openapi/page/html.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { FAILURE_CODES } from '#crds/exit-codes.ts';
import { API_STATUSES } from '#crds/zip-job.ts';
import { type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const SAMPLES = new URL('../../../../api/openapi/samples/', import.meta.url);
const VERIFY_SAMPLES = new URL('../../../../runtime/samples/', import.meta.url);
const VOID = new Set(['meta', 'br']);

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

  it('is a public page below 100 KiB', () => {
    expect(response.status).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(response.headers.get('etag')).to.match(/^"/);
    expect(Buffer.byteLength(page)).to.be.lessThan(100 * 1_024);
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

  it('contains the active limits', () => {
    expect(page).to.contain('4,321').and.to.contain('765 per minute').and.to.contain('33,554,432 bytes');
    expect(page).to.contain('9,876,543 bytes').and.to.contain('7,200 seconds');
    expect(page).to.contain('65,536 bytes').and.to.contain('1,048,576 bytes in all data: URLs');
  });

  it('starts with the Authorization header, which comes first in both operations too', () => {
    expect(page.indexOf('Authorization: Bearer')).to.be.lessThan(page.indexOf('id="start"'));
    const first = [
      ...page.matchAll(
        /<h3>Parameters<\/h3>\s*<div[^>]*><table>\s*<thead>.*<\/thead>\s*<tbody><tr><td>(.*?)<\/td>/g,
      ),
    ];
    const [create, read, webhook] = first.map(([, name]) => name);
    expect([create, read]).to.deep.equal(Array(2).fill('<code>Authorization</code>'));
    expect(webhook).to.equal('<code>webhook-id</code>');
  });

  it('lists the options of a request', () => {
    for (const option of CALLER_OPTIONS) expect(page).to.contain(`<td><code>${option}</code></td>`);
  });

  it('lists the fields of responses and webhooks, and explains each status', () => {
    for (const field of ['data.status', 'data.archive.size', 'data.job.finished_at', 'data.error.retriable'])
      expect(page).to.contain(`<td><code>${field}</code></td>`);
    for (const event of ['ZipCompletedEvent', 'ZipFailedEvent', 'TestEvent'])
      expect(page).to.contain(`<h4>${event}</h4>`);
    for (const status of API_STATUSES) expect(page).to.contain(`<tr><td><code>${status}</code></td><td>`);
    expect(page).to.contain('<a href="#resource_not_found">');
  });

  it('contains every sample verbatim', async () => {
    const shown = page
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'");
    async function filesOf(folder: URL): Promise<readonly URL[]> {
      return (await readdir(folder))
        .filter((name) => /verify|receive|make/.test(name))
        .map((name) => new URL(name, folder));
    }
    const files = [...(await filesOf(SAMPLES)), ...(await filesOf(VERIFY_SAMPLES))];
    expect(files).to.have.lengthOf(12);
    for (const file of files)
      expect(shown.replaceAll('&amp;', '&'), file.href).to.contain(await readFile(file, 'utf8'));
  });
});

describe('html', () => {
  it('escapes inserted values except HTML', () => {
    expect(html`<b title="${'"'}">${'<&>'}${[html`<i>${1}</i>`, undefined]}</b>`.html).to.equal(
      '<b title="&quot;">&lt;&amp;&gt;<i>1</i></b>',
    );
  });
});
