import { AdministrationError } from '#administration/administration-error.ts';
import type { WaitOptions } from '#administration/wait-for.ts';
import type { Webhooks } from '#administration/webhooks.ts';
import type { GoTo, PageRequest, Route } from '../../page.ts';
import { webhooksOf } from '../administration.ts';
import { WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

/** The controller is quick; whoever would wait longer sees the state change on the page. */
const ENABLE_LIMIT_MS = 5_000;

/** Does it, and says what was done; nothing when the page shows how it goes on. */
type Change = (webhooks: Webhooks, wait: WaitOptions) => Promise<string>;

const CHANGES: Readonly<Record<'test' | 'enable' | 'disable', Change>> = {
  test: async (webhooks) => {
    await webhooks.beginTest();
    return '';
  },
  enable: async (webhooks, wait) => {
    await webhooks.enable(wait);
    return 'The webhook is switched on.';
  },
  disable: async (webhooks) => {
    await webhooks.disable();
    return 'The webhook is switched off and keeps its settings. Jobs that are made from now on tell nobody.';
  },
};

const goTo = (namespace: string, flash: GoTo['flash']): GoTo => ({
  kind: 'go',
  to: webhookHref(namespace),
  ...(flash && { flash }),
});

const run = async (change: Change, request: PageRequest): Promise<GoTo> => {
  const { namespace, signal } = request;
  try {
    const text = await change(webhooksOf(request), { limitMs: ENABLE_LIMIT_MS, signal });
    return goTo(namespace, text === '' ? undefined : { kind: 'done', text });
  } catch (error) {
    const isTold = error instanceof AdministrationError && ['TimedOut', 'NotFound'].includes(error.code);
    if (!isTold) throw error;
    return goTo(namespace, { kind: 'failed', text: error.message });
  }
};

/** Sends a test, switches the webhook on and off. */
export const createWebhookChanges = (): readonly Route[] =>
  Object.entries(CHANGES).map(([verb, change]) => ({
    method: 'POST',
    path: `${WEBHOOK_PATH}/${verb}`,
    needs: WEBHOOK_RIGHTS.change,
    handle: (request) => run(change, request),
  }));
