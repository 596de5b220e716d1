import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ApiRequest } from '#test/support/clients/api-client.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

describe('createJsonBody', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer({ maxBodyBytes: 64 * 1024 });
  });
  afterEach(async () => {
    await api[Symbol.asyncDispose]();
  });

  describe('the body', () => {
    const cases: readonly (readonly [string, number, string, Partial<ApiRequest>])[] = [
      ['another type (T16)', 415, 'unsupported_media_type', { headers: { 'content-type': 'text/plain' } }],
      [
        'a type with the same prefix',
        415,
        'unsupported_media_type',
        { headers: { 'content-type': 'application/jsonp' } },
      ],
      [
        'another charset (T16)',
        415,
        'unsupported_media_type',
        { headers: { 'content-type': 'application/json; charset=iso-8859-1' } },
      ],
      [
        'a malformed type',
        415,
        'unsupported_media_type',
        { headers: { 'content-type': 'application/json; charset' } },
      ],
      [
        'a compressed body (T16)',
        415,
        'unsupported_media_type',
        { headers: { 'content-encoding': 'gzip' }, body: gzipSync(JSON.stringify(A_REQUEST)) },
      ],
      ['no JSON', 400, 'invalid_json', { body: '{"urls":' }],
      ['an empty body', 400, 'invalid_json', { body: '' }],
      ...['[]', '[{}]', '"text"', '""', '1', '-0.5e3', 'true', 'false', 'null', ' null\n'].map(
        (body) =>
          [`a value that is not an object: ${body} (N29)`, 422, 'parameter_invalid', { body }] as const,
      ),
      ...['[1,]', '[}', 'nul', '01', '{}[]', '[] {}'].map(
        (body) => [`no JSON: ${body} (N29)`, 400, 'invalid_json', { body }] as const,
      ),
      ...['x-gzip', 'br', 'deflate', 'zstd', 'GZIP', 'identity, gzip', 'gzip, identity', 'unknown'].map(
        (encoding) =>
          [
            `the encoding ${encoding} (N29)`,
            415,
            'unsupported_media_type',
            { headers: { 'content-encoding': encoding } },
          ] as const,
      ),
      ['invalid UTF-8 (T17)', 400, 'invalid_json', { body: Buffer.from('{"a":"\xff"}', 'latin1') }],
      ['a duplicate key (T19)', 400, 'invalid_json', { body: '{"key":"a","key":"b"}' }],
      ['67 levels (T18)', 400, 'invalid_json', { body: '['.repeat(67) + ']'.repeat(67) }],
    ];
    for (const [name, status, code, request] of cases) {
      it(`is refused for ${name}`, async () => {
        const response = await api.post(A_REQUEST, request);
        expect(response.status).to.equal(status);
        expect(response.body.error).to.include({ type: 'invalid_request_error', code, param: null });
      });
    }

    for (const type of [
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON ; version=1',
    ]) {
      it(`is accepted as ${type}`, async () => {
        expect((await api.post(A_REQUEST, { headers: { 'content-type': type } })).status).to.equal(201);
      });
    }

    for (const encoding of ['identity', 'Identity', 'IDENTITY', 'identity, Identity', ''])
      it(`is accepted with the encoding ${JSON.stringify(encoding)} (N29)`, async () => {
        const headers = { 'content-encoding': encoding };
        expect((await api.post(A_REQUEST, { headers })).status).to.equal(201);
        const chunked = { ...headers, 'transfer-encoding': 'chunked' };
        const text = JSON.stringify(A_REQUEST);
        const response = await rawHttp(api.port, [
          `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\nConnection: close\r\n`,
          Object.entries(chunked)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join(''),
          `Content-Type: application/json\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
        ]);
        expect(response).to.match(/^HTTP\/1.1 201 /);
      });

    for (const encoding of ['gzip', 'br', 'deflate', 'Identity'])
      it(`is not read before the token is verified: ${encoding} (N29)`, async () => {
        const response = await api.post(A_REQUEST, {
          token: 'x',
          headers: { 'content-encoding': encoding },
          body: gzipSync(JSON.stringify(A_REQUEST)),
        });
        expect(response.status).to.equal(401);
      });

    it('is refused without a content type (T16)', async () => {
      const text = JSON.stringify(A_REQUEST);
      const response = await rawHttp(api.port, [
        `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\nConnection: close\r\n`,
        `Content-Length: ${text.length}\r\n\r\n${text}`,
      ]);
      expect(response).to.match(/^HTTP\/1.1 415 /);
    });

    it('is refused with 413 and a closed connection if it is too large (T12)', async () => {
      const response = await api.post({ ...A_REQUEST, filler: 'x'.repeat(200_000) });
      expect(response.status).to.equal(413);
      expect(response.body.error).to.include({ type: 'invalid_request_error', code: 'body_too_large' });
      expect(response.headers.get('connection')).to.equal('close');
    });

    it('is limited while it is read if it is chunked (T12)', async () => {
      const chunk = `${(20_000).toString(16)}\r\n${'x'.repeat(20_000)}\r\n`;
      const response = await rawHttp(api.port, [
        `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\n`,
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        ...Array.from({ length: 6 }, () => chunk),
        '0\r\n\r\n',
      ]);
      expect(response).to.match(/^HTTP\/1.1 413 /);
      expect(response).to.match(/Connection: close/i);
    });

    it('gets a response although the client never ends a body that is too large (T12)', async () => {
      const response = await rawHttp(api.port, [
        `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\n`,
        'Content-Type: application/json\r\nContent-Length: 99999999\r\n\r\n{',
      ]);
      expect(response).to.match(/^HTTP\/1.1 413 /);
    });

    it('ends at the Content-Length even if it is too short (T12)', async () => {
      const response = await rawHttp(api.port, [
        `POST /v1/zips HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.token}\r\nConnection: close\r\n`,
        `Content-Type: application/json\r\nContent-Length: 5\r\n\r\n${JSON.stringify(A_REQUEST)}`,
      ]);
      expect(response).to.match(/^HTTP\/1.1 400 /);
    });

    it('does not affect the next request with __proto__ (T20)', async () => {
      await api.post('{"__proto__":{"bucket_name":"archive","key":"k","urls":[]},"constructor":1}');
      const response = await api.post('{}');
      expect(response.body.error).to.include({ code: 'parameter_missing', param: 'bucket_name' });
    });
  });
});
