import { expect } from 'chai';
import { keptAs } from '#runtime/kube/cache/kept-as.ts';
import { until } from '#test/support/until.ts';
import { FAST, followed, has, startOf, startReflector } from '../reflector-fixture.ts';
import { aNote, NOTES, type Note } from '../scripted-api-server.ts';

function bookmark(version: number) {
  return ['BOOKMARK', { metadata: { resourceVersion: String(version) } }] as const;
}

describe('createReflector', () => {
  it('lists in pages and watches from the version of the list', async () => {
    await using fixture = await startReflector({
      labelSelector: 'a=b',
      namespace: 'ns',
      settings: { ...FAST, pageSize: 1 },
      newestVersion: 'none',
    });
    const first = await fixture.server.next();
    expect(first.url.pathname).to.equal('/apis/test.dev/v1/namespaces/ns/notes');
    expect(Object.fromEntries(first.url.searchParams)).to.deep.equal({ limit: '1', labelSelector: 'a=b' });
    expect(fixture.reflector.hasSynced).to.equal(false);
    first.list(10, [aNote('a', 1)], 'more');
    const second = await fixture.server.next();
    expect(second.url.searchParams.get('continue')).to.equal('more');
    second.list(10, [aNote('b', 2)]);
    const watch = await fixture.server.next();
    await fixture.reflector.synced();
    const { timeoutSeconds, ...query } = Object.fromEntries(watch.url.searchParams);
    expect(query).to.deep.equal({
      resourceVersion: '10',
      allowWatchBookmarks: 'true',
      labelSelector: 'a=b',
      watch: 'true',
    });
    expect(Number(timeoutSeconds)).to.be.within(30, 40);
    expect([...fixture.reflector.values()].map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
    expect(fixture.changes).to.deep.equal(['set ns/a uid-a', 'set ns/b uid-b']);
  });

  it('starts each watch at the newest version', async () => {
    await using fixture = await startReflector();
    let watch = await followed(fixture, 10);
    for (const version of [20, 30, 40]) {
      watch.events(bookmark(version));
      watch.end();
      watch = await fixture.server.next();
      expect(startOf(watch)).to.equal(String(version));
    }
    expect(fixture.counted).to.deep.equal([
      'relist Note start',
      ...Array.from({ length: 3 }, () => 'end Note cut short'),
    ]);
  });

  it('lists again after 410 and reports the differences (F7)', async () => {
    await using fixture = await startReflector();
    let watch = await followed(fixture, 10, aNote('same', 1), aNote('gone', 2), aNote('changed', 3));
    await fixture.reflector.synced();
    fixture.changes.length = 0;
    watch.events(['ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' }]);
    watch.end();
    (await fixture.server.next()).list(30, [aNote('same', 1), aNote('changed', 25), aNote('new', 26)]);
    watch = await fixture.server.next();
    expect(watch.url.searchParams.get('resourceVersion')).to.equal('30');
    expect(fixture.changes).to.deep.equal([
      'deleted ns/gone uid-gone',
      'set ns/changed uid-changed',
      'set ns/new uid-new',
    ]);
    expect(fixture.counted).to.deep.equal(['relist Note start', 'end Note Gone', 'relist Note Gone']);
  });

  it('reads events in chunks that split a character', async () => {
    await using fixture = await startReflector();
    const watch = await followed(fixture, 10);
    const note = { ...aNote('a', 11), data: { text: 'grün' } };
    const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: note })}\n`);
    const cut = line.indexOf(0xc3) + 1;
    watch.raw('\n');
    await until('some silence', () => fixture.reflector.silenceMs() > 20, { intervalMs: 5 });
    watch.raw(line.subarray(0, cut));
    await until('the first piece', () => fixture.reflector.silenceMs() < 20, { intervalMs: 1 });
    watch.raw(line.subarray(cut));
    await has(fixture, 'ns/a', 11);
    expect(fixture.reflector.get('ns/a')?.data).to.deep.equal({ text: 'grün' });
  });

  it('reports a recreated object as deleted, then as new', async () => {
    await using fixture = await startReflector();
    const watch = await followed(fixture, 10, aNote('a', 1, 'old'));
    await fixture.reflector.synced();
    fixture.changes.length = 0;
    watch.events(['MODIFIED', aNote('a', 12, 'new')]);
    await has(fixture, 'ns/a', 12);
    expect(fixture.changes).to.deep.equal(['deleted ns/a old', 'set ns/a new']);
  });

  it('keeps only what keptAs selects, without managedFields', async () => {
    const noted = { ...aNote('a', 1), data: { big: 'x' } };
    await using fixture = await startReflector({
      definition: keptAs<Note, Note>(NOTES, ({ metadata }) => ({ metadata })),
    });
    await followed(fixture, 10, { ...noted, metadata: { ...noted.metadata, managedFields: [{}] } } as Note);
    expect(fixture.reflector.get('ns/a')).to.deep.equal({ metadata: noted.metadata });
  });

  it('keeps its indexes up to date after changes and deletions', async () => {
    await using fixture = await startReflector({
      indexes: { color: (note) => Object.values(note.data ?? {}) },
    });
    function colored(name: string, version: number, color: string): Note {
      return {
        ...aNote(name, version),
        data: { color },
      };
    }
    const watch = await followed(
      fixture,
      10,
      colored('a', 1, 'red'),
      colored('b', 2, 'red'),
      colored('c', 3, 'blue'),
    );
    watch.events(
      ['MODIFIED', colored('a', 11, 'blue')],
      ['DELETED', colored('b', 12, 'red')],
      ['ADDED', aNote('d', 13)],
    );
    await has(fixture, 'ns/d', 13);
    function names(color: string): string[] {
      return fixture.reflector.byIndex('color', 'ns', color).map(({ metadata }) => metadata.name);
    }
    expect(names('red')).to.deep.equal([]);
    expect(names('blue')).to.deep.equal(['c', 'a']);
    expect(() => fixture.reflector.byIndex('size', 'ns', '1')).to.throw(TypeError);
  });
});
