import type { Locator, Page } from 'playwright-core';

const MOST_STEPS = 80;

/** A user without a mouse: reaches every element with Tab, in the order of the page. */
export interface Keyboard {
  /**
   * Moves the focus to it.
   * @throws Error when Tab never reaches it
   */
  reach(target: Locator): Promise<void>;
  /** Reaches a field and replaces its value. */
  type(label: string, text: string): Promise<void>;
  /** Reaches a checkbox and toggles it. */
  toggle(label: string): Promise<void>;
  /** Reaches a button, presses it and waits for the response. */
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
