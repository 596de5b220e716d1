import type { Page } from 'playwright-core';

/** The signed-in user. */
export type Who = 'nobody' | 'admin' | 'viewer';

/** One page, captured on every device and in both themes. */
export interface Shot<User extends string = Who> {
  readonly name: string;
  /** What it shows, for the gallery. */
  readonly title: string;
  readonly who: User;
  readonly path: string;
  /** Steps before the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Presses a button, and waits for the page after it. */
export function press(name: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForLoadState('load');
  };
}
