/** A reflector whose API server suddenly knows less: etcd was restored from a snapshot. */
import { expect } from 'chai';
import { FAST, type Fixture, followed, has, startOf, startReflector } from './reflector-fixture.ts';
import { aNote, type Exchange } from './scripted-api-server.ts';

function bookmark(version: number) {
  return ['BOOKMARK', { metadata: { resourceVersion: String(version) } }] as const;
}

/** The request for the newest version of the collection. */
async function nextProbe(fixture: Fixture): Promise<Exchange> {
  const probe = await fixture.server.next();
  expect(probe.isWatch).to.equal(false);
  expect(Object.fromEntries(probe.url.searchParams)).to.deep.equal({ limit: '1', labelSelector: 'a=b' });
  return probe;
}

function start() {
  return startReflector({
    newestVersion: 'none',
    labelSelector: 'a=b',
    settings: { ...FAST, silenceLimitMs: 300 },
  });
}

/** With the ghost at version 50, and the stale one at 40. */
async function beforeRestore(fixture: Fixture): Promise<Exchange> {
  const watch = await followed(fixture, 30, aNote('kept', 5), aNote('stale', 6));
  watch.events(['MODIFIED', aNote('stale', 40)], ['ADDED', aNote('ghost', 50)]);
  await has(fixture, 'ns/ghost', 50);
  return watch;
}

function names({ reflector }: Fixture): readonly string[] {
  return [...reflector.values()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}

describe('a reflector after a restore of etcd', () => {
  const ends: readonly (readonly [string, (watch: Exchange) => void])[] = [
    ['was cut by a connection error', (watch) => watch.reset()],
    ['was ended early by the server', (watch) => watch.end()],
    ['was silent for too long', () => undefined],
    ['ended with an error of the server', (watch) => watch.events(['ERROR', { code: 500 }])],
    ['received an older event', (watch) => watch.events(['ADDED', aNote('new', 41)])],
    ['received an older bookmark', (watch) => watch.events(bookmark(49))],
  ];
  for (const [how, end] of ends)
    it(`lists again if its watch ${how} and the newest version is older (X36)`, async () => {
      await using fixture = await start();
      end(await beforeRestore(fixture));
      fixture.changes.length = 0;
      (await nextProbe(fixture)).list(42, [aNote('kept', 5)]);
      const list = await fixture.server.next();
      expect([list.isWatch, list.url.searchParams.get('limit')]).to.deep.equal([false, '500']);
      list.list(42, [aNote('kept', 5), aNote('stale', 6), aNote('new', 41)]);
      const watch = await fixture.server.next();
      expect(startOf(watch)).to.equal('42');
      expect(names(fixture)).to.have.members(['kept 5', 'stale 6', 'new 41']);
      expect(fixture.changes).to.include('deleted ns/ghost uid-ghost').and.include('set ns/stale uid-stale');
      expect(fixture.counted.at(-1)).to.equal('relist Note Restored');
      watch.events(['DELETED', aNote('kept', 43)]);
      await has(fixture, 'ns/new', 41);
      watch.events(['MODIFIED', aNote('new', 44)]);
      await has(fixture, 'ns/new', 44);
      expect(fixture.reflector.get('ns/kept')).to.equal(undefined);
    });

  it('trusts no version that it knew: the restored server gives the same numbers again (X36)', async () => {
    await using fixture = await start();
    (await beforeRestore(fixture)).reset();
    (await nextProbe(fixture)).list(45, []);
    const reused = { ...aNote('stale', 40), data: { text: 'another change with the same version' } };
    (await fixture.server.next()).list(45, [aNote('kept', 5), reused]);
    await fixture.server.next();
    expect(fixture.reflector.get('ns/stale')?.data).to.deep.equal(reused.data);
  });

  for (const version of [50, 51, 5_000])
    it(`watches on from its version if the newest is ${version} (X36)`, async () => {
      await using fixture = await start();
      (await beforeRestore(fixture)).reset();
      (await nextProbe(fixture)).list(version, [aNote('kept', 5)]);
      expect(startOf(await fixture.server.next())).to.equal('50');
      expect(fixture.counted.filter((one) => one.startsWith('relist'))).to.deep.equal(['relist Note start']);
    });

  it('asks until the server responds, and does not watch before (X36)', async () => {
    await using fixture = await start();
    (await beforeRestore(fixture)).reset();
    (await nextProbe(fixture)).json(503, { kind: 'Status' });
    (await nextProbe(fixture)).reset();
    (await nextProbe(fixture)).list(42, []);
    (await fixture.server.next()).list(42, []);
    expect(startOf(await fixture.server.next())).to.equal('42');
    expect(names(fixture)).to.deep.equal([]);
  });

  it('does not ask after a watch that lasted as long as requested', async () => {
    await using fixture = await startReflector({
      newestVersion: 'none',
      settings: { ...FAST, watchTimeoutSeconds: 0 },
    });
    const watch = await followed(fixture, 30);
    watch.events(['ADDED', aNote('a', 31)]);
    await has(fixture, 'ns/a', 31);
    watch.end();
    expect((await fixture.server.next()).isWatch).to.equal(true);
  });
});
