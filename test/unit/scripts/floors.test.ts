import { expect } from 'chai';
import { floorsOf } from '#scripts/floors.ts';

/** Each room with those that it imports: `'main: app config'`. */
function planOf(...rooms: readonly string[]) {
  return floorsOf(
    new Map(
      rooms.map((line) => {
        const [room = '', imports = ''] = line.split(':');
        return [room, new Set(imports.split(' ').filter((name) => name !== ''))];
      }),
    ),
  );
}

describe('floorsOf', () => {
  it('counts the rooms of the longest chain of imports', () => {
    expect(
      planOf('main: app config', 'app: routes config', 'routes: config', 'config:', 'alone:'),
    ).to.deep.equal({
      rooms: 5,
      floors: 4,
      arrows: 5,
      upwards: [],
    });
  });

  it('does not count imports inside a room', () => {
    expect(planOf('a: a b', 'b:')).to.deep.equal({ rooms: 2, floors: 2, arrows: 1, upwards: [] });
  });

  it('finds the arrow that closes a circle, and counts the floors without it', () => {
    expect(planOf('wiring: history zip-job', 'history: wiring', 'zip-job:')).to.deep.include({
      floors: 2,
      upwards: [['history', 'wiring']],
    });
    expect(planOf('a: b', 'b: c d', 'c: d a', 'd:'))
      .to.have.property('upwards')
      .with.length(1);
  });

  it('has no floor without rooms', () => {
    expect(planOf()).to.deep.equal({ rooms: 0, floors: 0, arrows: 0, upwards: [] });
  });
});
