import { WEBHOOK_EVENTS, type WebhookEvent } from '#crds/zip-job.ts';

const WORDS: Readonly<Record<WebhookEvent, string>> = {
  COMPLETED: 'Job completed (COMPLETED)',
  FAILED: 'Job failed (FAILED)',
};

/** The boxes of the events that an endpoint gets. */
export const EVENT_CHOICES = WEBHOOK_EVENTS.map((value) => ({ value, text: WORDS[value] }));

export function eventBoxes(checked: readonly string[]) {
  return EVENT_CHOICES.map((choice) => ({ ...choice, isChecked: checked.includes(choice.value) }));
}
