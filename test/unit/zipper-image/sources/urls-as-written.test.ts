/** Whether what is requested is what the URL says. The name of the random test contains its seed: URL_SEED=<seed> repeats it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createUrlProblem } from '#runtime/zip-request/url-problem.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { failureAt, readAll, withReader } from './source-harness.ts';

const SECRET = 'cAnArY';
const seed = Number(process.env['URL_SEED'] ?? Date.now() % 1_000_000_000);
const problemOf = createUrlProblem(createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] }));

/** A server that records what is requested. */
async function startRecorder() {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    response.end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requested,
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What is wrong with the text, and what the message says to write instead. HOST stands for a host. */
const REFUSED: readonly (readonly [text: string, remedy: string])[] = [
  [`http://HOST/${SECRET}#1.pdf`, '%23'],
  [`http://HOST/${SECRET}/C#/notes`, '%23'],
  [`http://HOST/a?file=${SECRET}#2/x`, '%23'],
  [`http://HOST/${SECRET}#.`, '%23'],
  [`http://HOST/report#1?X-Amz-Signature=${SECRET}`, '%23'],
  [`http://HOST/a?b#c?d=${SECRET}`, '%23'],
  [`http://HOST/${SECRET}#?`, '%23'],
  [`http://HOST/./${SECRET}`, 'without'],
  [`http://HOST/${SECRET}/../b`, 'without'],
  [`http://HOST/${SECRET}/..`, 'without'],
  [`http://HOST/${SECRET}/.?a=b`, 'without'],
  [`http://HOST/%2E/${SECRET}`, 'without'],
  [`http://HOST/%2e%2E/${SECRET}`, 'without'],
  [`http://HOST/.%2e/${SECRET}`, 'without'],
  [`http://HOST/${SECRET}/%2E.`, 'without'],
  [`http://HOST/${SECRET}\\b`, '%5C'],
  [`http://HOST/a?b=${SECRET}\\c`, '%5C'],
  [`http://HOST\\${SECRET}`, '%5C'],
  [`http:\\\\HOST/${SECRET}`, '%5C'],
  [`http:/HOST/${SECRET}`, 'http://'],
  [`http:HOST/${SECRET}`, 'http://'],
  [`HTTP:/HOST/${SECRET}`, 'http://'],
  [`http:///HOST/${SECRET}`, 'http://'],
  [`http:////HOST/${SECRET}`, 'http://'],
  [`http://@HOST/${SECRET}`, 'user name'],
  [` http://HOST/${SECRET}`, '%20'],
  [`http://HOST/${SECRET} `, '%20'],
  [`http://HOST/my ${SECRET}`, '%20'],
  [`http://HOST/${SECRET}\n`, 'line breaks'],
  [`\thttp://HOST/${SECRET}`, 'line breaks'],
  [`ht\ttp://HOST/${SECRET}`, 'line breaks'],
  [`http://HOST/a\r\n${SECRET}`, 'line breaks'],
  [`http://HOST/a\u0000${SECRET}`, 'line breaks'],
  [`http://HOST/a\u0085${SECRET}`, 'line breaks'],
];

/** Accepted URLs, and what is requested. */
const REQUESTED: readonly (readonly [text: string, path: string])[] = [
  ['http://HOST', '/'],
  ['HTTP://HOST/A', '/A'],
  ['http://HOST/a#', '/a'],
  ['http://HOST/a#page=2', '/a'],
  ['http://HOST/a?b#c', '/a?b'],
  ['http://HOST/a?', '/a?'],
  ['http://HOST?a', '/?a'],
  ['http://HOST/a//b/', '/a//b/'],
  ['http://HOST/...', '/...'],
  ['http://HOST/.a/b.', '/.a/b.'],
  ['http://HOST/a?b=../c/./d', '/a?b=../c/./d'],
  ['http://HOST/a%2F..%2Fb', '/a%2F..%2Fb'],
  ['http://HOST/a%5Cb%23c', '/a%5Cb%23c'],
  ['http://HOST/%25zz', '/%25zz'],
  ['http://HOST/é', '/%C3%A9'],
];

const PIECES = [
  ...'a,B,7,-,_,~,+,&,=,:,@,;,!,$,(,),*,[,],{,},|,^,`,",<,>'.split(','),
  ...'/,/,//,.,..,...,%2e,%2E,%2F,%2f,%5c,%5C,%23,%3F,%20,%,%zz,%4,%00'.split(','),
  ...'?,#,\\,é,e\u0301,報,😀,\u2028,\u00a0'.split(','),
  "'",
  ',',
  '/a',
  'b/',
];

/** RFC 3986, Appendix B. */
const PARTS = /^([^:/?#]+):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#(.*))?$/su;

/** The bytes that the text stands for: what is not an escape stands for itself. */
function decoded(text: string): Buffer {
  return Buffer.concat(
    text
      .split(/(%[0-9a-f]{2})/i)
      .map((part, at) => (at % 2 === 1 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  );
}

/** What must be requested; undefined for a URL that clients request differently. */
function expected(text: string): Buffer | undefined {
  const [, , , path = '', query = '', fragment = ''] = PARTS.exec(text) ?? [];
  const segments = path.split('/').map((segment) => segment.replaceAll(/%2e/gi, '.'));
  const isOther = text.includes('\\') || segments.includes('.') || segments.includes('..');
  return isOther || /[./?]/.test(fragment) ? undefined : decoded(`${path}${query}`);
}

function anyPath(random: Random): string {
  return Array.from({ length: random.int(0, 8) }, () => random.pick(PIECES)).join('');
}

describe('URLs of sources', () => {
  for (const [text, remedy] of REFUSED)
    it(`are refused with a remedy by the API and the zipper: ${JSON.stringify(text)} (FD13)`, async () => {
      await using recorder = await startRecorder();
      const url = text.replace('HOST', recorder.host);
      const problem = problemOf(url) ?? '';
      expect(problem).to.contain(remedy).and.to.not.contain(SECRET);
      const failure = await failureAt(url);
      expect(failure).to.include({ code: 'SourceInvalid', fileIndex: 0, retryable: false });
      expect(failure.message).to.contain(problem).and.to.not.contain(SECRET);
      expect(recorder.requested).to.deep.equal([]);
    });

  it('are requested as they are written, without a fragment (FD13)', async () => {
    await using recorder = await startRecorder();
    const urls = REQUESTED.map(([text]) => text.replace('HOST', recorder.host));
    for (const url of urls) expect(problemOf(url), url).to.equal(undefined);
    await withReader(urls, readAll, { sequential: true });
    expect(recorder.requested).to.deep.equal(REQUESTED.map(([, path]) => path));
  });

  it(`are requested byte for byte, but for percent-encoding, or refused: URL_SEED=${seed} (FD13)`, async () => {
    await using recorder = await startRecorder();
    const random = createRandom(seed);
    const wanted: { readonly url: string; readonly bytes: string }[] = [];
    for (let index = 0; index < 3_000; index += 1) {
      const url = `http://${recorder.host}/${anyPath(random)}`;
      const bytes = expected(url);
      expect(problemOf(url) === undefined, url).to.equal(bytes !== undefined);
      if (bytes !== undefined && wanted.length < 300) wanted.push({ url, bytes: bytes.toString('hex') });
    }
    expect(wanted).to.have.length(300);
    await withReader(
      wanted.map(({ url }) => url),
      readAll,
      { sequential: true },
    );
    const requested = recorder.requested.map((path) => decoded(path).toString('hex'));
    for (const [index, { url, bytes }] of wanted.entries()) expect(requested[index], url).to.equal(bytes);
  });

  it('of redirects are resolved as clients do (FD13)', async () => {
    const requested: string[] = [];
    const server = createServer(({ url = '' }, response) => {
      requested.push(url);
      if (requested.length > 1) response.end('x');
      else response.writeHead(302, { location: '../b/./c#d/e.f' }).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await withReader([`http://127.0.0.1:${(server.address() as AddressInfo).port}/x/y/z`], readAll);
      expect(requested).to.deep.equal(['/x/y/z', '/x/b/c']);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
