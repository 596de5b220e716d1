import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRefusedReader } from '#dashboard/refused/refused-reader.ts';
import { listen } from '#runtime/http/server.ts';
import { createLogger } from '#runtime/log/log.ts';
import type { RefusedList } from '#runtime/refused-requests/refused-request.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { BUILT_IN_TRUST, onlyTrust, type Trust } from '#runtime/tls/trust.ts';
import { aRefusedEntry } from '#test/support/builders/refused-requests.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';

const LIST: RefusedList = {
  entries: [aRefusedEntry({ count: 3 }), aRefusedEntry({ count: 5 })],
  startedAtMs: 7,
  sharing: 'redis',
  meanings: {},
  helpUrl: '/docs',
};

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** Its name is not that of the API. */
const CERTIFICATE = { cert: certificateText('loopback.pem'), key: certificateText('server.key') };

describe('createRefusedReader', () => {
  let life: AsyncDisposableStack;
  beforeEach(() => {
    life = new AsyncDisposableStack();
  });
  afterEach(() => life.disposeAsync());

  async function start(respond: Respond, trust?: Trust) {
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-refused-'));
    life.defer(() => rm(directory, { recursive: true }));
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'the-token\n');
    const server = trust === undefined ? createServer(respond) : createHttpsServer(CERTIFICATE, respond);
    const { port } = life.use(await listen(server, { host: '127.0.0.1', port: 0, drainMs: 0 }));
    const url = trust === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
    const config = { dashboardApiAdminUrl: url, dashboardApiTokenFile: tokenFile };
    const log = createLogger('dashboard', { level: 'silent' });
    const read = life.use(createRefusedReader({ config, trust: trust ?? BUILT_IN_TRUST, log }));
    if (read === undefined) throw new Error('there is no reader');
    return read;
  }
  const { signal } = new AbortController();
  function codeOf(reading: Promise<unknown>): Promise<string> {
    return reading.then(
      () => 'none',
      (error: unknown) => (error as { readonly code: string }).code,
    );
  }

  it('sends its token and the uid of the project, and merges what the processes report', async () => {
    const requests: (string | undefined)[] = [];
    const read = await start(({ url, headers }, response) => {
      requests.push(url, headers.authorization);
      response.end(JSON.stringify(LIST));
    });
    const { entries, silent, sharing } = await read('the-uid', signal);
    expect(requests).to.deep.equal(['/refused-requests?project=the-uid', 'Bearer the-token']);
    expect(entries.map(({ count }) => count)).to.deep.equal([5]);
    expect({ silent, sharing }).to.deep.equal({ silent: 0, sharing: 'redis' });
  });

  for (const [what, respond] of [
    ['an error', (response: ServerResponse) => response.writeHead(401).end('{}')],
    ['no list', (response: ServerResponse) => response.end('{"entries":[{}]}')],
    ['a list that is too long', (response: ServerResponse) => response.end(`"${'x'.repeat(5_000_000)}"`)],
    ['no response', (response: ServerResponse) => response.destroy()],
  ] as const)
    it(`fails if the only process returns ${what}`, async () => {
      const read = await start((_request, response) => void respond(response));
      expect(await codeOf(read('the-uid', signal))).to.equal('RefusedRequestsUnavailable');
    });

  it('verifies the authority of a certificate, but not its name: the address is that of a pod', async () => {
    const authority = onlyTrust(parseCertificates(CERTIFICATE.cert, 'loopback.pem'));
    const tokens: (string | undefined)[] = [];
    function respond({ headers }: IncomingMessage, response: ServerResponse): void {
      tokens.push(headers.authorization);
      response.end(JSON.stringify(LIST));
    }
    const trusting = await start(respond, authority);
    expect((await trusting('the-uid', signal)).entries).to.have.length(1);
    const other = await start(respond, { ...BUILT_IN_TRUST });
    expect(await codeOf(other('the-uid', signal))).to.equal('RefusedRequestsUnavailable');
    expect(tokens).to.have.length(1);
  });

  it('does not exist without the address of the API', () => {
    const config = { dashboardApiAdminUrl: '', dashboardApiTokenFile: '' };
    const log = createLogger('dashboard', { level: 'silent' });
    expect(createRefusedReader({ config, trust: BUILT_IN_TRUST, log })).to.equal(undefined);
  });
});
