import { expect } from 'chai';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { readAll, withReader } from './source-harness.ts';

const CANARY = 'cAnArY0123456789';

describe('sources in data: URLs', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin({
      routes: {
        '/to-data': (_request, response) => {
          response.writeHead(302, { location: `data:,${CANARY}` }).end();
        },
      },
    });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  for (const sequential of [false, true])
    it(`are entries in order, without a request, sequential: ${sequential} (C5)`, async () => {
      const urls = ['data:,first', origin.url('/gen/1000/1'), 'data:;base64,bGFzdA==', 'data:,'];
      const entries = await withReader(urls, readAll, { sequential });
      expect(entries.map(({ bytes }) => bytes.length)).to.deep.equal([5, 1000, 4, 0]);
      expect(entries[0]?.bytes.toString()).to.equal('first');
      expect(entries[2]?.bytes.toString()).to.equal('last');
      expect(origin.requests).to.have.length(1);
    });

  it('are refused in redirects and if they are not valid, and never printed (C5)', async () => {
    for (const [url, message] of [
      [origin.url('/to-data'), 'scheme'],
      [`data:;base64,${CANARY}%`, 'data: URL'],
      [`data:text/${CANARY},%zz`, 'data: URL'],
    ] as const) {
      const lines: string[] = [];
      const error = await withReader([url], readAll, { onLog: (line) => lines.push(line) }).then(
        () => new Error('no error'),
        (thrown: unknown) => thrown as Error,
      );
      expect(error).to.include({ code: 'SourceInvalid' });
      expect(error.message).to.contain(message);
      expect(error.message + lines.join('')).not.to.contain(CANARY);
    }
  });
});
