import { FORMAT } from '../../format.ts';

export const WEBHOOK_PATH = '/projects/:project/webhook';

/** Path of the webhook page of a project, or of a page below it. */
export const webhookHref = (namespace: string, ...below: readonly string[]): string =>
  FORMAT.path('projects', namespace, 'webhook', ...below);
