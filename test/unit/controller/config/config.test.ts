import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';

const ENV = { POD_NAME: 'c-0', POD_NAMESPACE: 'zipjobs-system', ZIPPER_IMAGE: 'zipper:1' };

describe('readControllerConfig', () => {
  it('has a default for everything but the pod and the image', () => {
    expect(readControllerConfig(ENV)).to.deep.include({
      zipperEnv: {},
      webhookSchedule: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      succeededTtlSeconds: 604_800,
    });
    expect(() => readControllerConfig({})).to.throw(/POD_NAME[\s\S]*POD_NAMESPACE[\s\S]*ZIPPER_IMAGE/);
  });

  it('keeps a finished job for at least a day', () => {
    expect(() => readControllerConfig({ ...ENV, FAILED_TTL_SECONDS: '3600' })).to.throw('FAILED_TTL_SECONDS');
  });

  it('gives zippers only the settings that are set, and unsupported ones only if these are switched on', () => {
    const env = { ...ENV, ZIPPER_SETTINGS_JSON: '{"SOURCE_CONCURRENCY":3,"SOURCE_SEQUENTIAL":true}' };
    const settings = { sourceConcurrency: 3, sourceSequential: true };
    expect(readControllerConfig({ ...env, STS_RETRY_MS: '5' }).taskSettings).to.deep.equal(settings);
    const quick = { ZIPJOBS_UNSUPPORTED_SETTINGS: '1', STS_RETRY_MS: '5', LEASE_DURATION_MS: '1000' };
    expect(readControllerConfig({ ...env, ...quick })).to.deep.include({
      taskSettings: { ...settings, stsRetryMs: 5 },
      leaseDurationMs: 1_000,
    });
  });

  const bad = [
    ['ZIPPER_SETTINGS_JSON', '[]'],
    ['ZIPPER_SETTINGS_JSON', '{"EGRESS_ALLOW_CIDRS":"0.0.0.0/0"}'],
    ['ZIPPER_SETTINGS_JSON', '{"STS_RETRY_MS":5}'],
    ['ZIPPER_ENV_JSON', '{"A":1}'],
    ['ZIPPER_ENV_JSON', 'A=1'],
    ['ZIPPER_RESOURCES_JSON', '[]'],
    ['ZIPPER_RESOURCES_JSON', '{"limits":{"cpu":null}}'],
    ['RECOVERY_RESOURCES_JSON', '{"requests":["1"]}'],
    ['RECOVERY_TIMEOUT_SECONDS', '59'],
    ['ZIPPER_POD_JSON', '[]'],
    ['ZIPPER_POD_JSON', '{"labels":{"a":1}}'],
    ['ZIPPER_POD_JSON', '{"spec":{"tolerations":{}}}'],
    ['ZIPPER_POD_JSON', '{"spec":{"tolerations":[{"key":1}]}}'],
    ['ZIPPER_POD_JSON', '{"spec":{"volumes":[]}}'],
    ['ZIPPER_POD_JSON', '{"env":[]}'],
    ['STORE_ALLOW_CIDRS', '10.0.0.0/8,10.96.0.0/99'],
    ['WEBHOOK_SCHEDULE_SECONDS', '0,,5'],
    ['WEBHOOK_SCHEDULE_SECONDS', '-1'],
  ] as const;
  for (const [name, value] of bad)
    it(`rejects ${name}=${value}`, () => {
      expect(() => readControllerConfig({ ...ENV, [name]: value })).to.throw(name);
    });

  it('rejects a setting of the zipper below its least', () => {
    const env = { ...ENV, ZIPPER_SETTINGS_JSON: '{"STORE_BUFFER_BYTES":1}' };
    expect(() => readControllerConfig(env)).to.throw('STORE_BUFFER_BYTES: 1 must be >= 16777216');
  });
});
