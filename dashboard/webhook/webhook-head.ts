import type { Webhook } from '#administration/webhooks/webhook-view.ts';
import type { PageRequest } from '../http/page.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const TABS = [
  { slug: '', label: 'Endpoint' },
  { slug: 'deliveries', label: 'Deliveries' },
  { slug: 'verify', label: 'Verify' },
] as const;
export type WebhookTab = (typeof TABS)[number]['slug'];

interface Action {
  readonly name: string;
  readonly label: string;
  readonly href: string;
  /** Why it is locked; empty if it is not. */
  readonly reason: string;
  /** A form instead of a link. */
  readonly isChange: boolean;
}

/** The main action, and those of the menu. */
interface Actions {
  readonly main: Action | undefined;
  readonly more: readonly Action[];
}

async function actionsOf(request: PageRequest, { isSet, enabled, endpoint }: Webhook): Promise<Actions> {
  if (!isSet) return { main: undefined, more: [] };
  const [change, rotate, resend, remove] = await Promise.all([
    reasonAgainst(request, WEBHOOK_RIGHTS.change),
    reasonAgainst(request, WEBHOOK_RIGHTS.rotate),
    reasonAgainst(request, WEBHOOK_RIGHTS.resend),
    reasonAgainst(request, WEBHOOK_RIGHTS.remove),
  ]);
  function action(name: string, label: string, rest: Pick<Action, 'isChange' | 'reason'>): Action {
    return { name, label, href: webhookHref(request.namespace, name), ...rest };
  }
  const test = action('test', 'Send test', { isChange: true, reason: change });
  const enable = action('enable', 'Enable', { isChange: true, reason: change });
  const disable = action('disable', 'Disable', { isChange: true, reason: change });
  const isOn = enabled && endpoint?.state !== 'Disabled';
  return {
    main: isOn ? test : enable,
    more: [
      isOn ? disable : test,
      action('rotate-secret', 'Rotate secret', { isChange: false, reason: rotate }),
      action('resend', 'Resend failed deliveries…', { isChange: false, reason: resend }),
      action('remove', 'Remove webhook', { isChange: false, reason: remove }),
    ],
  };
}

/** The title row and the tabs of every page of the webhook. */
export async function webhookHead(request: PageRequest, webhook: Webhook, current: WebhookTab) {
  const { namespace } = request;
  return {
    namespace,
    actions: await actionsOf(request, webhook),
    tabs: TABS.map(({ slug, label }) => ({
      label,
      href: webhookHref(namespace, ...(slug === '' ? [] : [slug])),
      isCurrent: slug === current,
    })),
  };
}
