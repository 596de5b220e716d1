import { expect } from 'chai';
import { createFindMeant } from '#api/create/misspelling.ts';
import { findUnknownFields } from '#api/create/unknown-fields.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import { runToEnd } from '#test/support/run-to-end.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const [FILE = { url: '', filename: '' }] = A_REQUEST.urls;

function withEntry(fields: object) {
  return { ...A_REQUEST, urls: [FILE, { ...FILE, filename: 'b.txt', ...fields }] };
}

/** The strings of a list of RFC 9651. */
function listOf(header: string | null): readonly string[] {
  return Array.from((header ?? '').matchAll(/"((?:[^"\\]|\\["\\])*)"(?:, |$)/g), ([, text = '']) =>
    text.replaceAll(/\\(["\\])/g, '$1'),
  );
}

describe('a misspelled field', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  for (const [what, name, meant] of [
    ['without a letter', 'compresion', 'compression'],
    ['with one too many', 'metadatas', 'metadata'],
    ['with another one', 'manifezt', 'manifest'],
    ['with neighbours exchanged', 'comrpession', 'compression'],
    ['with an emoji for a letter', 'm🙂nifest', 'manifest'],
    ['of four letters', 'urlz', 'urls'],
    ['beside the right one', 'bucket_nam', 'bucket_name'],
    ['in camel case', 'onConflict', 'on_conflict'],
    ['with hyphens', 'Portable-Names', 'portable_names'],
    ['of three letters in capitals', 'KEY', 'key'],
    ['without a separator', 'modificationtime', 'modification_time'],
  ] as const)
    it(`${what} is refused with the one that was meant (Q-A1)`, async () => {
      const { status, body } = await api.post({ ...A_REQUEST, [name]: 'deflate' });
      expect([status, body.error]).to.deep.equal([
        422,
        {
          type: 'invalid_request_error',
          code: 'parameter_invalid',
          message: `Unknown field "${name}". Did you mean "${meant}"?`,
          param: name,
        },
      ]);
      expect(api.jobs.all()).to.deep.equal([]);
    });

  it('in an entry is refused with its path, also if the entry has the right one (Q-A1)', async () => {
    for (const [name, meant] of [
      ['sise', 'size'],
      ['filenames', 'filename'],
      ['contentType', 'content_type'],
      ['crc-32', 'crc32'],
    ] as const) {
      const { status, body } = await api.post(withEntry({ [name]: 1 }));
      expect([status, body.error?.param, body.error?.message]).to.deep.equal([
        422,
        'urls',
        `Unknown field "urls[1].${name}". Did you mean "${meant}"?`,
      ]);
    }
  });

  it('in an entry is one of the listed errors of a request (Q-A1, C4)', async () => {
    const urls = [
      { ...FILE, sha265: 'x' },
      { ...FILE, url: 'x' },
      { ...FILE, sizes: 1, filename: '' },
    ];
    const { body } = await api.post({ ...A_REQUEST, urls }, { path: '/v1/zips?expand=error' });
    const code = 'parameter_invalid';
    expect(body.error?.files).to.deep.equal([
      { file_index: 0, param: null, code, message: 'Unknown field "urls[0].sha265". Did you mean "sha256"?' },
      { file_index: 1, param: 'url', code, message: 'urls[1].url is not a valid URL.' },
      { file_index: 2, param: 'filename', code, message: 'urls[2].filename must not be empty.' },
    ]);
  });

  it('of the object is refused with the one that was meant (Q-A1)', () => {
    expect(() => checkBody({ ...A_REQUEST, object: { cacheControl: 'no-store' } }))
      .to.throw('Unknown field "object.cacheControl". Did you mean "cache_control"?')
      .that.includes({ param: 'object', path: 'object.cacheControl' });
  });

  it('hides no job that an earlier request with the same key created (Q-A1)', async () => {
    const key = { headers: { 'idempotency-key': 'order-7' } };
    const first = await api.post(A_REQUEST, key);
    const again = await api.post({ ...A_REQUEST, compresion: 'deflate' }, key);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
  });

  it('is one of the same object only (Q-A1)', async () => {
    const names = { urlz: 1, bucketName: 1, metadatas: 1 };
    const { status, headers } = await api.post({
      ...withEntry(names),
      sise: 1,
      metadata: { keys: 1, urlz: 2 },
    });
    expect(status).to.equal(201);
    expect(listOf(headers.get('ignored-fields'))).to.deep.equal([
      'sise',
      'urls[].urlz',
      'urls[].bucketName',
      'urls[].metadatas',
    ]);
  });
});

describe('createFindMeant', () => {
  const findMeant = createFindMeant(['url', 'size', 'filename', 'content_type']);

  it('takes no other word for a misspelling (Q-A1)', () => {
    const others = [
      'uri',
      'urls',
      'ur',
      'sze2',
      'seize2',
      'iszee',
      'file',
      'filenme_',
      'fielnmae',
      'content',
      '',
    ];
    for (const name of [...others, '__proto__', 'constructor', '12', 'x'.repeat(10_000), '_'.repeat(10_000)])
      expect(findMeant(name), name.slice(0, 20)).to.equal(undefined);
  });

  it('finds every name that is one edit away from a known one of four letters or more (Q-A1)', () => {
    for (const field of ['size', 'filename', 'content_type'])
      for (let at = 0; at <= field.length; at += 1) {
        const [before, after] = [field.slice(0, at), field.slice(at)];
        const edited = [
          `${before}é${after}`,
          `${before}${after.slice(1)}`,
          `${before}é${after.slice(1)}`,
          `${before}${after.slice(1, 2)}${after.slice(0, 1)}${after.slice(2)}`,
        ];
        for (const name of edited.filter((one) => one !== field))
          expect(findMeant(name), name).to.equal(field);
      }
  });
});

describe('Ignored-Fields', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('lists unknown fields once, without those of metadata and headers, also for a retry (Q-A1)', async () => {
    const key = { headers: { 'idempotency-key': 'order-7' } };
    const [, second] = withEntry({ note: 1, headers: { 'x-a': 'b' }, toString: 2 }).urls;
    const body = {
      ...A_REQUEST,
      metadata: { secret: 1 },
      comment: { inner: 1 },
      urls: [{ ...FILE, note: [1] }, second],
    };
    for (const isReplay of [false, true]) {
      const { status, headers } = await api.post(body, key);
      expect([status, headers.has('idempotent-replayed')]).to.deep.equal([201, isReplay]);
      expect(headers.get('ignored-fields')).to.equal('"comment", "urls[].note", "urls[].toString"');
    }
    expect((await api.post(A_REQUEST)).headers.has('ignored-fields')).to.equal(false);
  });

  it('lists names that objects of JavaScript have, empty ones and numbers (Q-A1)', async () => {
    const text = JSON.stringify(A_REQUEST);
    const { status, headers } = await api.post(`{"__proto__":{"a":1},"":1,"7":1,${text.slice(1)}`);
    expect(status).to.equal(201);
    expect(listOf(headers.get('ignored-fields'))).to.deep.equal(['7', '__proto__', '']);
  });

  it('lists at most ten names of at most 64 printable characters (Q-A1)', async () => {
    const long = { ['n'.repeat(10_000)]: 1, ['a"b\\c']: 1, ['naïve\r\nx: y']: 1 };
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`unknown ${n}`, 1]));
    const { status, headers } = await api.post({ ...A_REQUEST, ...long, ...many });
    expect(status).to.equal(201);
    const names = listOf(headers.get('ignored-fields'));
    expect(names.slice(0, 3)).to.deep.equal([`${'n'.repeat(61)}...`, 'a"b\\c', 'na?ve??x: y']);
    expect(names).to.have.length(10);
  });

  it('costs little for 10,000 entries, each with names of its own (Q-A1)', () => {
    const urls = Array.from({ length: 10_000 }, (_, n) => ({ ...FILE, [`a${n}`]: 1, [`bb${n}`]: 1 }));
    const before = process.threadCpuUsage().user;
    const { ignored } = runToEnd(findUnknownFields({ ...A_REQUEST, urls }));
    const ms = (process.threadCpuUsage().user - before) / 1000;
    expect(listOf(ignored)).to.have.length(10);
    expect(ms).to.be.below(500);
  });
});
