import type { Webhook } from '#administration/webhooks/webhook-view.ts';
import type { ShownWebhook } from '#administration/webhooks/webhooks.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { PageRequest } from '../http/page.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { ANY_DELIVERY, writeDeliveryQuery } from './delivery-query.ts';
import { endpointHref, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const TABS = [
  { slug: '', label: 'Endpoint' },
  { slug: 'deliveries', label: 'Deliveries' },
  { slug: 'verify', label: 'Verify' },
] as const;
type WebhookTab = (typeof TABS)[number]['slug'];

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

const NO_ACTIONS: Actions = { main: undefined, more: [] };

/** Why the webhook cannot be removed; empty if it can. */
function reasonToKeep(webhooks: readonly Webhook[]): string {
  const others = webhooks.map(({ name }) => name).filter((name) => name !== DEFAULT_ENDPOINT);
  return others.length === 0
    ? ''
    : `The webhook cannot be removed while it has other endpoints: ${others.join(', ')}. Remove them first, or disable the endpoint ${DEFAULT_ENDPOINT}.`;
}

/** Of one endpoint. */
async function actionsOf(
  request: PageRequest,
  { name: endpointName, enabled, endpoint }: Webhook,
  webhooks: readonly Webhook[],
): Promise<Actions> {
  const { namespace } = request;
  const isDefault = endpointName === DEFAULT_ENDPOINT;
  const [change, rotate, resend, remove] = await Promise.all([
    reasonAgainst(request, WEBHOOK_RIGHTS.change),
    reasonAgainst(request, WEBHOOK_RIGHTS.rotate),
    reasonAgainst(request, WEBHOOK_RIGHTS.resend),
    reasonAgainst(request, isDefault ? WEBHOOK_RIGHTS.remove : WEBHOOK_RIGHTS.removeEndpoint),
  ]);
  function action(name: string, label: string, rest: Pick<Action, 'isChange' | 'reason'>): Action {
    return { name, label, href: endpointHref(namespace, endpointName, name), ...rest };
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
      {
        ...action('resend', 'Resend failed deliveries…', { isChange: false, reason: resend }),
        href: resendHref(namespace, endpointName),
      },
      action('remove', isDefault ? 'Remove webhook' : 'Remove endpoint', {
        isChange: false,
        reason: remove === '' && isDefault ? reasonToKeep(webhooks) : remove,
      }),
    ],
  };
}

/** The page of the webhook is about all endpoints, that of another one only about itself. */
function resendHref(namespace: string, endpoint: string): string {
  const query = { ...ANY_DELIVERY, endpoint: endpoint === DEFAULT_ENDPOINT ? '' : endpoint };
  return webhookHref(namespace, 'resend') + writeDeliveryQuery(query);
}

/** The title row and the tabs of every page of the webhook. `webhooks` are all of its endpoints. */
export async function webhookHead(request: PageRequest, webhooks: readonly Webhook[], current: WebhookTab) {
  const { namespace } = request;
  const webhook = webhooks.find(({ name }) => name === DEFAULT_ENDPOINT);
  return {
    title: 'Webhook',
    namespace,
    actions: webhook ? await actionsOf(request, webhook, webhooks) : NO_ACTIONS,
    // The button of its form is the primary one.
    hasForm: current === '',
    tabs: TABS.map(({ slug, label }) => ({
      label,
      href: webhookHref(namespace, ...(slug === '' ? [] : [slug])),
      isCurrent: slug === current,
    })),
  };
}

/** The title row of the page of an endpoint. */
export async function endpointHead(request: PageRequest, { webhook, endpoints }: ShownWebhook) {
  if (webhook.name === DEFAULT_ENDPOINT) return webhookHead(request, endpoints, '');
  return {
    title: webhook.name,
    namespace: request.namespace,
    actions: await actionsOf(request, webhook, endpoints),
    hasForm: true,
    tabs: [],
  };
}
