import type { DashboardContext } from '../http/context.ts';
import type { Cookies } from '../http/cookies.ts';

const MAX_AGE_SECONDS = 31_536_000;

/** A choice of the user, kept in a cookie of this name. The first value is the default. */
interface Preference<Value extends string> {
  readonly name: string;
  readonly values: readonly [Value, ...Value[]];
}

const THEME = { name: 'theme', values: ['auto', 'light', 'dark'] } as const;
const TIMES = { name: 'times', values: ['utc', 'local'] } as const;
const KEYS = { name: 'keys', values: ['on', 'off'] } as const;
const ALL = [THEME, TIMES, KEYS] as const;

export interface Preferences {
  /** `auto` follows the browser. */
  readonly theme: (typeof THEME.values)[number];
  /** How the page's script shows times. Without it, all times are in UTC. */
  readonly times: (typeof TIMES.values)[number];
  /** Whether the page's script reacts to single keys: speech input types them by mistake (WCAG 2.1.4). */
  readonly keys: (typeof KEYS.values)[number];
}

function toValue<Value extends string>(
  { values }: Preference<Value>,
  given: string | null | undefined,
): Value {
  return values.find((value) => value === given) ?? values[0];
}

export function readPreferences(ctx: DashboardContext, cookies: Cookies): Preferences {
  function read<Value extends string>(preference: Preference<Value>): Value {
    return toValue(preference, cookies.read(ctx.get('Cookie'), preference.name));
  }
  return {
    theme: read<Preferences['theme']>(THEME),
    times: read<Preferences['times']>(TIMES),
    keys: read<Preferences['keys']>(KEYS),
  };
}

/** Keeps the preferences that the posted form has; a value that does not exist becomes the default. */
export function keepPreferences(ctx: DashboardContext, cookies: Cookies): void {
  for (const preference of ALL) {
    const given = ctx.state.form?.get(preference.name) ?? null;
    if (given === null) continue;
    const value = toValue<string>(preference, given);
    ctx.append(
      'Set-Cookie',
      cookies.write(preference.name, value, { sameSite: 'Strict', maxAgeSeconds: MAX_AGE_SECONDS }),
    );
  }
}
