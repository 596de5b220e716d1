import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { readReleaseCheckConfig } from '#api/programs/release-check/config.ts';
import { readMigrateConfig } from '#controller/history/migrate/config.ts';
import { readUninstallConfig } from '#controller/programs/uninstall/config.ts';
import type { Setting, Settings } from '#runtime/config/config.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import { ConfigError } from '#runtime/errors.ts';
import { createPool } from '#runtime/history/pool.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createRedis } from '#runtime/redis/create-redis.ts';
import { LONGEST_TIMER_MS, systemClock } from '#runtime/time/clock.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { PROCESSES, withSettings } from '#scripts/sync-values.ts';

/** Compared with other times only. */
const NO_TIMERS: ReadonlySet<string> = new Set(['DASHBOARD_IDLE_MS', 'DASHBOARD_SESSION_MS']);
/** All settings in seconds have a lower maximum, or are times of the controller's queue, which waits for any time. */
const LONGEST_SECONDS = Math.floor(LONGEST_TIMER_MS / 1_000);

function longestOf({ env }: Setting): number | undefined {
  return env.endsWith('_MS') && !NO_TIMERS.has(env) ? LONGEST_TIMER_MS : undefined;
}

function isAccepted(settings: Settings, { env }: Setting, value: number): boolean {
  try {
    readConfig(settings, { [env]: String(value) });
    return true;
  } catch (error) {
    if (error instanceof ConfigError) return !error.message.includes(`${env}: `);
    throw error;
  }
}

describe('the longest times in settings', () => {
  for (const [program, settings] of Object.entries(PROCESSES))
    it(`are those of a timer of Node: ${program} (BC5)`, () => {
      const times = Object.values(settings).filter((setting) => longestOf(setting) !== undefined);
      expect(times).to.have.length.above(0);
      const accepted = times.filter((setting) =>
        isAccepted(settings, setting, (longestOf(setting) ?? 0) + 1),
      );
      expect(accepted.map(({ env }) => env)).to.deep.equal([]);
    });

  it('are those of a timer of Node: programs that run once (BC5)', () => {
    for (const [read, name] of [
      [readMigrateConfig, 'LIMIT_SECONDS'],
      [readUninstallConfig, 'LIMIT_SECONDS'],
      [readReleaseCheckConfig, 'TIMEOUT_SECONDS'],
    ] as const)
      expect(() => read({ [name]: String(LONGEST_SECONDS + 1) }), name).to.throw(`${name}: `);
  });

  it('are refused by the schema of the chart too (BC5)', () => {
    const { definitions } = withSettings({ definitions: {} });
    const missing = Object.entries(PROCESSES).flatMap(([process, settings]) =>
      Object.values(settings).filter((setting) => {
        const schema = definitions[`${process}Settings`]?.properties[setting.env] as Setting | undefined;
        const longest = longestOf(setting);
        return (
          schema !== undefined &&
          longest !== undefined &&
          (schema.maximum ?? Number.POSITIVE_INFINITY) > longest
        );
      }),
    );
    expect(missing.map(({ env }) => env)).to.deep.equal([]);
  });

  it('leave the timers that are computed from them within those of Node (BC5)', async () => {
    const config = {
      ...readApiConfig({ REDIS_URL: 'redis://127.0.0.1:1', HISTORY_TLS: 'disable' }),
      redisTimeoutMs: LONGEST_TIMER_MS,
      historyStatementTimeoutMs: LONGEST_TIMER_MS,
    };
    const trust = BUILT_IN_TRUST;
    await using redis = createRedis(config, { trust, clock: systemClock, onError: () => undefined });
    expect(redis.options.socketTimeout).to.equal(LONGEST_TIMER_MS);
    const log = createLogger('test', { level: 'silent' });
    const pool = createPool(config, { log, trust, applicationName: 'test' });
    expect(pool.options.query_timeout).to.equal(LONGEST_TIMER_MS);
  });

  it('allow sessions and TTLs of more than 25 days (BC5)', () => {
    const days = 40;
    for (const [name, value] of [
      ['dashboard', { DASHBOARD_SESSION_MS: days * 86_400_000 }],
      ['controller', { SUCCEEDED_TTL_SECONDS: days * 86_400 }],
    ] as const)
      for (const [env, time] of Object.entries(value))
        expect(isAccepted(PROCESSES[name], { env, type: 'integer', description: '' }, time), env).to.equal(
          true,
        );
  });
});
