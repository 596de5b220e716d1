import type { Page } from 'playwright-core';

/** What a browser has kept or was told, as texts that must hold no secret. */
export interface BrowserTraces {
  /** Bodies of all answers so far; the secret's one showing is among them. */
  readonly answers: readonly string[];
  /** Addresses of all requests so far. */
  readonly addresses: readonly string[];
  /** What scripts of the page could read, its history and what it shows. */
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

/** Begins to write down what a page is told. */
export const tracesOf = (page: Page): BrowserTraces => {
  const answers: string[] = [];
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) => {
    void response.text().then(
      (text) => answers.push(text),
      // A redirect has no body.
      () => undefined,
    );
  });
  return {
    answers,
    addresses,
    kept: async () => {
      const session = await page.context().newCDPSession(page);
      const { entries } = await session.send('Page.getNavigationHistory');
      await session.detach();
      return JSON.stringify([await page.evaluate(READABLE), entries]);
    },
  };
};
