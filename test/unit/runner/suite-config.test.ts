import { expect } from 'chai';
import { filesOf, readSuiteConfig, suitesOf } from '#test/runner/suite-config.ts';

const CHART = 'test/chart/values.test.ts';
const UNIT = 'test/unit/runner/suite-config.test.ts';
const LONG = 'test/long/release.test.ts';

describe('suite-config', () => {
  it('finds the suites of test files by their paths', async () => {
    expect(await suitesOf([CHART, UNIT, LONG])).to.deep.equal(['unit', 'long']);
  });

  for (const path of ['test/runner/main.ts', 'test/unit/misspelt.test.ts'])
    it(`refuses ${path}, which is no test file of a suite`, async () => {
      const error = await suitesOf([UNIT, path]).catch((reason: unknown) => reason);
      expect(String(error)).to.contain(`${path} is no test file`);
    });

  it('chooses the named files of a suite', async () => {
    const config = await readSuiteConfig('unit');
    const only = [CHART, UNIT, LONG];
    expect(await filesOf(config, { isFullSize: false, only })).to.deep.equal([CHART, UNIT]);
    expect(await filesOf(config, { isFullSize: true, only })).to.deep.equal([]);
  });
});
