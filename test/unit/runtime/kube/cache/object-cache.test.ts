import { expect } from 'chai';
import { createObjectCache, isOlderVersion } from '#runtime/kube/cache/object-cache.ts';
import { aNote, type Note } from '../scripted-api-server.ts';

describe('isOlderVersion', () => {
  for (const [version, than, want] of [
    ['9', '10', true],
    ['10', '9', false],
    ['10', '10', false],
    ['99999999999999999998', '99999999999999999999', true],
    [undefined, '1', false],
    ['1', undefined, false],
    ['abc', '1', false],
  ] as const) {
    it(`returns ${want} for ${version} and ${than}`, () => {
      expect(isOlderVersion(version, than)).to.equal(want);
    });
  }
});

describe('createObjectCache', () => {
  it('remembers a deletion until no older event can arrive', () => {
    const cache = createObjectCache<Note>();
    cache.delete(aNote('a', 12));
    expect(cache.set(aNote('a', 11))).to.deep.equal([]);
    cache.forgetDeleted('12');
    expect(cache.set(aNote('a', 11))).to.deep.equal([]);
    cache.forgetDeleted('13');
    expect(cache.set(aNote('a', 11))).to.have.lengthOf(1);
  });

  it('prefers a list to remembered deletions', () => {
    const cache = createObjectCache<Note>();
    cache.delete(aNote('a', 12));
    const list = cache.receiveList();
    list.add(aNote('a', 5));
    list.publish(() => undefined);
    expect(cache.set(aNote('a', 6))).to.have.lengthOf(1);
  });

  it('indexes none, one and several keys of a value', () => {
    const cache = createObjectCache<Note>({ indexes: { all: () => ['all'] } });
    function names(): readonly string[] {
      return cache.byIndex('all', 'ns', 'all').map(({ metadata }) => metadata.name);
    }
    const steps = [
      ['set', 'a', ['a']],
      ['set', 'a', ['a']],
      ['set', 'b', ['a', 'b']],
      ['set', 'c', ['a', 'b', 'c']],
      ['delete', 'a', ['b', 'c']],
      ['delete', 'b', ['c']],
      ['delete', 'c', []],
      ['set', 'a', ['a']],
      ['delete', 'a', []],
    ] as const;
    for (const [index, [kind, name, expected]] of steps.entries()) {
      cache[kind](aNote(name, index + 1));
      expect(names(), `${index}`).to.deep.equal(expected);
    }
    expect([...cache.keys()]).to.deep.equal([]);
  });
});
