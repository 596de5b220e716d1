import type { DashboardContext } from '../context.ts';
import type { Cookies } from '../cookies.ts';

const NAME = 'theme';
const MAX_AGE_SECONDS = 31_536_000;

const THEMES = ['auto', 'light', 'dark'] as const;
/** `auto` follows the browser. */
export type Theme = (typeof THEMES)[number];

const toTheme = (value: string | null | undefined): Theme =>
  THEMES.find((theme) => theme === value) ?? 'auto';

export const readTheme = (ctx: DashboardContext, cookies: Cookies): Theme =>
  toTheme(cookies.read(ctx.get('Cookie'), NAME));

export const keepTheme = (ctx: DashboardContext, cookies: Cookies, value: string | null): void => {
  const theme = toTheme(value);
  ctx.append(
    'Set-Cookie',
    cookies.write(NAME, theme, { sameSite: 'Strict', maxAgeSeconds: MAX_AGE_SECONDS }),
  );
};
