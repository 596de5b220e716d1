import { expect } from 'chai';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { type DashboardServer, startDashboardServer } from '#test/support/servers/dashboard-server.ts';

describe('rejectInput', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startDashboardServer({ env: { maxHeaderBytes: 1024 } });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  for (const { what, input, status } of [
    { what: 'bytes that are not HTTP', input: 'nonsense\r\n\r\n', status: 400 },
    {
      what: 'headers that are too large',
      input: `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(2_000)}\r\n\r\n`,
      status: 431,
    },
  ])
    it(`responds to ${what} with ${status} and a line of text`, async () => {
      const response = await rawHttp(Number(new URL(server.url).port), [input]);
      expect(response)
        .to.match(new RegExp(`^HTTP/1.1 ${status} `))
        .and.contain('Content-Type: text/plain');
      expect(response).to.match(/\r\n\r\n[A-Z][^\n]*\.\n$/);
    });
});
