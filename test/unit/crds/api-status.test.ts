import { expect } from 'chai';
import { apiStatusOf, PHASES } from '#crds/zip-job.ts';

describe('apiStatusOf', () => {
  it('tells API clients one of four states for each phase (H6)', () => {
    expect([undefined, ...PHASES].map(apiStatusOf)).to.deep.equal([
      'none',
      'none',
      'none',
      'processing',
      'processing',
      'succeeded',
      'failed',
      'failed',
    ]);
  });
});
