import { expect } from 'chai';
import { createTestPlaces } from '#controller/zip-bucket/test-places.ts';

describe('places for bucket tests', () => {
  it('are limited per project and in all, and each bucket has one (N35)', () => {
    const places = createTestPlaces({ inAll: 3, perProject: 2 });
    expect(['a/1', 'a/1', 'a/2', 'a/3', 'b/1', 'c/1'].map((bucket) => places.take(bucket))).to.deep.equal([
      true,
      true,
      true,
      false,
      true,
      false,
    ]);
    places.release('a/1');
    expect(places.take('a/3')).to.equal(true);
    places.release('b/1');
    expect([places.take('a/4'), places.take('c/1')]).to.deep.equal([false, true]);
  });

  it('are kept by tests that a former leader started, also above the limit (N35)', () => {
    const places = createTestPlaces({ inAll: 2, perProject: 1 });
    for (const bucket of ['a/1', 'a/2', 'b/1']) places.keep(bucket);
    expect(places.take('c/1')).to.equal(false);
    for (const bucket of ['a/1', 'b/1']) places.release(bucket);
    expect([places.take('a/3'), places.take('c/1')]).to.deep.equal([false, true]);
  });
});
