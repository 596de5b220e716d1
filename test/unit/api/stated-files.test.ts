/** What an entry of a request may state about its file, from the request to the stored list. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parse } from 'yaml';
import { packFileList } from '#runtime/zip-request/file-list.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const [file] = A_REQUEST.urls;
const SHA256 = '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae';
const STATED = { size: 48_213, sha256: SHA256, crc32: '8c736521', content_type: 'application/pdf' };

function bodyOf(stated: object) {
  return { ...A_REQUEST, urls: [file, { ...file, filename: 'b', ...stated }] };
}

const VALID: readonly object[] = [
  { size: 0 },
  { size: 1e9 },
  { size: 1.0 },
  { sha256: SHA256.toUpperCase() },
  { crc32: '8C736521' },
  { crc32: '00000000' },
  { content_type: 'Text/HTML; charset="utf-8"' },
  { content_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { content_type: 'image/svg+xml' },
];
/** With the end of the message. */
const INVALID: readonly (readonly [stated: Readonly<Record<string, unknown>>, problem: RegExp])[] = [
  [{ size: -1 }, /^size must be an integer from 0 to 9007199254740991\.$/],
  [{ size: 2 ** 53 }, /^size must be an integer from 0 to 9007199254740991\.$/],
  [{ size: 1.5 }, /^size must be of type integer\.$/],
  [{ size: '1' }, /^size must be of type integer\.$/],
  [{ size: null }, /^size must be of type integer\.$/],
  [{ sha256: SHA256.slice(1) }, /^sha256 must be a SHA-256 of 64 hexadecimal digits\.$/],
  [{ sha256: `${SHA256}\n` }, /^sha256 must be a SHA-256/],
  [{ sha256: SHA256.replace('2', 'g') }, /^sha256 must be a SHA-256/],
  [{ sha256: '' }, /^sha256 must be a SHA-256/],
  [{ sha256: 1 }, /^sha256 must be of type string\.$/],
  [{ crc32: '8c73652' }, /^crc32 must be a CRC-32 of 8 hexadecimal digits\.$/],
  [{ crc32: '0x8c7365' }, /^crc32 must be a CRC-32/],
  [{ crc32: 2_356_372_769 }, /^crc32 must be of type string\.$/],
  [{ content_type: '' }, /^content_type must be a media type, such as application\/pdf\.$/],
  [{ content_type: 'pdf' }, /^content_type must be a media type/],
  [{ content_type: 'image/*' }, /^content_type must be a media type/],
  [{ content_type: 'text/html, text/plain' }, /^content_type must be a media type/],
  [{ content_type: 'text/html\r\n' }, /^content_type must be a media type/],
  [{ content_type: 'text/grüße' }, /^content_type must be a media type/],
  [{ content_type: `a/${'b'.repeat(254)}` }, /^content_type is longer than 255 characters\.$/],
  [{ content_type: ['text/html'] }, /^content_type must be of type string\.$/],
];

describe('the rules of a request: what an entry states about its file', () => {
  it('keeps it, and other entries state nothing (FD10)', () => {
    const { files } = checkBody(bodyOf({ ...STATED, other: 1 }));
    const { content_type: contentType, ...stated } = STATED;
    expect(files).to.deep.equal([file, { ...file, filename: 'b', ...stated, contentType }]);
  });

  for (const stated of VALID)
    it(`accepts ${JSON.stringify(stated)} (FD10)`, () => {
      expect(checkBody(bodyOf(stated)).files).to.have.length(2);
    });

  for (const [stated, problem] of INVALID)
    it(`refuses ${JSON.stringify(stated).slice(0, 60)} with the index of the entry (FD10)`, () => {
      expect(() => checkBody(bodyOf(stated)))
        .to.throw(/^urls\[1\]\./)
        .that.satisfies(({ message }: Error) => problem.test(message.slice('urls[1].'.length)))
        .and.includes({ status: 422, code: 'parameter_invalid', param: 'urls' });
    });

  it('refuses a size above the largest archive of the project (FD10)', () => {
    const limits = { archiveBytes: 1e9 };
    expect(() => checkBody(bodyOf({ size: 1e9 + 1 }), { limits })).to.throw(
      'urls[1].size is larger than the maximum file size of 1000000000 bytes.',
    );
  });

  describe('the sum of the stated sizes', () => {
    const limits = { archiveBytes: 1e9 };
    const half = { size: 5e8 };
    const body = { ...A_REQUEST, urls: ['a', 'b', 'c'].map((filename) => ({ ...file, filename, ...half })) };
    const excess =
      'The stated sizes of these files are 1500000000 bytes in all, but an archive of this project can have at most 1000000000. Split the files into several archives.';
    const [a, b, c] = body.urls;
    const other = { ...file, filename: 'd' };

    it('is refused above the largest archive of the project, also if other files state none (SZ1)', () => {
      expect(checkBody({ ...body, urls: [a, b, other] }, { limits }).files).to.have.length(3);
      for (const urls of [
        [a, b, c],
        [a, b, c, other],
      ])
        expect(() => checkBody({ ...body, urls }, { limits }))
          .to.throw(excess)
          .that.includes({ status: 422, code: 'parameter_invalid', param: 'urls', path: 'urls' });
    });

    it('may be larger if files are compressed or may be left out (SZ1)', () => {
      for (const choice of [
        { compression: 'auto' },
        { compression: 'deflate' },
        { on_source_error: 'skip' },
        { on_source_error: 'placeholder' },
      ])
        expect(checkBody({ ...body, ...choice }, { limits }).files).to.have.length(3);
      for (const jobDefaults of [{ compression: 'deflate' }, { onSourceError: 'Skip' }]) {
        expect(checkBody(body, { limits, jobDefaults }).files).to.have.length(3);
        const strict = { ...body, compression: 'store', on_source_error: 'fail' };
        expect(() => checkBody(strict, { limits, jobDefaults })).to.throw(excess);
      }
    });

    it('is refused above the largest object of the store (SZ1)', async () => {
      const archiveBytes = 5 * 1024 ** 4;
      await using api = await startApiServer({ projectClasses: { default: { archiveBytes } } });
      const size = archiveBytes / 2;
      const urls = [
        { ...file, size },
        { ...other, size },
      ];
      expect((await api.post({ ...A_REQUEST, urls })).status).to.equal(201);
      const cold = { ...A_REQUEST, urls, service: 'r2', bucket_name: 'cold' };
      const { status, body: refused } = await api.post(cold);
      expect({ status, ...refused.error }).to.include({
        status: 422,
        param: 'urls',
        message: `The stated sizes of these files are ${archiveBytes} bytes in all, but an archive in R2 can have at most 5492060580741. Split the files into several archives.`,
      });
    });
  });

  it('has the same rules for a file in a data: URL (FD10)', () => {
    const url = 'data:,abc';
    expect(checkBody(bodyOf({ ...STATED, url })).files[1]).to.include({ url, size: 48_213 });
    expect(() => checkBody(bodyOf({ url, crc32: 'abc' }))).to.throw('urls[1].crc32 must be a CRC-32');
  });

  it('is in the stored list only where it exists (FD10)', async () => {
    const plain = { url: 'https://h.example.com/a', filename: 'a' };
    const stated = { size: 0, contentType: 'text/plain' };
    const { chunks } = await packFileList([plain, { ...plain, ...stated }]);
    expect(gunzipSync(Buffer.concat(chunks)).toString()).to.equal(
      `${JSON.stringify(plain)}\n${JSON.stringify({ ...plain, ...stated })}\n`,
    );
  });

  describe('with expand=error', () => {
    let api: ApiServer;
    beforeEach(async () => {
      api = await startApiServer();
    });
    afterEach(() => api[Symbol.asyncDispose]());

    it('lists each entry with its field (FD10)', async () => {
      const urls = INVALID.map(([stated], n) => ({ ...file, filename: `f${n}`, ...stated }));
      const { body } = await api.post({ ...A_REQUEST, urls }, { path: '/v1/zips?expand=error' });
      expect(body.error?.files?.map(({ param }) => param)).to.deep.equal(
        INVALID.map(([stated]) => Object.keys(stated)[0]),
      );
    });
  });
});

describe('the definition of ZipJob: what an entry of spec.files states about its file', () => {
  function at(value: unknown, path: string): unknown {
    return path.split('.').reduce<unknown>((holder, name) => Reflect.get(Object(holder), name), value);
  }
  const definition: unknown = parse(readFileSync('crds/zipjobs.yaml', 'utf8'));
  const schema = at(definition, 'spec.versions.0.schema.openAPIV3Schema');
  const entry = at(schema, 'properties.spec.properties.files.items') as object;
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(entry);
  /** As ZipJobs spell it. */
  function inZipJob({ content_type: contentType, ...stated }: Readonly<Record<string, unknown>>): object {
    return {
      ...file,
      ...stated,
      ...(contentType !== undefined && { contentType }),
    };
  }

  it('has the rules of a request (FD10)', () => {
    for (const stated of VALID)
      expect(isValid(inZipJob({ ...stated })), JSON.stringify(stated)).to.equal(true);
    for (const [stated] of INVALID) expect(isValid(inZipJob(stated)), JSON.stringify(stated)).to.equal(false);
  });
});
