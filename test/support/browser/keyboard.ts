import type { Locator, Page } from 'playwright-core';

const MOST_STEPS = 80;

/** Somebody without a mouse: everything is reached by Tab, in the order of the page. */
export interface Keyboard {
  /** Goes on to it. @throws Error when Tab never gets there */
  reach(target: Locator): Promise<void>;
  /** Reaches a field and types over what it holds. */
  type(label: string, text: string): Promise<void>;
  /** Reaches a box and switches it. */
  toggle(label: string): Promise<void>;
  /** Reaches a button and presses it; the answer has come then. */
  press(button: string): Promise<void>;
  /** Reaches a link and follows it. */
  follow(link: string | Locator): Promise<void>;
}

export const keyboardOf = (page: Page): Keyboard => {
  const hasFocus = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => element.matches(':focus'));
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor();
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (await hasFocus(target)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${target.toString()} on ${page.url()}`);
  };
  const go = async (target: Locator): Promise<void> => {
    await reach(target);
    const loaded = page.waitForEvent('domcontentloaded');
    await page.keyboard.press('Enter');
    await loaded;
  };
  return {
    reach,
    type: async (label, text) => {
      await reach(page.getByLabel(label).first());
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    },
    toggle: async (label) => {
      await reach(page.getByLabel(label));
      await page.keyboard.press('Space');
    },
    press: (button) => go(page.getByRole('button', { name: button, exact: true })),
    follow: (link) =>
      go(typeof link === 'string' ? page.getByRole('link', { name: link, exact: true }) : link),
  };
};
