import { expect } from 'chai';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST } from '#test/support/servers/api-server.ts';

const [file] = A_REQUEST.urls;

function withUrl(url: unknown) {
  return { ...A_REQUEST, urls: [file, { url, filename: 'b.txt' }] };
}

function withName(...names: string[]) {
  return {
    ...A_REQUEST,
    urls: names.map((filename, n) => ({ url: `https://h.example.com/${n}`, filename })),
  };
}

function without(field: keyof typeof A_REQUEST) {
  const { [field]: _left, ...rest } = A_REQUEST;
  return rest;
}

interface Row {
  readonly name: string;
  readonly body: unknown;
  readonly code?: string;
  readonly param: string;
  readonly message?: string | RegExp;
}

const MISSING: readonly Row[] = [
  { name: 'nothing at all', body: {}, param: 'bucket_name' },
  { name: 'bucket_name', body: without('bucket_name'), param: 'bucket_name' },
  { name: 'key', body: without('key'), param: 'key' },
  { name: 'urls', body: without('urls'), param: 'urls' },
  { name: 'key and urls', body: { bucket_name: 'a' }, param: 'key' },
  { name: 'urls, before the wrong type of another field', body: { bucket_name: 1, key: 'k' }, param: 'urls' },
  {
    name: 'key, present only in __proto__ (T20)',
    body: '{"bucket_name":"a","__proto__":{"key":"k"},"urls":[]}',
    param: 'key',
  },
];

const TYPES: readonly Row[] = [
  { name: 'bucket_name null', body: { ...A_REQUEST, bucket_name: null }, param: 'bucket_name' },
  { name: 'bucket_name a number', body: { ...A_REQUEST, bucket_name: 1 }, param: 'bucket_name' },
  { name: 'sequential a string (F31)', body: { ...A_REQUEST, sequential: 'true' }, param: 'sequential' },
  { name: 'bucket_name empty', body: { ...A_REQUEST, bucket_name: '' }, param: 'bucket_name' },
  { name: 'key an object', body: { ...A_REQUEST, key: {} }, param: 'key' },
  { name: 'urls null', body: { ...A_REQUEST, urls: null }, param: 'urls' },
  { name: 'urls an object', body: { ...A_REQUEST, urls: {} }, param: 'urls', message: /type array/ },
  { name: 'urls empty', body: { ...A_REQUEST, urls: [] }, param: 'urls', message: /at least one/ },
  {
    name: 'an entry that is a string',
    body: { ...A_REQUEST, urls: [file, 'https://h/'] },
    param: 'urls',
    message: /urls\[1\]/,
  },
  {
    name: 'a later entry, before another field',
    body: { ...A_REQUEST, key: 1, urls: [file, file, { ...file, url: 5 }] },
    param: 'urls',
    message: /^urls\[2\]\.url must be of type string/,
  },
  {
    name: 'another field, although the entries are valid',
    body: { ...A_REQUEST, key: 1, urls: [file, { ...file, filename: 'other' }] },
    param: 'key',
  },
  {
    name: 'an entry that is null',
    body: { ...A_REQUEST, urls: [null] },
    param: 'urls',
    message: /urls\[0\]/,
  },
  {
    name: 'an entry without url',
    body: { ...A_REQUEST, urls: [{ filename: 'a' }] },
    param: 'urls',
    message: /urls\[0\] .*url/,
  },
  {
    name: 'an entry without filename',
    body: { ...A_REQUEST, urls: [{ url: 'https://h/' }] },
    param: 'urls',
    message: /urls\[0\] .*filename/,
  },
  { name: 'a url that is a number', body: withUrl(1), param: 'urls', message: /urls\[1\]\.url/ },
  {
    name: 'a filename that is null',
    body: { ...A_REQUEST, urls: [{ ...file, filename: null }] },
    param: 'urls',
  },
  { name: 'an unknown service', body: { ...A_REQUEST, service: 'gcs' }, param: 'service', message: /s3, r2/ },
  { name: 'service null', body: { ...A_REQUEST, service: null }, param: 'service' },
  { name: 'metadata null', body: { ...A_REQUEST, metadata: null }, param: 'metadata' },
  { name: 'metadata an array', body: { ...A_REQUEST, metadata: [] }, param: 'metadata' },
  { name: 'metadata a string', body: { ...A_REQUEST, metadata: '{}' }, param: 'metadata' },
];

const VALUES: readonly Row[] = [
  {
    name: 'too many files',
    body: withName('a', 'b', 'c', 'd', 'e', 'f'),
    param: 'urls',
    message: /at most 5/,
  },
  {
    name: 'a url that is too long',
    body: withUrl(`https://h.example.com/${'x'.repeat(200)}`),
    param: 'urls',
    message: /200/,
  },
  {
    name: 'a url with half of a surrogate pair (T22)',
    body: withUrl('https://h.example.com/\ud800'),
    param: 'urls',
    message: /urls\[1\]/,
  },
  { name: 'a filename with half of a surrogate pair (T22)', body: withName('a\udc00'), param: 'urls' },
  { name: 'a key with half of a surrogate pair (T22)', body: { ...A_REQUEST, key: '\ud800' }, param: 'key' },
  { name: 'an empty key (T23)', body: { ...A_REQUEST, key: '' }, param: 'key' },
  {
    name: 'a key of 1025 bytes (T23)',
    body: { ...A_REQUEST, key: `${'é'.repeat(512)}x` },
    param: 'key',
    message: /1024/,
  },
  { name: 'a key with NUL (T23)', body: { ...A_REQUEST, key: 'a\0b' }, param: 'key' },
  { name: 'a key with a line break (T23)', body: { ...A_REQUEST, key: 'a\nb' }, param: 'key' },
  { name: 'a key with C1 (T23)', body: { ...A_REQUEST, key: 'a\u0085b' }, param: 'key' },
  { name: 'a key with .. (T23)', body: { ...A_REQUEST, key: 'a/../b' }, param: 'key' },
  { name: 'a key that is . (T23)', body: { ...A_REQUEST, key: '.' }, param: 'key' },
  {
    name: 'metadata over 16 KiB',
    body: { ...A_REQUEST, metadata: { a: 'x'.repeat(16_384) } },
    param: 'metadata',
    message: /16384/,
  },
  {
    name: 'metadata of 65 levels (T18)',
    body: `{"metadata":${'{"a":'.repeat(64)}{}${'}'.repeat(64)},${JSON.stringify(A_REQUEST).slice(1)}`,
    param: 'metadata',
    message: /64/,
  },
];

const NAMES = [
  '',
  '/a',
  'C:a',
  'a\\b',
  '.',
  'a/../b',
  'a//b',
  'a/',
  'a\0',
  'a\x7f',
  'a\u0085',
  ...['\u061c', '\u200e', '\u200f', '\u202e', '\u2066'].map((mark) => `a${mark}b`),
  'x'.repeat(256),
  `${'x/'.repeat(512)}y`,
];

const URLS = [
  'file:///etc/passwd',
  'ftp://x/',
  'gopher://x/',
  'data:text/plain',
  'blob:http://x/',
  'javascript:1',
  'http://a..b/',
  'http://example.com:0/',
  'http://exa\tmple.com/',
  'http://exa\nmple.com/',
  ' http://example.com/',
  'http://user:pw@example.com/',
  'not a url',
  '/path',
  '//host/path',
  '',
  'http://[fe80::1%25eth0]/',
  'http://127.0.0.1:80:80/',
  'http://256.1.1.1/',
  'http://',
  'http://%00.com/',
  'http://example.com:65536/',
  'http://exa%20mple.com/',
  'http://127.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f.1/',
  'http://0/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://１２７.０.０.１/',
  'http://127。0。0。1/',
  'http:127.0.0.1/',
  'http:\\\\127.0.0.1/',
  'http://example.com@127.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://LOCALHOST/',
  'http://a.localhost/',
  'http://169.254.169.254/latest',
  'http://10.0.0.1/',
  'http://kubernetes.default.svc/',
  'http://93.184.1.1/',
];

describe('the rules of a request', () => {
  it('returns the fields of the job with defaults', () => {
    expect(checkBody({ ...A_REQUEST, extra: 1, urls: [{ ...file, more: 2 }] })).to.deep.equal({
      bucketName: 'archive',
      service: 's3',
      key: 'out/archive.zip',
      files: [file],
      metadata: '{}',
      options: {},
      ignoredFields: '"extra", "urls[].more"',
    });
    expect(checkBody({ ...A_REQUEST, sequential: true }).options).to.deep.equal({ sequential: true });
  });

  for (const key of ['a%20b+c d', 'ü/日本.zip', 'x'.repeat(1_024), '...', 'a/..b/c.', '/a//b/']) {
    it(`accepts the key ${key.slice(0, 20)} (T23)`, () => {
      expect(checkBody({ ...A_REQUEST, key }).key).to.equal(key);
    });
  }

  for (const row of MISSING) {
    it(`reports a missing parameter: ${row.name}`, () => {
      expect(() => checkBody(row.body))
        .to.throw(`Missing required parameter: ${row.param}`)
        .that.includes({
          status: 422,
          type: 'invalid_request_error',
          code: 'parameter_missing',
          param: row.param,
        });
    });
  }

  for (const row of [...TYPES, ...VALUES]) {
    it(`reports an invalid parameter: ${row.name}`, () => {
      expect(() => checkBody(row.body))
        .to.throw(row.message ?? '')
        .that.includes({
          status: 422,
          type: 'invalid_request_error',
          code: 'parameter_invalid',
          param: row.param,
        });
    });
  }

  for (const name of NAMES) {
    it(`refuses the filename ${JSON.stringify(name.slice(0, 20))} and reports its index (Z12)`, () => {
      expect(() => checkBody(withName('ok', name)))
        .to.throw(/^urls\[1\]\.filename /)
        .that.includes({ code: 'parameter_invalid', param: 'urls' });
    });
  }

  it('refuses duplicate names and names used as file and as directory (Z12)', () => {
    expect(() => checkBody(withName('a', 'b', 'a'))).to.throw(/^urls\[2\]\.filename /);
    expect(() => checkBody(withName('a', 'a/b'))).to.throw(/^urls\[1\]\.filename /);
  });

  it('refuses non-portable names only if the project is set to refuse them (Z13)', () => {
    const refusing = { jobDefaults: { portableNames: 'refuse' } };
    for (const names of [
      ['ok', 'what?'],
      ['readme', 'README'],
    ]) {
      expect(() => checkBody(withName(...names), refusing)).to.throw(/^urls\[1\]\.filename /);
      expect(checkBody(withName(...names)).files).to.have.length(2);
      expect(
        checkBody(withName(...names), { jobDefaults: { portableNames: 'rewrite' } }).files[1]?.filename,
      ).to.equal(names[1]);
    }
  });

  for (const url of URLS) {
    it(`refuses the source ${JSON.stringify(url)} and does not repeat it (S50)`, () => {
      expect(() => checkBody(withUrl(url)))
        .to.throw(/^urls\[1\]\.url [a-zA-Z0-9 :/.,#%"()-]+$/)
        .that.includes({ code: 'parameter_invalid', param: 'urls' });
    });
  }

  it('accepts host names, which the zipper checks when it connects (S50)', () => {
    expect(checkBody(withUrl('https://resolves-to-loopback.example.com/')).files).to.have.length(2);
  });

  it('applies the file limit of the project', () => {
    expect(() => checkBody(withName('a', 'b'), { limits: { filesPerJob: 1 } })).to.throw(/at most 1 files/);
    expect(() => checkBody(withName('a', 'b', 'c', 'd', 'e', 'f'), { limits: { filesPerJob: 9 } })).to.throw(
      /at most 5/,
    );
  });
});
