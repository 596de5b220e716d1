import { expect } from 'chai';
import type { ListedFile } from '#crds/zip-job.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { createPageCheck } from '#zipper-image/sources/sign-in-page.ts';
import { failureOf, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const PAGE = '<!DOCTYPE html>\n<html><title>Sign in</title>';
const KIB = 1024;

interface Response {
  readonly body?: string | Buffer;
  readonly type?: string;
  /** Where the source redirects; `undefined` if it responds itself. */
  readonly to?: string | undefined;
}

describe('a source that responds with a page', () => {
  let origin: FileOrigin;
  let other: FileOrigin;
  let response: Response;
  const page: OriginRoute = (_request, reply) => {
    const { body = PAGE, type = 'text/html; charset=utf-8' } = response;
    reply.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
  };
  const file: OriginRoute = (request, reply, incoming) => {
    const { to } = response;
    if (to === undefined || request.query.has('session')) return page(request, reply, incoming);
    reply.writeHead(302, { location: to }).end();
  };
  beforeEach(async () => {
    const routes = { '/file': file, '/file/': page, '/login': page };
    origin = await startFileOrigin({ routes });
    other = await startFileOrigin({ routes: { '/file': page } });
  });
  afterEach(async () => {
    await origin[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  function read(of: Response, more: Partial<ListedFile> = {}, options: HarnessOptions = {}) {
    response = { to: '/login', ...of };
    const files = [{ filename: 'report.pdf', ...more }];
    return withReader([origin.url('/file')], readAll, { ...options, files });
  }

  for (const [what, of, more] of [
    ['with the usual doctype', {}],
    ['with an old doctype in upper case', { body: '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">' }],
    ['with a doctype in lower case', { body: '<!doctype html>' }],
    ['without a doctype', { body: '<html lang="en">' }],
    ['in upper case without a doctype', { body: '<HTML>' }],
    ['after a byte order mark', { body: `\ufeff${PAGE}` }],
    ['in UTF-16', { body: Buffer.from(`\ufeff${PAGE}`, 'utf16le') }],
    ['in UTF-16 of the other byte order', { body: Buffer.from(`\ufeff${PAGE}`, 'utf16le').swap16() }],
    ['after white space', { body: `\r\n\t  \n${PAGE}` }],
    ['after comments', { body: `<!-- a <html> -->\n<!--><!-- b --> ${PAGE}` }],
    ['after an XML declaration', { body: `<?xml version="1.0"?>\n${PAGE}`, type: 'application/xhtml+xml' }],
    ['of many kilobytes', { body: PAGE + ' '.repeat(3 * KIB * KIB) }],
    ['with the media type in another case', { type: 'Text/HTML' }],
    ['with the media type twice', { type: 'text/html, Text/HTML' }],
    ['with the media type twice and a charset', { type: 'text/html; charset=utf-8, text/html' }],
    ['with an invalid parameter', { type: 'text/html; charset="\u00fc"' }],
    ['with a long parameter', { type: `text/html; a=${'b'.repeat(300)}` }],
    ['of another origin with the same path', { to: 'other' }],
    ['whose name has another ending', {}, { filename: 'a.html/b.JPG' }],
    ['with its right size', {}, { size: PAGE.length }],
  ] as readonly (readonly [string, Response, Partial<ListedFile>?])[])
    it(`after a redirect is refused ${what} (FD10) (D5)`, async () => {
      const to = of.to === 'other' ? { to: other.url('/file') } : {};
      const error = await failureOf(read({ ...of, ...to }, more));
      expect(error).to.include({ code: 'SourceInvalid', retryable: false });
      expect(error.message)
        .to.contain('looks like a sign-in page')
        .and.to.match(/state content_type: (text\/html|application\/xhtml\+xml) if/);
      expect(origin.requests.length + other.requests.length).to.equal(2);
    });

  for (const [what, of, more] of [
    ['without a redirect', { to: undefined }],
    ['after a redirect to the same path with a slash', { to: '/file/' }],
    ['after a redirect to the same path with a query', { to: '/file?session=1' }],
    ['named .html', {}, { filename: 'report.HTML' }],
    ['named .htm', {}, { filename: 'report.htm' }],
    ['named .xhtml', {}, { filename: 'report.xhtml' }],
    ['named .txt', {}, { filename: 'report.txt' }],
    ['without an ending', {}, { filename: 'reports.d/report' }],
    ['with a dot at the end', {}, { filename: 'report.' }],
    ['with another media type', { type: 'application/pdf' }],
    ['with two media types', { type: 'text/html, application/pdf' }],
    ['without a media type', { type: '' }],
    ['that is a file after all', { body: '%PDF-1.7 <html>' }],
    ['that is XML', { body: '<?xml version="1.0"?><svg/>' }],
    ['that starts with another element', { body: '<htmlx>' }],
    ['that is a fragment', { body: '<p>Hello</p>' }],
    ['whose comment does not end in the first KiB', { body: `<!-- ${' '.repeat(KIB)} --> ${PAGE}` }],
    ['that starts after the first KiB', { body: ' '.repeat(KIB) + PAGE }],
    ['that is empty', { body: '' }],
    ['with its media type stated', {}, { contentType: 'text/html' }],
    ['with its CRC-32 stated', { body: 'page' }, { crc32: '140ab620' }],
  ] as readonly (readonly [string, Response, Partial<ListedFile>?])[])
    it(`is accepted ${what} (FD10)`, async () => {
      const [entry] = await read(of, more).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
      expect(entry?.bytes.equals(Buffer.from(of.body ?? PAGE))).to.equal(true);
    });

  it('is accepted after a redirect from http to https, and to a name with www. (FD10)', async () => {
    for (const [from, to, isRefused] of [
      ['http://a.example/x', 'https://a.example/x', false],
      ['http://a.example:8080/x', 'https://a.example:8443/x', false],
      ['https://a.example/x', 'https://www.a.example/x/', false],
      ['https://www.a.example/', 'https://a.example', false],
      ['https://a.example/x', 'https://a.example/X', true],
      ['https://a.example/x', 'https://login.a.example/x', true],
      ['https://a.example/x', 'https://a.example:8443/x', true],
    ] as const) {
      const head = { status: 200, headers: { 'content-type': 'text/html' } };
      const check = createPageCheck({ url: from, filename: 'a.pdf' }, head, new URL(to));
      expect(check !== undefined, `${from} ${to}`).to.equal(isRefused);
    }
  });

  it('is left out before its entry starts, also if it is large (FD10)', async () => {
    for (const body of [PAGE, PAGE + ' '.repeat(3 * KIB * KIB)]) {
      const entries = await read({ body }, {}, { reportFailures: true });
      expect(entries[0]).to.have.nested.property('failure.code', 'SourceInvalid');
      expect(entries[0]?.bytes.length).to.equal(0);
    }
  });

  it('is refused if its first bytes arrive in two downloads (FD10)', async () => {
    const body = PAGE + ' '.repeat(5 * KIB);
    await using server = await startFileOrigin({
      routes: {
        '/file': (_request, reply) => void reply.writeHead(302, { location: '/login' }).end(),
        '/login': ({ seen }, reply, incoming) => {
          const start = Number(/^bytes=(\d+)-$/.exec(incoming.headers.range ?? '')?.[1] ?? 0);
          reply.writeHead(start > 0 ? 206 : 200, {
            'content-type': 'text/html',
            'content-length': body.length - start,
            etag: '"1"',
            ...(start > 0 && { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` }),
          });
          if (seen > 1) reply.end(body.slice(start));
          else reply.write(body.slice(0, 10), () => reply.destroy());
        },
      },
    });
    const files = [{ filename: 'report.pdf' }];
    const error = await failureOf(withReader([server.url('/file')], readAll, { files }));
    expect(error).to.include({ code: 'SourceInvalid', retryable: false });
  });
});
