import type { WaitOptions } from '#administration/changes/wait-for.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { Webhooks } from '#administration/webhooks/webhooks.ts';
import type { GoTo, PageRequest, Route } from '../http/page.ts';
import { WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

/** The controller usually needs less; a later change appears on the live page. */
const ENABLE_LIMIT_MS = 5_000;

/** Makes the change and returns a message, or undefined when the page itself shows the progress. */
type Change = (webhooks: Webhooks, wait: WaitOptions) => Promise<string | undefined>;

const CHANGES: Readonly<Record<'test' | 'enable' | 'disable', Change>> = {
  test: async (webhooks) => {
    await webhooks.beginTest();
    return undefined;
  },
  enable: async (webhooks, wait) => {
    await webhooks.enable(wait);
    return 'Webhook enabled';
  },
  disable: async (webhooks) => {
    await webhooks.disable();
    return 'Webhook disabled. Its settings are kept, and new jobs send no webhooks.';
  },
};

function goTo(namespace: string, flash: GoTo['flash']): GoTo {
  return {
    kind: 'go',
    to: webhookHref(namespace),
    ...(flash && { flash }),
  };
}

async function run(change: Change, request: PageRequest): Promise<GoTo> {
  const { namespace } = request;
  try {
    const text = await change(request.user.administration.webhooks(namespace), {
      limitMs: ENABLE_LIMIT_MS,
    });
    return goTo(namespace, text === undefined ? undefined : { kind: 'done', text });
  } catch (error) {
    const isExpected = error instanceof AdministrationError && ['TimedOut', 'NotFound'].includes(error.code);
    if (!isExpected) throw error;
    return goTo(namespace, { kind: 'failed', text: error.message });
  }
}

/** Sends a test, and enables or disables the webhook. */
export function createWebhookChanges(): readonly Route[] {
  return Object.entries(CHANGES).map(([verb, change]) => ({
    method: 'POST',
    path: `${WEBHOOK_PATH}/${verb}`,
    needs: WEBHOOK_RIGHTS.change,
    handle: (request) => run(change, request),
  }));
}
