import { expect } from 'chai';
import { apiStatusOf, PHASES } from '#crds/zip-job.ts';

describe('apiStatusOf', () => {
  it('maps each phase to one of four API states (H6)', () => {
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
