import { expect } from 'chai';
import { API_CONSTANTS } from '#api/config.ts';
import { CONTROLLER_CONSTANTS } from '#controller/config/config.ts';
import { DASHBOARD_CONSTANTS } from '#dashboard/config.ts';
import {
  fieldOf,
  UNSUPPORTED_SETTINGS,
  warnOfUnsupported,
  withUnsupported,
} from '#runtime/config/unsupported-settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { ZIPPER_CONSTANTS } from '#zipper-image/config.ts';

const CONSTANTS = { leaseDurationMs: 15_000, workTimeoutMs: 10_000 };
const ON = { ZIPJOBS_UNSUPPORTED_SETTINGS: '1' };

describe('unsupported settings', () => {
  it('are read only if they are switched on and in the list', () => {
    const env = { LEASE_DURATION_MS: '1000', WORK_TIMEOUT_MS: '1' };
    expect(withUnsupported(CONSTANTS, env)).to.deep.equal(CONSTANTS);
    expect(withUnsupported(CONSTANTS, { ...env, ...ON })).to.deep.equal({
      leaseDurationMs: 1_000,
      workTimeoutMs: 10_000,
    });
  });

  it('are non-negative integers that a timer can wait for', () => {
    for (const LEASE_DURATION_MS of ['-1', '1.5', 'soon', '2147483648'])
      expect(() => withUnsupported(CONSTANTS, { ...ON, LEASE_DURATION_MS })).to.throw(
        ConfigError,
        'LEASE_DURATION_MS',
      );
  });

  it('are named in one warning', () => {
    const lines: string[] = [];
    const log = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } });
    warnOfUnsupported({ LEASE_DURATION_MS: '1' }, log);
    expect(lines).to.deep.equal([]);
    warnOfUnsupported({ ...ON, LEASE_DURATION_MS: '1', STS_RETRY_MS: '1' }, log);
    expect(lines).to.have.length(1);
    expect(lines[0])
      .to.contain('"names":["LEASE_DURATION_MS","STS_RETRY_MS"]')
      .and.contain('ZIPJOBS_UNSUPPORTED');
  });

  it('all change a constant', () => {
    const known = {
      ...API_CONSTANTS,
      ...CONTROLLER_CONSTANTS,
      ...DASHBOARD_CONSTANTS,
      ...ZIPPER_CONSTANTS,
      retryMs: 0,
    };
    const names = Object.values(UNSUPPORTED_SETTINGS).flat();
    expect(names.filter((name) => !(fieldOf(name) in known))).to.deep.equal([]);
  });
});
