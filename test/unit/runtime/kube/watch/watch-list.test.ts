import { expect } from 'chai';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { FAST, type Fixture, has, startReflector } from '../reflector-fixture.ts';
import { aNote, type Exchange } from '../scripted-api-server.ts';

const SETTINGS = { ...FAST, watchList: true };

function bookmark(version: number, isEnd = true) {
  return [
    'BOOKMARK',
    {
      kind: 'Note',
      metadata: {
        resourceVersion: String(version),
        ...(isEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
      },
    },
  ] as const;
}

function names({ reflector }: Fixture): readonly string[] {
  return [...reflector.values()].map(({ metadata }) => metadata.name);
}

function isPage({ url, isWatch }: Exchange): boolean {
  return !isWatch && url.searchParams.has('limit');
}

/** Answers the first list, as a watch, and returns the watch that follows. */
async function listed(fixture: Fixture, version: number, ...all: readonly string[]): Promise<Exchange> {
  const list = await fixture.server.next();
  list.events(...all.map((name, index) => ['ADDED', aNote(name, index + 1)] as const), bookmark(version));
  return fixture.server.next();
}

describe('a list as a watch', () => {
  it('is published when its end arrives, and the watch starts at the version of the end', async () => {
    await using fixture = await startReflector({ settings: SETTINGS, labelSelector: 'a=b' });
    const list = await fixture.server.next();
    const { timeoutSeconds, ...query } = Object.fromEntries(list.url.searchParams);
    expect(query).to.deep.equal({
      watch: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
      labelSelector: 'a=b',
    });
    expect(timeoutSeconds).to.equal('120');
    list.events(['ADDED', aNote('a', 50)], ['ADDED', aNote('b', 7)], bookmark(30, false));
    list.events(['DELETED', aNote('a', 51)], ['MODIFIED', aNote('b', 52)], ['ADDED', aNote('c', 53)]);
    expect(fixture.reflector.hasSynced).to.equal(false);
    expect(names(fixture)).to.deep.equal([]);
    list.events(bookmark(60));
    const watch = await fixture.server.next();
    expect(watch.url.searchParams.get('resourceVersion')).to.equal('60');
    expect(watch.url.searchParams.has('sendInitialEvents')).to.equal(false);
    expect(names(fixture)).to.deep.equal(['b', 'c']);
    expect(fixture.reflector.get('ns/b')?.metadata.resourceVersion).to.equal('52');
    expect(fixture.changes).to.deep.equal(['set ns/b uid-b', 'set ns/c uid-c']);
    expect(fixture.counted).to.deep.equal(['relist Note start']);
    expect(fixture.server.seen.some(isPage)).to.equal(false);
  });

  it('leaves the previous content until the new list is complete, then reports the differences (F7)', async () => {
    await using fixture = await startReflector({ settings: SETTINGS });
    const watch = await listed(fixture, 10, 'same', 'gone', 'changed');
    fixture.changes.length = 0;
    watch.events(['ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }]);
    watch.end();
    const again = await fixture.server.next();
    again.events(['ADDED', aNote('new', 26)], ['ADDED', aNote('same', 1)], ['ADDED', aNote('changed', 25)]);
    expect(names(fixture)).to.deep.equal(['same', 'gone', 'changed']);
    again.events(bookmark(30));
    await has(fixture, 'ns/new', 26);
    expect(fixture.changes).to.deep.equal([
      'deleted ns/gone uid-gone',
      'set ns/new uid-new',
      'set ns/changed uid-changed',
    ]);
  });

  it('is repeated if the connection is lost before its end', async () => {
    await using fixture = await startReflector({ settings: SETTINGS });
    const lost = await fixture.server.next();
    lost.events(['ADDED', aNote('gone', 5)]);
    lost.reset();
    await listed(fixture, 10, 'a');
    expect(names(fixture)).to.deep.equal(['a']);
    expect(fixture.server.seen.some(isPage)).to.equal(false);
  });

  for (const [status, reason] of [
    [422, 'Invalid'],
    [400, 'BadRequest'],
  ] as const)
    it(`is replaced by pages for good after ${status}`, async () => {
      await using fixture = await startReflector({ settings: SETTINGS });
      (await fixture.server.next()).json(status, { kind: 'Status', code: status, reason, message: 'no' });
      (await fixture.server.next()).list(10, [aNote('a', 1)]);
      const watch = await fixture.server.next();
      expect(names(fixture)).to.deep.equal(['a']);
      watch.events(['ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }]);
      watch.end();
      expect(isPage(await fixture.server.next())).to.equal(true);
    });

  it('is replaced by pages if the server ignores the parameters and only sends objects', async () => {
    await using fixture = await startReflector({ settings: { ...SETTINGS, watchListSilenceMs: 50 } });
    (await fixture.server.next()).events(['ADDED', aNote('a', 1)], ['ADDED', aNote('deleted', 2)]);
    const page = await fixture.server.next();
    expect(isPage(page)).to.equal(true);
    page.list(10, [aNote('a', 1)]);
    await fixture.reflector.synced();
    expect(names(fixture)).to.deep.equal(['a']);
  });

  it('is replaced by pages if the server ends it, but requested again the next time', async () => {
    await using fixture = await startReflector({ settings: SETTINGS });
    (await fixture.server.next()).end();
    (await fixture.server.next()).list(10, []);
    const watch = await fixture.server.next();
    watch.events(['ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }]);
    watch.end();
    const again = await fixture.server.next();
    expect(again.url.searchParams.get('sendInitialEvents')).to.equal('true');
  });

  it('is replaced by pages if it takes too long', async () => {
    const clock = createManualClock();
    const settings = { ...SETTINGS, watchListLimitMs: 60_000, watchListSilenceMs: 1e9 };
    await using fixture = await startReflector({ settings, clock });
    const endless = await fixture.server.next();
    endless.events(['ADDED', aNote('a', 11)]);
    clock.jump(60_001);
    endless.events(['ADDED', aNote('b', 12)]);
    expect(isPage(await fixture.server.next())).to.equal(true);
  });
});
