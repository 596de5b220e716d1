import type { Page } from 'playwright-core';

/** Everything that a browser has stored or received, as texts that must not contain a secret. */
export interface BrowserTraces {
  /** Bodies of all responses so far, including the one that shows the secret. */
  readonly responses: readonly string[];
  /** URLs of all requests so far. */
  readonly addresses: readonly string[];
  /** Storage that scripts can read, the history and the visible text. */
  readonly kept: () => Promise<string>;
}

const READABLE = `(async () => {
  const databases = await indexedDB.databases();
  const caches = 'caches' in globalThis ? await globalThis.caches.keys() : [];
  return [
    document.cookie, { ...localStorage }, { ...sessionStorage }, databases, caches, history.state, location.href,
    document.referrer, globalThis.name, document.documentElement.outerHTML,
  ];
})()`;

/** Starts to record what a page receives. */
export function tracesOf(page: Page): BrowserTraces {
  const responses: string[] = [];
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) => {
    void response.text().then(
      (text) => responses.push(text),
      // A redirect has no body.
      () => undefined,
    );
  });
  return {
    responses,
    addresses,
    kept: async () => {
      const session = await page.context().newCDPSession(page);
      const { entries } = await session.send('Page.getNavigationHistory');
      await session.detach();
      return JSON.stringify([await page.evaluate(READABLE), entries]);
    },
  };
}
