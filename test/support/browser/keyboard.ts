import type { ElementHandle, Locator, Page } from 'playwright-core';

const MOST_STEPS = 80;
/** Not every stop is known: the browser decides which elements can have the focus. */
const CHECKED_STEPS = 3;

/** What this file uses of an element. */
interface Stop {
  readonly type?: string;
  readonly ownerDocument: {
    readonly activeElement: Stop;
    querySelectorAll(selector: string): Iterable<Stop>;
  };
  checkVisibility(): boolean;
  compareDocumentPosition(other: Stop): number;
  matches(selector: string): boolean;
}

/** How many elements between the focus and the target can probably have the focus. Runs in the page. */
function stopsBefore(target: Stop): number {
  const FOLLOWING = 4;
  const { activeElement } = target.ownerDocument;
  const stops = target.ownerDocument.querySelectorAll(
    'a[href], button:enabled, input:enabled, select, textarea, summary, [tabindex="0"]',
  );
  return [...stops].filter(
    (stop) =>
      stop.type !== 'radio' &&
      stop.checkVisibility() &&
      (activeElement.compareDocumentPosition(stop) & FOLLOWING) !== 0 &&
      (stop.compareDocumentPosition(target) & FOLLOWING) !== 0,
  ).length;
}

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

export function keyboardOf(page: Page): Keyboard {
  function hasFocus(element: ElementHandle<Stop>): Promise<boolean> {
    return element.evaluate((node) => node.matches(':focus'));
  }
  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    // Found once: to find it by its role again after each step takes longer than the step.
    await using element = (await target.elementHandle()) as unknown as ElementHandle<Stop>;
    if (await hasFocus(element)) return;
    // Held down until shortly before the target: the browser draws a step only if a check follows.
    const ahead = Math.max(0, (await element.evaluate(stopsBefore)) - CHECKED_STEPS);
    await Promise.all(Array.from({ length: ahead }, () => page.keyboard.press('Tab')));
    for (let step = ahead; step < MOST_STEPS; step += 1) {
      if (await hasFocus(element)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${target.toString()} on ${page.url()}`);
  }
  async function go(target: Locator): Promise<void> {
    await reach(target);
    const loaded = page.waitForEvent('domcontentloaded');
    await page.keyboard.press('Enter');
    await loaded;
  }
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
}
