import { expect } from 'chai';
import { failureOfResponse, rawServer } from './raw-server.ts';
import { failureAt, failureOf, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const CHUNKS = '5\r\nhello\r\n0\r\n\r\n';

function response(headers: string, body = 'hello', status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}

async function read(...[text, end]: Parameters<typeof rawServer>) {
  await using server = await rawServer(text, end);
  const [entry] = await withReader([server.url], readAll);
  if (!entry) throw new Error('there is no entry');
  return { ...entry, text: entry.bytes.toString(), requests: server.requests };
}

/** The failure, and how often the source was requested although retries are allowed. */
async function failureWithRetries(...[text, end]: Parameters<typeof rawServer>) {
  await using server = await rawServer(text, end);
  const error = await failureAt(server.url, { settings: { sourceRetryLimitMs: 30_000 } });
  return { error, requests: server.requests.length };
}

/** Breaks off after `hel`, and sends `rest` for a range request. */
function broken(head: string, rest: string): (request: string) => string {
  return (request) =>
    /^range: bytes=3-/im.test(request) ? response(rest, 'lo', '206 Partial Content') : response(head, 'hel');
}

describe('download: the head of a response', () => {
  describe('white space around values', () => {
    for (const length of ['5 ', ' \t5 ', '5  '])
      it(`reads a body with the length ${JSON.stringify(length)}, once (FD7)`, async () => {
        const { text, declaredLength, requests } = await read(response(`Content-Length:${length}`), false);
        expect({ text, declaredLength }).to.deep.equal({ text: 'hello', declaredLength: 5 });
        expect(requests).to.have.length(1);
      });

    it('reads an empty body with space behind its length (FD7)', async () => {
      expect(await read(response('Content-Length: 0 ', ''), false)).to.include({
        text: '',
        declaredLength: 0,
      });
    });

    it('does not accept a body that is shorter than a length with space (FD7) (D1)', async () => {
      const error = await failureOfResponse(response('Content-Length: 50 '));
      expect(error).to.include({ code: 'SourceTruncated', retryable: true });
    });

    it('reads a chunked body and a date (FD7)', async () => {
      const headers = 'Transfer-Encoding: \tchunked \r\nLast-Modified:\tSun, 06 Nov 1994 08:49:37 GMT ';
      const { text, lastModified } = await read(response(headers, CHUNKS));
      expect(text).to.equal('hello');
      expect(lastModified?.toISOString()).to.equal('1994-11-06T08:49:37.000Z');
    });

    it('follows a redirect (FD7)', async () => {
      const { text } = await read((request) =>
        request.startsWith('GET /next ')
          ? response('Content-Length: 5')
          : response('Location: \t/next \t\r\nContent-Length: 0 ', '', '302 Found'),
      );
      expect(text).to.equal('hello');
    });

    it('resumes a broken download (FD7)', async () => {
      const head = 'ETag:  "a" \r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 5';
      const rest = `ETag: "a"\t\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT \r\nContent-Range: bytes 3-4/5 \r\nContent-Length: 2 `;
      const { text, requests } = await read(broken(head, rest));
      expect(text).to.equal('hello');
      expect(requests).to.have.length(2);
      expect(requests[1]).to.include('if-range: "a"\r\n');
    });
  });

  describe('Content-Encoding', () => {
    for (const coding of ['gzip', 'aws-chunked', 'UTF-8', 'identity, gzip', 'gzip\r\nContent-Encoding: br'])
      it(`only marks a file with ${JSON.stringify(coding)}, whose length still holds (FD8) (D9)`, async () => {
        const headers = `Content-Encoding: ${coding}\r\nContent-Length: 5`;
        expect(await read(response(headers))).to.include({
          text: 'hello',
          contentEncoded: true,
          declaredLength: 5,
        });
        expect(await failureOfResponse(response(headers, 'hell'))).to.include({ code: 'SourceTruncated' });
      });

    for (const coding of [
      '',
      'identity',
      ' IDENTITY ',
      'identity, identity',
      'identity\r\nContent-Encoding:',
    ])
      it(`does not mark a file with ${JSON.stringify(coding)} (FD8)`, async () => {
        const headers = `Content-Encoding: ${coding}\r\nContent-Length: 5`;
        expect(await read(response(headers))).to.include({ text: 'hello', contentEncoded: false });
      });

    const CODED = 'ETag: "a"\r\nContent-Encoding: gzip';
    for (const [head, rest] of [
      [`${CODED}\r\nContent-Length: 5`, 'Content-Encoding: GZip '],
      [`${CODED}\r\nContent-Length: 5`, 'X-Without: Content-Encoding'],
      [`${CODED}\r\nTransfer-Encoding: chunked`, 'Content-Encoding: gzip'],
      ['ETag: "a"\r\nContent-Length: 5', 'Content-Encoding: identity'],
    ] as const)
      it(`resumes ${JSON.stringify(head)} with ${JSON.stringify(rest)} (FD8) (D9)`, async () => {
        const first = head.endsWith('chunked') ? response(head, '3\r\nhel\r\n') : response(head, 'hel');
        const more = response(
          `ETag: "a"\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\n${rest}`,
          'lo',
          '206 Partial Content',
        );
        const { text, requests } = await read((_request, before) => (before === 0 ? first : more));
        expect(text).to.equal('hello');
        expect(requests).to.have.length(2);
      });

    for (const [head, rest] of [
      [`${CODED}\r\nContent-Length: 5`, 'Content-Encoding: br'],
      [`${CODED}\r\nTransfer-Encoding: chunked`, 'X-Without: Content-Encoding'],
      ['ETag: "a"\r\nContent-Length: 5', 'Content-Encoding: gzip'],
    ] as const)
      it(`starts again instead of mixing ${JSON.stringify(head)} with ${JSON.stringify(rest)} (FD8) (D8)`, async () => {
        const isChunked = head.endsWith('chunked');
        const more = `ETag: "a"\r\nContent-Range: bytes 3-4/5\r\nContent-Length: 2\r\n${rest}`;
        const { text, requests } = await read((_request, before) => {
          if (before === 1) return response(more, 'XX', '206 Partial Content');
          if (isChunked) return response(head, before === 0 ? '3\r\nhel\r\n' : CHUNKS);
          return response(head, before === 0 ? 'hel' : 'hello');
        });
        expect(text).to.equal('hello');
        expect(requests).to.have.length(3);
        expect(requests[2]).to.not.include('range:');
      });
  });

  describe('Transfer-Encoding', () => {
    for (const refuseUnverified of [false, true])
      for (const coding of [
        'identity',
        'gzip',
        'gzip, chunked',
        'chunked, gzip',
        'chunked, chunked',
        'chunked\r\nTransfer-Encoding: chunked',
        'identity\r\nTransfer-Encoding: chunked',
        'identity, chunked',
        'xchunked',
        'chunked;q=1',
        'chunked,',
        'chunked\t',
        'chunked \t',
        ',chunked',
        '"chunked"',
        '',
      ])
        it(`refuses ${JSON.stringify(coding)}, SOURCE_REFUSE_UNVERIFIED=${refuseUnverified} (FD9) (D4)`, async () => {
          const settings = { sourceRefuseUnverified: refuseUnverified, sourceRetryLimitMs: 0 };
          const text = response(`Transfer-Encoding: ${coding}`, CHUNKS);
          const error = await failureOfResponse(text, { settings });
          expect(error).to.include({ code: 'SourceInvalid', retryable: false });
          expect(error.message).to.include('Transfer-Encoding');
        });

    for (const coding of ['chunked', 'CHUNKED', 'Chunked '])
      it(`reads a body with ${JSON.stringify(coding)} (FD9)`, async () => {
        const { text, lengthUnverified } = await read(response(`Transfer-Encoding: ${coding}`, CHUNKS));
        expect({ text, lengthUnverified }).to.deep.equal({ text: 'hello', lengthUnverified: false });
      });

    it('refuses another coding of the rest of a broken download (FD9)', async () => {
      const head = 'ETag: "a"\r\nContent-Length: 5';
      const rest = 'ETag: "a"\r\nContent-Range: bytes 3-4/5\r\nTransfer-Encoding: gzip';
      await using server = await rawServer(broken(head, rest));
      const error = await failureOf(withReader([server.url], readAll));
      expect(error).to.include({ code: 'SourceInvalid', retryable: false });
    });

    it('still retries a 503 with another coding, whose body is not wanted (FD9)', async () => {
      const busy = response('Transfer-Encoding: identity', 'busy', '503 Service Unavailable');
      const { text } = await read((_request, before) =>
        before === 0 ? busy : response('Content-Length: 5'),
      );
      expect(text).to.equal('hello');
    });
  });

  describe('Content-Length and Content-Range', () => {
    it('reads a length with leading zeros', async () => {
      expect(await read(response(`Content-Length: ${'0'.repeat(30)}5`))).to.include({ declaredLength: 5 });
    });

    for (const range of [
      'bytes 0-4/9',
      'bytes 0-8/9',
      'bytes 5-9/10',
      'bytes 4-8/9',
      'BYTES 0-4/9 ',
      'bytes 1-5/*',
    ])
      it(`refuses 200 with ${range}, which is a part (FD18)`, async () => {
        const text = response(`Content-Range: ${range}\r\nContent-Length: 5`);
        const { error, requests } = await failureWithRetries(text);
        expect(error).to.include({ code: 'SourceInvalid', retryable: false });
        expect(error.message).to.include('Content-Range');
        expect(requests).to.equal(1);
      });

    for (const range of ['bytes 0-4/5', 'bytes 0-4/*', 'items 0-4/9', 'nonsense', ''])
      it(`reads 200 with the Content-Range ${JSON.stringify(range)}, which is no part (FD18)`, async () => {
        const text = response(`Content-Range: ${range}\r\nContent-Length: 5`);
        expect(await read(text)).to.include({ text: 'hello', declaredLength: 5 });
      });

    for (const [status, why] of [
      ['206 Partial Content', 'no range was requested'],
      ['416 Range Not Satisfiable', 'no range was requested'],
      ['412 Precondition Failed', 'the request had no condition'],
    ] as const)
      it(`says that nothing asked for ${status} (FD18)`, async () => {
        const text = response('Content-Range: bytes 0-4/5\r\nContent-Length: 5', 'hello', status);
        const { error, requests } = await failureWithRetries(text);
        expect(error).to.include({ retryable: false, httpStatus: Number(status.slice(0, 3)) });
        expect(error.message).to.include(why);
        expect(requests).to.equal(1);
      });

    for (const status of ['412 Precondition Failed', '416 Range Not Satisfiable'])
      it(`starts again after ${status} for the rest of a download (FD18) (D8)`, async () => {
        const { text, requests } = await read((_request, before) => {
          if (before === 1) return response('Content-Length: 0', '', status);
          return response('ETag: "a"\r\nContent-Length: 5', before === 0 ? 'hel' : 'hello');
        });
        expect(text).to.equal('hello');
        expect(requests).to.have.length(3);
      });
  });
});

describe('download: invalid HTTP', () => {
  for (const [text, reason] of [
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', '100 Continue'],
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', '101'],
    [response('Content-Length: 5\r\nContent-Length: 5'), 'Content-Length'],
    [response('Content-Length: 5, 5'), 'Content-Length'],
    [response('Content-Length: 5\t'), 'Content-Length'],
    [response('Content-Length: -1'), 'Invalid character in Content-Length'],
    [response('Transfer-Encoding: chunked', '5 \r\nhello\r\n0\r\n\r\n'), 'Invalid character in chunk size'],
    ['HTTP/1.1 200 OK\nContent-Length: 5\n\nhello', 'Missing expected CR after response line'],
    [response('X: a\r\n b'), 'Unexpected whitespace after header value'],
    ['SSH-2.0-OpenSSH_9.6\r\n', 'Expected HTTP/'],
  ] as const)
    it(`refuses ${JSON.stringify(text)} at the first attempt, with the reason (FD18)`, async () => {
      const { error, requests } = await failureWithRetries(text);
      expect(error).to.include({ code: 'SourceInvalid', retryable: false });
      expect(error.message).to.include(reason);
      expect(requests).to.equal(1);
    });

  for (const [status, header] of [
    ['302 Found', 'Location: /next'],
    ['503 Service Unavailable', 'Retry-After: 0'],
  ] as const)
    it(`heeds ${status} although its unwanted body is invalid HTTP (FD18)`, async () => {
      const padded = response(`${header}\r\nTransfer-Encoding: chunked`, '5 \r\nhello\r\n0\r\n\r\n', status);
      const { text, requests } = await read((_request, before) =>
        before === 0 ? padded : response('Content-Length: 5'),
      );
      expect(text).to.equal('hello');
      expect(requests).to.have.length(2);
    });

  it('puts nothing of the response into the message (FD18)', async () => {
    const error = await failureOfResponse('canary-of-the-body\r\n');
    expect(error.message).to.not.include('canary');
  });

  it('requests a file again if a used connection delivers what is left of another response (FD18)', async () => {
    const settings: HarnessOptions['settings'] = { sourcePerHostConnections: 1 };
    await using server = await rawServer(
      (_request, before) => (before === 1 ? 'left over\r\n' : response('Content-Length: 5')),
      false,
    );
    const entries = await withReader([server.url, server.url], readAll, { settings });
    expect(entries.map(({ bytes }) => bytes.toString())).to.deep.equal(['hello', 'hello']);
    expect(server.requests).to.have.length(3);
  });

  it('requests a chunked file again if its chunks are damaged on the way (FD18)', async () => {
    const damaged = response('Transfer-Encoding: chunked', '3\r\nhel\r\n<html>');
    const { text, requests } = await read((_request, before) =>
      before === 0 ? damaged : response('Transfer-Encoding: chunked', CHUNKS),
    );
    expect(text).to.equal('hello');
    expect(requests).to.have.length(2);
  });
});
