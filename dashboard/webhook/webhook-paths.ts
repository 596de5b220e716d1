import type { Crumb } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { SECTION_LABELS } from '../ui/words.ts';

export const WEBHOOK_PATH = '/projects/:project/webhook';

/** Path of the webhook page of a project, or of a page below it. */
export function webhookHref(namespace: string, ...below: readonly string[]): string {
  return FORMAT.path('projects', namespace, 'webhook', ...below);
}

/** Path of the page of the last delivery of a job. */
export function deliveryHref(namespace: string, job: string): string {
  return webhookHref(namespace, 'deliveries', job);
}

/** Breadcrumbs of the pages below the webhook page. */
export function webhookTrail(namespace: string): readonly Crumb[] {
  return [{ label: SECTION_LABELS.webhook, href: webhookHref(namespace) }];
}
