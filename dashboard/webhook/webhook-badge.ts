import type { Webhook } from '#administration/webhooks/webhook-view.ts';
import type { Look } from '../ui/words.ts';

/** Whether events are sent, and if not, who stopped them. */
export function webhookBadge({ isSet, enabled, endpoint }: Pick<Webhook, 'isSet' | 'enabled' | 'endpoint'>): {
  readonly look: Look;
  readonly text: string;
} {
  if (!isSet) return { look: 'quiet', text: 'None' };
  if (!enabled) return { look: 'warn', text: 'Disabled' };
  return endpoint?.state === 'Disabled'
    ? { look: 'bad', text: 'Disabled after failures' }
    : { look: 'good', text: 'Enabled' };
}
