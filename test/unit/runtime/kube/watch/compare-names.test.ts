/** Changes whose events never arrive, because the API server lost them. */
import { expect } from 'chai';
import { keptAs } from '#runtime/kube/cache/kept-as.ts';
import { until } from '#test/support/until.ts';
import { FAST, type Fixture, has, startReflector } from '../reflector-fixture.ts';
import { aNote, type Exchange, NOTES, type Note } from '../scripted-api-server.ts';

const settings = { ...FAST, silenceLimitMs: 60_000, compareMs: 20 };

const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

/** The list of names and versions. */
async function nextComparison({ server }: Fixture): Promise<Exchange> {
  const list = await server.next();
  expect(list.isWatch).to.equal(false);
  expect(list.headers.accept).to.equal(METADATA);
  return list;
}

/** The watch after the first list, and the first comparison: they may arrive in any order. */
async function followed(
  fixture: Fixture,
  version: number,
  ...notes: readonly Note[]
): Promise<{ readonly watch: Exchange; readonly list: Exchange }> {
  (await fixture.server.next()).list(version, notes);
  const one = await fixture.server.next();
  const other = await fixture.server.next();
  const [watch, list] = one.isWatch ? [one, other] : [other, one];
  expect([watch.isWatch, list.headers.accept]).to.deep.equal([true, METADATA]);
  return { watch, list };
}

async function nextRead({ server }: Fixture): Promise<Exchange> {
  const read = await server.next();
  expect([read.isWatch, read.headers.accept]).to.deep.equal([false, 'application/json']);
  return read;
}

function versions({ reflector }: Fixture): readonly string[] {
  return [...reflector.values()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}

describe('the comparison of a cache with the API server', () => {
  it('reads the objects of which an event was lost, and drops those whose deletion was lost (F7)', async () => {
    await using fixture = await startReflector({ settings, labelSelector: 'a=b' });
    const notes = [aNote('kept', 1), aNote('deleted', 2), aNote('changed', 3)];
    const { list } = await followed(fixture, 10, ...notes);
    expect(list.url.searchParams.get('labelSelector')).to.equal('a=b');
    fixture.changes.length = 0;
    list.list(20, [aNote('kept', 1), aNote('changed', 15), aNote('created', 16)]);
    for (const [name, version] of [
      ['changed', 17],
      ['created', 16],
    ] as const) {
      const read = await nextRead(fixture);
      expect(read.url.pathname).to.equal('/apis/test.dev/v1/namespaces/ns/notes');
      expect(read.url.searchParams.get('fieldSelector')).to.equal(`metadata.name=${name}`);
      expect(read.url.searchParams.get('labelSelector')).to.equal('a=b');
      read.list(21, [aNote(name, version)]);
    }
    (await nextComparison(fixture)).list(22, [aNote('kept', 1), aNote('changed', 17), aNote('created', 16)]);
    await nextComparison(fixture);
    expect(fixture.changes).to.deep.equal([
      'deleted ns/deleted uid-deleted',
      'set ns/changed uid-changed',
      'set ns/created uid-created',
    ]);
    expect(versions(fixture)).to.deep.equal(['kept 1', 'changed 17', 'created 16']);
    expect(fixture.counted).to.deep.equal(['relist Note start', 'missed Note 3']);
  });

  it('changes nothing that is newer than the list', async () => {
    await using fixture = await startReflector({ settings });
    const { watch, list } = await followed(fixture, 10, aNote('a', 1));
    watch.events(['MODIFIED', aNote('a', 31)], ['ADDED', aNote('new', 32)]);
    await has(fixture, 'ns/new', 32);
    list.list(30, []);
    (await nextComparison(fixture)).list(31, [aNote('a', 30)]);
    await nextComparison(fixture);
    expect(versions(fixture)).to.deep.equal(['a 31', 'new 32']);
  });

  it('restores no object that is deleted while it is read, and applies no older version', async () => {
    await using fixture = await startReflector({ settings });
    const { watch, list } = await followed(fixture, 10);
    list.list(20, [aNote('deleted', 15), aNote('changed', 16)]);
    const first = await nextRead(fixture);
    watch.events(['DELETED', aNote('deleted', 21)], ['ADDED', aNote('last', 22)]);
    await has(fixture, 'ns/last', 22);
    first.list(20, [aNote('deleted', 15)]);
    const second = await nextRead(fixture);
    watch.events(['MODIFIED', aNote('changed', 23)]);
    await has(fixture, 'ns/changed', 23);
    second.list(20, [aNote('changed', 16)]);
    await nextComparison(fixture);
    expect(versions(fixture)).to.deep.equal(['last 22', 'changed 23']);
  });

  it('drops an object that is gone when it is read', async () => {
    await using fixture = await startReflector({ settings });
    const { list } = await followed(fixture, 10, aNote('a', 1));
    list.list(20, [aNote('a', 15)]);
    (await nextRead(fixture)).list(21, []);
    await nextComparison(fixture);
    expect(versions(fixture)).to.deep.equal([]);
  });

  it('believes no list that is older than what is known, and asks before the next watch (X36)', async () => {
    await using fixture = await startReflector({ settings, newestVersion: 'none' });
    const { watch, list } = await followed(fixture, 10, aNote('a', 1));
    watch.events(['ADDED', aNote('b', 30)]);
    await has(fixture, 'ns/b', 30);
    list.list(20, [aNote('a', 1)]);
    const next = await nextComparison(fixture);
    expect(versions(fixture)).to.deep.equal(['a 1', 'b 30']);
    watch.end();
    const probe = await fixture.server.next();
    expect(probe.url.searchParams.get('limit')).to.equal('1');
    next.list(20, []);
  });

  it('does not read again what the cache does not keep, until it changes', async () => {
    await using fixture = await startReflector({
      settings,
      definition: keptAs<Note, Note>(NOTES, (note) => (note.metadata.name === 'other' ? undefined : note)),
    });
    const { list } = await followed(fixture, 10, aNote('other', 1));
    list.list(20, [aNote('other', 1)]);
    (await nextRead(fixture)).list(20, [aNote('other', 1)]);
    (await nextComparison(fixture)).list(21, [aNote('other', 1)]);
    (await nextComparison(fixture)).list(22, [aNote('other', 22)]);
    (await nextRead(fixture)).list(22, [aNote('other', 22)]);
  });

  it('reads no objects that do not fit into the cache', async () => {
    await using fixture = await startReflector({
      settings,
      limitsOf: () => ({ objects: 1, bytes: 1_000_000 }),
    });
    const { list } = await followed(fixture, 10, aNote('a', 1), aNote('b', 2));
    expect(fixture.reflector.isIncomplete('ns')).to.equal(true);
    list.list(20, [aNote('a', 1), aNote('b', 2)]);
    await nextComparison(fixture);
  });

  it('continues after a comparison that failed', async () => {
    await using fixture = await startReflector({ settings });
    const { list } = await followed(fixture, 10, aNote('a', 1));
    list.json(503, { kind: 'Status', reason: 'ServiceUnavailable' });
    (await nextComparison(fixture)).list(20, []);
    await until('the lost deletion', () => fixture.reflector.get('ns/a') === undefined);
  });
});
