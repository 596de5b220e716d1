import { expect } from 'chai';
import { mergeEvents, readEvent } from '#tools/local-cluster/watched-events.ts';

function event(type: string, uid: string, version: number) {
  return readEvent(JSON.stringify({ type, object: { metadata: { uid, resourceVersion: String(version) } } }));
}

describe('mergeEvents', () => {
  it('keeps the newest event of each object, and a new object stays ADDED', () => {
    const merged = mergeEvents([
      event('ADDED', 'a', 1),
      event('MODIFIED', 'b', 2),
      event('MODIFIED', 'a', 3),
      event('MODIFIED', 'b', 4),
      event('DELETED', 'b', 5),
    ]);
    expect(merged.map(({ line }) => line)).to.deep.equal([
      event('ADDED', 'a', 3).line,
      event('DELETED', 'b', 5).line,
    ]);
  });
});
