import { toWebhooks } from '#administration/webhooks/webhook-view.ts';
import { readVerifySamples } from '#runtime/samples/read-sample.ts';
import type { PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { projectOf } from '../projects/project-of.ts';
import { webhookHead } from './webhook-head.ts';
import { WEBHOOK_PATH } from './webhook-paths.ts';

type Deps = Pick<PageDeps, 'caches'>;

const SAMPLES = readVerifySamples();

async function show({ caches }: Deps, request: PageRequest): Promise<ShownPage> {
  const { project } = projectOf(caches.zipProjects, request.namespace);
  const data = { head: await webhookHead(request, toWebhooks(project), 'verify'), samples: SAMPLES };
  return {
    kind: 'page',
    view: '/webhook/verify-webhook',
    title: 'Verify signatures',
    section: 'webhook',
    data,
  };
}

/** How a receiver verifies signatures. */
export function createVerifyWebhookPage(deps: Deps): readonly Route[] {
  return [{ method: 'GET', path: `${WEBHOOK_PATH}/verify`, handle: (request) => show(deps, request) }];
}
