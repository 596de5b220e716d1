import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { RefusedRequest, RefusedRequestList } from '#administration/projects/refused-interface.ts';
import { createHistoryClient } from '#cli/history/history-client.ts';
import { addRequestCommands } from '#cli/request-commands.ts';
import { runProgram } from './fake-session.ts';

function aRequest(change: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    requestIds: ['request-1', 'request-0'],
    count: 12,
    firstAt: '2026-01-02T03:00:00.000Z',
    lastAt: '2026-01-02T03:04:05.000Z',
    token: 'zj_A...wxyz',
    method: 'POST',
    route: '/v1/zips',
    status: 422,
    code: 'parameter_invalid',
    meaning: 'A field has an invalid value.',
    param: 'urls[3].url',
    ...change,
  };
}

describe('zipjobs request list', () => {
  let server: Server;
  let asked: string[];
  let respond: () => { readonly status?: number; readonly body: unknown };
  beforeEach(async () => {
    asked = [];
    server = createServer(({ url = '', headers }, response) => {
      asked.push(url, headers.authorization ?? '');
      const { status = 200, body } = respond();
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });
  function reply(list: RefusedRequestList): void {
    respond = () => ({ body: list });
  }
  async function run(...args: readonly string[]) {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using client = createHistoryClient({
      origin,
      token: 'kubernetes-token',
      userAgent: 'zipjobs/test',
      requestTimeoutMs: 5_000,
      maxWaitMs: 0,
      signal: new AbortController().signal,
    });
    const options = { groups: [addRequestCommands], openHistory: () => Promise.resolve(client) };
    return await runProgram(options, ['request', 'list', '-n', 'team-a', ...args]);
  }

  it('prints what the dashboard has, and explains the code of one', async () => {
    reply({ requests: [aRequest()], notes: ['Without Redis, this list is short.'] });
    const { code, output, errors } = await run('--id', 'request-1', '--token-mask', 'wxyz');
    expect(code).to.equal(0);
    expect(asked).to.deep.equal([
      '/refused/projects/team-a/requests?id=request-1&token=wxyz',
      'Bearer kubernetes-token',
    ]);
    expect(output.split('\n')[1]?.split(/ {2,}/)).to.deep.equal([
      'request-1',
      '2026-01-02T03:04:05.000Z',
      '422',
      'parameter_invalid',
      'urls[3].url',
      'POST /v1/zips',
      'zj_A...wxyz',
      '12',
    ]);
    expect(errors).to.equal(
      'parameter_invalid: A field has an invalid value.\nWithout Redis, this list is short.\n',
    );
  });

  it('prints JSON with null for what it may not see, and no more rows than asked for', async () => {
    const { token: _token, param: _param, ...hidden } = aRequest();
    reply({ requests: [hidden, aRequest(), aRequest()], notes: [] });
    const { output, errors } = await run('--limit', '2', '-o', 'json');
    const [first, second, ...more] = JSON.parse(output) as readonly RefusedRequest[];
    expect(first).to.include({ token: null, param: null, count: 12 });
    expect(second).to.include({ token: 'zj_A...wxyz' });
    expect(more).to.deep.equal([]);
    expect(errors).to.include('Showing the newest 2 of 3');
  });

  it('prints no control characters', async () => {
    reply({ requests: [aRequest({ requestIds: ['\u001b[2J'] })], notes: [] });
    expect((await run()).output).not.to.include('\u001b');
  });

  it('says what the dashboard lacks', async () => {
    respond = () => ({ status: 404, body: '<html>' });
    const { code, errors } = await run();
    expect(code).not.to.equal(0);
    expect(errors).to.include('returned status 404 for refused requests');
    reply({ requests: [], notes: [] });
    expect((await run()).errors).to.include('No matching refused requests in project "team-a"');
  });
});
