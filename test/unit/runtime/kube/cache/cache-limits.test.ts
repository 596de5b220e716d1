import { expect } from 'chai';
import { heapBytesOf, KEPT_LIMITS } from '#runtime/kube/cache/cache-limits.ts';
import { createObjectCache, type ObjectCacheOptions } from '#runtime/kube/cache/object-cache.ts';
import type { Change } from '#runtime/kube/types.ts';
import { createRandom } from '#test/support/random.ts';
import { aNote, type Note } from '../scripted-api-server.ts';

function inNamespace(namespace: string, note: Note): Note {
  return {
    ...note,
    metadata: { ...note.metadata, namespace },
  };
}

function sized(name: string, version: number, bytes: number): Note {
  return {
    ...aNote(name, version),
    data: { text: 'x'.repeat(bytes) },
  };
}

function setUp(options: ObjectCacheOptions<Note> = {}) {
  const noted: string[] = [];
  const cache = createObjectCache<Note>({
    limitsOf: () => ({ objects: 3, bytes: 10_000 }),
    onLeftOut: (namespace) => noted.push(`left out ${namespace}`),
    onRoom: (namespace) => noted.push(`room ${namespace}`),
    onIdentity: (key) => noted.push(`identity ${key}`),
    ...options,
  });
  function names(): readonly string[] {
    return [...cache.keys()].map((key) => key.replace('ns/', ''));
  }
  return { cache, noted, names };
}

describe('the limits of a cache', () => {
  it('are 2,000 objects and 8 MiB of each namespace and kind (N36)', () => {
    expect(KEPT_LIMITS).to.deep.equal({ objects: 2_000, bytes: 8_388_608 });
    const cache = createObjectCache<Note>();
    for (let n = 0; n < 2_100; n += 1) cache.set(aNote(`n${n}`, n + 1));
    expect([[...cache.keys()].length, cache.leftOut()]).to.deep.equal([2_000, 100]);
    for (let n = 0; n < 40; n += 1) cache.set(inNamespace('big', sized(`b${n}`, 9_000 + n, 250 * 1_024)));
    expect([...cache.keys()].filter((key) => key.startsWith('big/'))).to.have.lengthOf(32);
    expect(cache.leftOut()).to.equal(100 + 8);
  });

  it('leave out further objects of a namespace, and none of others (N36)', () => {
    const { cache, noted, names } = setUp();
    for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) cache.set(aNote(name, index + 1));
    expect(names()).to.deep.equal(['a', 'b', 'c']);
    expect(cache.set(inNamespace('other', aNote('x', 9)))).to.have.lengthOf(1);
    expect([cache.leftOut(), cache.isIncomplete('ns'), cache.isIncomplete('other')]).to.deep.equal([
      2,
      true,
      false,
    ]);
    expect(noted).to.deep.equal(['left out ns']);
  });

  it('count bytes as they are in memory (N36)', () => {
    expect(heapBytesOf('abc')).to.equal(3);
    expect(heapBytesOf('ÿ')).to.equal(1);
    expect(heapBytesOf('abc€')).to.equal(8);
    const { cache, names } = setUp();
    cache.set(sized('a', 1, 6_000));
    cache.set(sized('b', 2, 6_000));
    cache.set({ ...aNote('c', 3), data: { text: '€'.repeat(2_500) } });
    cache.set(sized('d', 4, 1_000));
    expect(names()).to.deep.equal(['a', 'd']);
  });

  it('drop an object that grows beyond them, and take it again when it shrinks (N36)', () => {
    const { cache, noted } = setUp();
    cache.set(sized('a', 1, 4_000));
    cache.set(sized('b', 2, 4_000));
    expect(cache.set(sized('a', 3, 9_000)).map(({ kind }) => kind)).to.deep.equal(['deleted']);
    expect(noted).to.deep.equal(['left out ns', 'room ns']);
    expect(cache.set(sized('a', 4, 100)).map(({ kind }) => kind)).to.deep.equal(['set']);
    expect(noted.slice(2)).to.deep.equal(['left out ns']);
    expect(cache.leftOut()).to.equal(0);
  });

  it('report room once less than nine tenths of them are used (N36)', () => {
    const { cache, noted } = setUp({ limitsOf: () => ({ objects: 10, bytes: 100_000 }) });
    for (let n = 0; n < 12; n += 1) cache.set(aNote(`n${n}`, n + 1));
    cache.delete(aNote('n0', 20));
    expect(noted).to.deep.equal(['left out ns']);
    cache.delete(aNote('n1', 21));
    expect(noted).to.deep.equal(['left out ns', 'room ns']);
  });

  it('do not apply to exempt objects, which count (N36)', () => {
    const { cache, names } = setUp({ isExempt: ({ metadata }) => metadata.name.startsWith('run') });
    for (const [index, name] of ['a', 'b', 'c', 'run-1', 'run-2', 'd'].entries())
      cache.set(aNote(name, index + 1));
    expect(names()).to.deep.equal(['a', 'b', 'c', 'run-1', 'run-2']);
    cache.delete(aNote('a', 20));
    cache.set(aNote('d', 21));
    expect(names()).to.not.include('d');
    cache.set(aNote('b', 22));
    expect(names(), 'an object that has its place').to.include('b');
  });

  it('forget an object that was left out and is deleted, and remember at most 1,000 names (N36)', () => {
    const { cache, noted } = setUp();
    for (let n = 0; n < 1_500; n += 1) cache.set(aNote(`n${n}`, n + 1));
    expect(cache.leftOut()).to.equal(1_000);
    for (let n = 3; n < 1_500; n += 1) cache.delete(aNote(`n${n}`, 10_000 + n));
    expect(cache.leftOut()).to.equal(0);
    expect(noted).to.deep.equal(['left out ns', 'left out ns']);
  });

  it('apply to a list, which replaces what counted before (N36)', () => {
    const { cache, noted, names } = setUp({ isAtRest: ({ metadata }) => metadata.name === 'b' });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) cache.set(aNote(name, index + 1));
    function receive(...listed: readonly string[]): void {
      const list = cache.receiveList();
      for (const name of listed) {
        const note = aNote(name, name.codePointAt(0) ?? 0);
        if (list.isKnown(note)) list.addKnown(note);
        else list.add(note);
      }
      list.remove(aNote('y', 1));
      list.publish(() => undefined);
    }
    receive('y', 'x', 'b', 'w', 'v');
    expect(names().toSorted()).to.deep.equal(['b', 'x']);
    expect([cache.leftOut(), noted]).to.deep.equal([2, ['left out ns', 'room ns']]);
    receive('b', 'v');
    expect([names().toSorted(), cache.leftOut(), noted]).to.deep.equal([
      ['b', 'v'],
      0,
      ['left out ns', 'room ns', 'left out ns'],
    ]);
  });

  it('hold after any changes, with what the cache says about them (N36)', () => {
    const random = createRandom(36);
    const limits = { objects: 5, bytes: 3_000 };
    const cache = createObjectCache<Note>({
      limitsOf: () => limits,
      isAtRest: ({ data }) => (data?.['text']?.length ?? 0) % 2 === 0,
      keepsIdentities: () => hasNoProject,
    });
    const live = new Map<string, Note>();
    function receive(notes: Iterable<Note>): void {
      const list = cache.receiveList();
      for (const one of notes)
        if (list.isKnown(one)) list.addKnown(one);
        else list.add(one);
      list.publish(() => undefined);
    }
    let hasNoProject = false;
    for (let version = 1; version < 5_000; version += 1) {
      const name = `n${random.int(0, 11)}`;
      const note = sized(name, version, random.pick([3, 10, 101, 900, 2_900, 4_000]));
      if (random.next() < 0.02) hasNoProject = !hasNoProject;
      if (random.next() < 0.6) {
        live.set(name, note);
        cache.set(note);
      } else if (random.next() < 0.9) {
        live.delete(name);
        cache.delete(note);
      } else receive(live.values());
      const kept = [...cache.values()];
      const identities = [...cache.identityKeys()];
      expect(kept.length).to.be.at.most(limits.objects);
      expect(JSON.stringify(kept).length).to.be.at.most(limits.bytes * 1.2);
      expect(kept.length + identities.length + cache.leftOut(), `version ${version}`).to.equal(live.size);
      for (const one of kept) expect(one).to.deep.equal(live.get(one.metadata.name));
    }
  });
});

describe('objects of which a cache keeps only the identity', () => {
  function keepsIdentities(namespace: string): boolean {
    return !projects.has(namespace);
  }
  let projects = new Set<string>();
  const heavy: Note = {
    ...sized('a', 5, 9_000),
    metadata: {
      ...aNote('a', 5).metadata,
      finalizers: ['zipjobs.dev/cleanup'],
      deletionTimestamp: '2026-05-04T12:00:00Z',
      annotations: { note: 'x'.repeat(100_000) },
      labels: { note: 'x' },
    },
  };
  beforeEach(() => {
    projects = new Set();
  });

  it('have a name, a uid, a version, finalizers and a deletion, and are in no index (N36)', () => {
    const { cache, noted, names } = setUp({ keepsIdentities, indexes: { all: () => ['all'] } });
    expect(cache.set(heavy)).to.deep.equal([]);
    const { annotations: _annotations, labels: _labels, ...identity } = heavy.metadata;
    expect(cache.identity('ns/a')).to.deep.equal({ metadata: identity });
    expect([names(), cache.byIndex('all', 'ns', 'all'), noted]).to.deep.equal([[], [], ['identity ns/a']]);
    cache.delete(aNote('a', 6));
    expect([[...cache.identityKeys()], noted]).to.deep.equal([[], ['identity ns/a', 'identity ns/a']]);
    expect(cache.set(heavy), 'an event that is late').to.deep.equal([]);
    expect(cache.identity('ns/a')).to.equal(undefined);
  });

  it('become whole, and the other way round, with the same version too (N36)', () => {
    const { cache, names } = setUp({ keepsIdentities });
    cache.set(sized('a', 5, 10));
    projects.add('ns');
    const changes: readonly Change<Note>[] = cache.set(sized('a', 5, 10));
    expect(changes.map(({ kind }) => kind)).to.deep.equal(['set']);
    expect([names(), [...cache.identityKeys()].length]).to.deep.equal([['a'], 0]);
    projects.delete('ns');
    expect(cache.set(sized('a', 6, 10)).map(({ kind }) => kind)).to.deep.equal(['deleted']);
    expect([names(), [...cache.identityKeys()].length]).to.deep.equal([[], 1]);
  });

  it('are at most 2,000 of a namespace (N36)', () => {
    const { cache } = setUp({ keepsIdentities });
    for (let n = 0; n < 2_100; n += 1) cache.set(aNote(`n${n}`, n + 1));
    expect([[...cache.identityKeys()].length, cache.leftOut()]).to.deep.equal([2_000, 100]);
  });
});
