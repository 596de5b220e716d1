/** Counts what an operator can change. */
import type { Setting } from '#runtime/config/config.ts';
import { UNSUPPORTED_SETTINGS } from '#runtime/config/unsupported-settings.ts';
import { PROGRAMS } from './sync-values.ts';

/** A JSON setting counts as its keys. */
function namesOf({ env, keys }: Setting): readonly string[] {
  return keys?.map((key) => `${env}.${key}`) ?? [env];
}

export interface SettingCount {
  /** What an operator can change, also where the chart sets it from a value. */
  readonly settings: ReadonlySet<string>;
  /** Variables of pods that no operator can change, because the chart, the controller or the kubelet computes them. */
  readonly computed: ReadonlySet<string>;
  /** For tests. */
  readonly unsupported: ReadonlySet<string>;
}

export function countSettings(): SettingCount {
  const all = Object.values(PROGRAMS).flatMap((settings) => Object.values(settings));
  const settings = new Set(all.filter(({ setBy }) => setBy === undefined).flatMap(namesOf));
  const computed = new Set(
    all
      .map(({ env }) => env)
      .filter((env) => ![...settings].some((name) => name === env || name.startsWith(`${env}.`))),
  );
  return { settings, computed, unsupported: new Set(Object.values(UNSUPPORTED_SETTINGS).flat()) };
}
