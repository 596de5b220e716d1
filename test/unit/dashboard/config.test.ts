import { expect } from 'chai';
import { DASHBOARD_SETTINGS, readDashboardConfig } from '#dashboard/config.ts';

describe('readDashboardConfig', () => {
  it('has a default for every setting', () => {
    expect(readDashboardConfig({})).to.include({ port: 8_080, adminPort: 9_090, dashboardAllowHttp: false });
  });

  it('names every variable once', () => {
    const names = Object.values(DASHBOARD_SETTINGS).map(({ env }) => env);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('names every invalid variable at once', () => {
    expect(() => readDashboardConfig({ DASHBOARD_IDLE_MS: '1', DASHBOARD_URL: 'zips' })).to.throw(
      /DASHBOARD_URL[^]*DASHBOARD_IDLE_MS/,
    );
  });
});
