import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { FAST, type Fixture, followed, has, startOf, startReflector } from './reflector-fixture.ts';
import { aNote } from './scripted-api-server.ts';

describe('createReflector under faults', () => {
  it('continues after the last event when a watch is reset', async () => {
    await using fixture = await startReflector();
    const first = await followed(fixture, 10);
    first.events(['ADDED', aNote('a', 12)]);
    first.raw('{"type":"ADDED","object":{"metadata":{"name":"b"');
    await has(fixture, 'ns/a', 12);
    first.reset();
    const watch = await fixture.server.next();
    expect(startOf(watch)).to.equal('12');
    watch.events(['ADDED', aNote('b', 13)]);
    await has(fixture, 'ns/b', 13);
    expect(fixture.changes).to.deep.equal(['set ns/a uid-a', 'set ns/b uid-b']);
  });

  it('replaces a silent watch and closes its connection (K6, F7)', async () => {
    await using fixture = await startReflector({ settings: { ...FAST, silenceLimitMs: 60 } });
    const silent = await followed(fixture, 10);
    silent.raw('');
    const again = await fixture.server.next();
    expect(again.url.searchParams.get('resourceVersion')).to.equal('10');
    await until('the silent watch to be closed', () => silent.closed, { limitMs: 15_000 });
    expect(fixture.counted).to.include('end Note Timeout');
  });

  it('never replaces an object by an older version, in any order of events (K7, F7)', async () => {
    await using fixture = await startReflector();
    const first = await followed(fixture, 10, aNote('a', 9));
    // The watch ends at the older event.
    first.events(['MODIFIED', aNote('a', 12)], ['MODIFIED', aNote('a', 11)], ['DELETED', aNote('a', 11)]);
    const watch = await fixture.server.next();
    expect(startOf(watch)).to.equal('12');
    watch.events(['DELETED', aNote('unknown', 13)], ['MODIFIED', aNote('b', 100)]);
    await has(fixture, 'ns/b', 100);
    expect(fixture.reflector.get('ns/a')?.metadata.resourceVersion).to.equal('12');
    expect(fixture.changes).to.deep.equal(['set ns/a uid-a', 'set ns/a uid-a', 'set ns/b uid-b']);
  });

  it('refuses a list older than known versions until the server has nothing newer (K7)', async () => {
    await using fixture = await startReflector();
    const watch = await followed(fixture, 10, aNote('a', 9));
    watch.events(['BOOKMARK', { metadata: { resourceVersion: '50' } }]);
    watch.events(['ERROR', { code: 410, reason: 'Gone' }]);
    for (let tries = 0; tries < 4; tries += 1) (await fixture.server.next()).list(20, []);
    const fifth = await fixture.server.next();
    expect(fixture.reflector.get('ns/a')).to.not.equal(undefined);
    fifth.list(20, []);
    expect((await fixture.server.next()).url.searchParams.get('resourceVersion')).to.equal('20');
    expect(fixture.reflector.get('ns/a')).to.equal(undefined);
  });

  it('waits for the Retry-After of a 429, and keeps retrying after errors (F6)', async () => {
    await using fixture = await startReflector();
    const before = performance.now();
    (await fixture.server.next()).json(
      429,
      { kind: 'Status', reason: 'TooManyRequests' },
      { 'retry-after': '0.1' },
    );
    const second = await fixture.server.next();
    expect(performance.now() - before).to.be.greaterThan(95);
    second.json(500, { kind: 'Status', reason: 'InternalError' });
    (await fixture.server.next()).json(200, { not: 'a list' });
    (await fixture.server.next()).json(403, { kind: 'Status', reason: 'Forbidden' });
    const reset = await fixture.server.next();
    reset.reset();
    const again = await fixture.server.next();
    again.list(10, [aNote('a', 1)]);
    await fixture.reflector.synced();
    expect(fixture.reflector.hasSynced).to.equal(true);
  });

  it('is interrupted from a failure until the server accepts the next watch (BC15)', async () => {
    await using fixture = await startReflector();
    const { reflector } = fixture;
    const first = await followed(fixture, 10);
    first.events(['ADDED', aNote('a', 11)]);
    await has(fixture, 'ns/a', 11);
    expect(reflector.isInterrupted).to.equal(false);
    first.reset();
    const watch = await fixture.server.next();
    expect(reflector.isInterrupted).to.equal(true);
    watch.events(['ADDED', aNote('b', 12)]);
    await has(fixture, 'ns/b', 12);
    expect(reflector.isInterrupted).to.equal(false);
  });

  it('backs off if every watch ends immediately', async () => {
    await using fixture = await startReflector({ settings: { ...FAST, minBackoffMs: 40, maxBackoffMs: 40 } });
    (await fixture.server.next()).list(10, []);
    const before = performance.now();
    for (let watches = 0; watches < 3; watches += 1) (await fixture.server.next()).end();
    await fixture.server.next();
    expect(performance.now() - before).to.be.greaterThan(3 * 20);
  });

  it('lists again if the server rejects the watch', async () => {
    await using fixture = await startReflector();
    (await followed(fixture, 10)).json(400, { kind: 'Status', reason: 'BadRequest' });
    const list = await fixture.server.next();
    expect(list.isWatch).to.equal(false);
  });

  it('ignores invalid objects and keeps their last valid version', async () => {
    await using fixture = await startReflector();
    const watch = await followed(fixture, 10, aNote('a', 1), { metadata: { namespace: 'ns', name: '' } });
    watch.events(['MODIFIED', { ...aNote('a', 12), data: 5 }], ['ADDED', aNote('b', 13)]);
    await has(fixture, 'ns/b', 13);
    expect(fixture.reflector.get('ns/a')?.metadata.resourceVersion).to.equal('1');
  });

  for (const line of ['not json', '[]', '{"type":"NEWS","object":{}}', '{"type":"ERROR","object":"?"}']) {
    it(`starts another watch after the line ${line}`, async () => {
      await using fixture = await startReflector();
      const watch = await followed(fixture, 10);
      watch.events(['ADDED', aNote('a', 11)]);
      watch.raw(`${line}\n`);
      expect((await fixture.server.next()).isWatch).to.equal(true);
      await until('the first watch to be closed', () => watch.closed, { limitMs: 15_000 });
    });
  }

  it('survives a handler that throws', async () => {
    await using fixture = await startReflector({
      onChange: () => {
        throw new Error('handler');
      },
    });
    const watch = await followed(fixture, 10, aNote('a', 1));
    watch.events(['ADDED', aNote('b', 11)]);
    await has(fixture, 'ns/b', 11);
  });

  it('stops during a list, a watch or a wait, and leaves no open connection', async () => {
    for (const respond of [
      () => undefined,
      async (fixture: Fixture) => followed(fixture, 10),
      async (fixture: Fixture) => (await fixture.server.next()).json(500, {}),
    ]) {
      await using fixture = await startReflector({
        settings: { ...FAST, minBackoffMs: 60_000, maxBackoffMs: 60_000 },
      });
      await until('the first request', () => fixture.server.seen.length > 0);
      await respond(fixture);
      fixture.stop();
      await fixture.running;
      await fixture.server.kube[Symbol.asyncDispose]();
      await until('all sockets to close', () => fixture.server.openSockets === 0, { limitMs: 15_000 });
    }
  });

  it('rejects synced if its signal aborts first', async () => {
    await using fixture = await startReflector();
    const error = await fixture.reflector.synced(AbortSignal.timeout(5)).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('name', 'TimeoutError');
  });
});
