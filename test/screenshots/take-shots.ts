import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Shot } from './shot.ts';

const WIDTHS = { monitor: 1_920, desktop: 1_440, tablet: 820, phone: 375 } as const;
const MOST_HEIGHT = { monitor: 1_080, desktop: 900, tablet: 1_100, phone: 1_000 } as const;
/** Screenshot pixels per page pixel; those of wide windows are scaled down. */
const SCALES = { monitor: 0.6, desktop: 0.75, tablet: 1, phone: 1 } as const;
const VIEWPORT_HEIGHT = 700;
const SCHEMES = ['light', 'dark'] as const;
/** WebP quality at which text stays sharp. */
const QUALITY = 50;

const LIMIT_MS = 60_000;

export type Format = 'webp' | 'png';

interface Variant {
  readonly device: keyof typeof WIDTHS;
  readonly colorScheme: (typeof SCHEMES)[number];
}

const DEVICES = {
  few: ['desktop', 'phone'],
  all: ['monitor', 'desktop', 'tablet', 'phone'],
} as const;

/** Which windows to capture a page in. */
export type Widths = keyof typeof DEVICES;

function variantsOf(widths: Widths): readonly Variant[] {
  return DEVICES[widths].flatMap((device) => SCHEMES.map((colorScheme) => ({ device, colorScheme })));
}

export function fileOf(shot: Pick<Shot, 'name'>, { device, colorScheme }: Variant, format: Format): string {
  return `${shot.name}-${device}-${colorScheme}.${format}`;
}

/** How much wider the page is than its window, and which elements overflow. */
export function overhangOf(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return '';
    const out = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > width + 1);
    return out.slice(0, 3).map((one) => one.tagName + '.' + one.className).join(', ') || 'something';
  })()`);
}

async function capture(page: Page, device: Variant['device'], format: Format): Promise<Buffer> {
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' ? { quality: QUALITY } : {}),
    clip: {
      x: 0,
      y: 0,
      width: WIDTHS[device],
      height: Math.min(whole, MOST_HEIGHT[device]),
      scale: SCALES[device],
    },
    captureBeyondViewport: true,
  });
  await session.detach();
  return Buffer.from(data, 'base64');
}

/** Captures one page on every device and in both themes. Returns the elements that overflow the window. */
export async function takeShot(
  page: Page,
  shot: Pick<Shot, 'name' | 'path' | 'act'>,
  { folder, format, widths }: { readonly folder: string; readonly format: Format; readonly widths: Widths },
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  page.setDefaultTimeout(LIMIT_MS);
  const faults: string[] = [];
  await page.setViewportSize({ width: WIDTHS.desktop, height: VIEWPORT_HEIGHT });
  await page.goto(shot.path);
  await shot.act?.(page);
  for (const variant of variantsOf(widths)) {
    const { device, colorScheme } = variant;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: WIDTHS[device], height: VIEWPORT_HEIGHT });
    const overhang = await overhangOf(page);
    if (overhang !== '') faults.push(`${shot.name} is wider than a ${device}: ${overhang}`);
    await writeFile(join(folder, fileOf(shot, variant, format)), await capture(page, device, format));
  }
  return faults;
}
