import { expect } from 'chai';
import { ConfigError } from '#runtime/errors.ts';
import { readZipperConfig } from '#zipper-image/config.ts';

describe('readZipperConfig', () => {
  function read(env: Readonly<Record<string, string>>) {
    return () => readZipperConfig({ POD_UID: 'pod-1', ...env });
  }

  it('accepts the defaults', () => {
    expect(read({})).to.not.throw();
  });

  for (const [env, message] of [
    [{ STORE_CONSISTENCY_MS: '30000', RECOVERY_LIMIT_MS: '60000' }, 'less than half of RECOVERY_LIMIT_MS'],
    [{ STORE_START_GRACE_MS: '25000' }, 'STORE_START_GRACE_MS must be less than SHUTDOWN_TIMEOUT_MS'],
  ] as const)
    it(`refuses limits that contradict each other: ${message}`, () => {
      expect(read(env)).to.throw(ConfigError, message);
    });
});
