import { expect } from 'chai';
import { planText } from '../../demo/plan.ts';

describe('planText', () => {
  it('reports the duration of the demo and its build', () => {
    const text = planText({ cores: 2, slowness: 1 }, 300);
    expect(text).to.contain('About 5 min on this machine (2 cores)').and.contain('(once, about 5 min)');
    expect(text).to.contain('(2 to 5: about 25 s)');
  });

  it('estimates seconds when everything is built', () => {
    const text = planText({ cores: 4, slowness: 2 }, 0);
    expect(text).to.contain('About 40 s on this machine').and.contain('(already built)');
  });
});
