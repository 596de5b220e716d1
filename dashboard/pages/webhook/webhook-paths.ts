import { FORMAT } from '../../format.ts';

export const WEBHOOK_PATH = '/projects/:project/webhook';

/** Where the webhook of a project is shown, or what is below that. */
export const webhookHref = (namespace: string, ...below: readonly string[]): string =>
  FORMAT.path('projects', namespace, 'webhook', ...below);
