import { expect } from 'chai';
import { type BuildAction, costsOf } from '#tools/local-cluster/measure-build.ts';

function action(ID: number, Package: string, seconds: number): BuildAction {
  return {
    ID,
    Mode: 'build',
    Package,
    CmdUser: seconds * 0.75e9,
    CmdSys: seconds * 0.25e9,
  };
}

describe('costsOf', () => {
  it('lists the expensive packages, averages the others and finds the longest chain', () => {
    const small = Array.from({ length: 60 }, (_, index) => action(10 + index, `small-${index}`, 2));
    const tiny = [action(80, 'tiny', 0.5), action(81, 'tinier', 0.25)];
    const link: BuildAction = { ...action(0, 'main', 4), Mode: 'link', Deps: [1] };
    const costs = costsOf([link, { ...action(1, 'main', 3), Deps: [10, 11] }, ...small, ...tiny]);
    expect(costs).to.include({ cpuSeconds: 128, serialSeconds: 9, linkSeconds: 4 });
    expect(Object.keys(costs.packages)).to.have.length(60).and.include('main');
    expect(costs.packages['main']).to.equal(3);
    // One of the 60 small packages is not listed by name.
    expect(costs.otherPackageSeconds).to.equal(0.917);
  });

  it('ignores cached packages', () => {
    expect(costsOf([{ ID: 1, Mode: 'build', Package: 'cached', Deps: null }])).to.deep.equal({
      cpuSeconds: 0,
      serialSeconds: 0,
      linkSeconds: 0,
      otherPackageSeconds: 0,
      packages: {},
    });
  });
});
