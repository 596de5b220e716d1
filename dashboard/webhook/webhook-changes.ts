import type { WaitOptions } from '#administration/changes/wait-for.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { Webhooks } from '#administration/webhooks/webhooks.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { GoTo, PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { projectOf } from '../projects/project-of.ts';
import { endpointNames } from './delivery-query.ts';
import { ENDPOINT_PATH, endpointHref, endpointOf, WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches'>;

/** The controller usually needs less; a later change appears on the live page. */
const ENABLE_LIMIT_MS = 5_000;

interface Changed {
  readonly webhooks: Webhooks;
  readonly wait: WaitOptions;
  /** What is changed, at the start of a message. */
  readonly what: string;
  /** What new jobs do without it. */
  readonly without: string;
}

/** Makes the change and returns a message, or undefined when the page itself shows the progress. */
type Change = (changed: Changed) => Promise<string | undefined>;

const CHANGES: Readonly<Record<'test' | 'enable' | 'disable', Change>> = {
  test: async ({ webhooks }) => {
    await webhooks.beginTest();
    return undefined;
  },
  enable: async ({ webhooks, wait, what }) => {
    await webhooks.enable(wait);
    return `${what} enabled`;
  },
  disable: async ({ webhooks, what, without }) => {
    await webhooks.disable();
    return `${what} disabled. Its settings are kept, and new jobs send ${without}.`;
  },
};

/** The default endpoint is the webhook only while it has no others. */
function wordsOf(endpoint: string, all: readonly string[]): Pick<Changed, 'what' | 'without'> {
  return endpoint === DEFAULT_ENDPOINT && all.length < 2
    ? { what: 'Webhook', without: 'no webhooks' }
    : { what: `Endpoint ${endpoint}`, without: 'nothing to it' };
}

async function run({ caches }: Deps, change: Change, request: PageRequest): Promise<GoTo> {
  const { namespace, user } = request;
  const endpoint = endpointOf(request);
  const page = endpointHref(namespace, endpoint);
  try {
    const webhooks = user.administration.webhooks(namespace, endpoint);
    const words = wordsOf(endpoint, endpointNames(projectOf(caches.zipProjects, namespace).project));
    const text = await change({ webhooks, wait: { limitMs: ENABLE_LIMIT_MS }, ...words });
    return { kind: 'go', to: page, ...(text !== undefined && { flash: { kind: 'done', text } }) };
  } catch (error) {
    const isExpected = error instanceof AdministrationError && ['TimedOut', 'NotFound'].includes(error.code);
    if (!isExpected) throw error;
    // Someone else removed the endpoint, and its page with it.
    const to = error.code === 'NotFound' ? webhookHref(namespace) : page;
    return { kind: 'go', to, flash: { kind: 'failed', text: error.message } };
  }
}

/** Sends a test, and enables or disables an endpoint. */
export function createWebhookChanges(deps: Deps): readonly Route[] {
  return [WEBHOOK_PATH, ENDPOINT_PATH].flatMap((path) =>
    Object.entries(CHANGES).map(
      ([verb, change]): Route => ({
        method: 'POST',
        path: `${path}/${verb}`,
        needs: WEBHOOK_RIGHTS.change,
        handle: (request) => run(deps, change, request),
      }),
    ),
  );
}
