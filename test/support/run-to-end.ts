import type { Steps } from '#api/body/steps.ts';

/** Runs the steps without pauses. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
