import { until } from '#test/support/until.ts';

const INTERVAL_MS = 200;

/**
 * Opens the sign-in link as a browser without JavaScript does, and verifies that it leads to a page with this text. The dashboard sees
 * a new job after a moment.
 * @throws Error if it does not
 */
export async function checkDashboard(link: string, text: string): Promise<void> {
  const signedIn = await fetch(link, { redirect: 'manual' });
  const location = signedIn.headers.get('location');
  if (location === null) throw new Error(`the sign-in link returned: ${await signedIn.text()}`);
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  async function isShown(): Promise<boolean> {
    const page = await fetch(location ?? '', { redirect: 'manual', headers: { cookie: cookies.join('; ') } });
    const html = await page.text();
    if (page.status !== 200) throw new Error(`${location} returned ${page.status}`);
    return html.includes(text);
  }
  await until(`${location} to contain ${text}`, isShown, { intervalMs: INTERVAL_MS });
}
