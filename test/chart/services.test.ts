import { expect } from 'chai';
import { find, refusalOf, render, type Values } from './render.ts';

async function specOf(component: string, values: Values = {}) {
  return find(await render({ 'dashboard.enabled': true, ...values }), 'Service', `zipjobs-${component}`)[
    'spec'
  ];
}

describe('the Services of the chart', function () {
  this.timeout(30 * 60_000);

  for (const component of ['api', 'api-admin', 'dashboard']) {
    it(`leave the IP families of ${component} to the cluster by default (X33)`, async () => {
      expect(await specOf(component)).not.to.have.any.keys('ipFamilyPolicy', 'ipFamilies');
    });

    it(`give ${component} addresses of both IP families (X33)`, async () => {
      const spec = await specOf(component, {
        ipFamilyPolicy: 'PreferDualStack',
        ipFamilies: ['IPv6', 'IPv4'],
      });
      expect(spec).to.include({ ipFamilyPolicy: 'PreferDualStack' });
      expect(spec).to.have.deep.property('ipFamilies', ['IPv6', 'IPv4']);
    });
  }

  it('refuse an unknown IP family policy (X33)', async () => {
    expect(await refusalOf({ ipFamilyPolicy: 'Both' })).to.contain('ipFamilyPolicy');
  });
});
