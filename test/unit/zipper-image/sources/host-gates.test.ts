import { expect } from 'chai';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { HostGates } from '#zipper-image/sources/host-gates.ts';
import { readAll, withReader } from './source-harness.ts';

const HOST = 'http://a.example';
const never = new AbortController().signal;

describe('HostGates', () => {
  let now = 0;
  let gates: HostGates;
  beforeEach(() => {
    now = 0;
    gates = new HostGates({ connections: 8, now: () => now });
  });

  const enter = (count: number, host = HOST) =>
    Promise.all(Array.from({ length: count }, (_, index) => gates.enter(host, index, never)));

  it('halves the limit once per wave of refusals, with a minimum of one (D18)', async () => {
    for (const limit of [4, 2, 1, 1]) {
      const wave = await enter(gates.limitOf(HOST));
      now += 10;
      for (const turn of wave) turn.responded(limit % 2 ? 429 : 503, 0);
      for (const turn of wave) turn.leave();
      now += 10;
      expect(gates.limitOf(HOST)).to.equal(limit);
    }
    expect(gates.limitOf('http://b.example')).to.equal(8);
  });

  it('raises the limit by one per round of successful responses, up to the maximum (D18)', async () => {
    const wave = await enter(8);
    for (const turn of wave) turn.responded(503, 0);
    for (const turn of wave) turn.leave();
    const limits: number[] = [];
    for (let reply = 0; reply < 4 + 5 + 6 + 7 + 8; reply += 1) {
      const turn = await gates.enter(HOST, 0, never);
      turn.responded(200, 0);
      turn.leave();
      limits.push(gates.limitOf(HOST));
    }
    expect([limits[2], limits[3], limits[7], limits[8], limits[14], limits[21], limits.at(-1)]).to.deep.equal(
      [4, 5, 5, 6, 7, 8, 8],
    );
  });

  it('admits the earliest file of the list first', async () => {
    const turns = await enter(8);
    const entered: number[] = [];
    const waiting = [12, 9, 11].map(async (index) => {
      const turn = await gates.enter(HOST, index, never);
      entered.push(index);
      turn.leave();
    });
    turns[0]?.leave();
    turns[0]?.leave();
    await Promise.all(waiting);
    expect(entered).to.deep.equal([9, 11, 12]);
  });

  it('stops waiting with the reason of the signal', async () => {
    await enter(8);
    const stop = new AbortController();
    const waiting = gates.enter(HOST, 9, stop.signal).catch((error: unknown) => error);
    const reason = new Error('stop');
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(await gates.enter(HOST, 9, stop.signal).catch((error: unknown) => error)).to.equal(reason);
  });
});

describe('createSourceReader: a busy host', () => {
  it('gets half as many concurrent requests, and none before Retry-After (D18) (D12)', async () => {
    const times: number[] = [];
    let open = 0;
    let peakAfter = 0;
    let refusals = 8;
    const busy: OriginRoute = async (_request, response) => {
      if (refusals > 0) {
        refusals -= 1;
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      times.push(performance.now());
      open += 1;
      peakAfter = Math.max(peakAfter, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      response.writeHead(200, { 'content-length': 2 }).end('ok');
    };
    const paths = Array.from({ length: 24 }, (_, index) => `/busy-${index}`);
    const origin: FileOrigin = await startFileOrigin({
      routes: Object.fromEntries(paths.map((path) => [path, busy])),
    });
    const startedAt = performance.now();
    const settings = { sourceConcurrency: 8, sourcePerHostConnections: 8 };
    const entries = await withReader(
      paths.map((path) => origin.url(path)),
      readAll,
      { settings },
    );
    await origin[Symbol.asyncDispose]();
    expect(entries.map(({ bytes }) => bytes.toString())).to.deep.equal(paths.map(() => 'ok'));
    expect((times[0] ?? 0) - startedAt).to.be.at.least(980);
    expect(peakAfter).to.be.at.most(7);
  });
});
