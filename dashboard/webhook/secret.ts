import type { RotatedSecret } from '#administration/webhooks/signing-secret.ts';
import type { PageRequest, ShownPage } from '../http/page.ts';
import { endpointHref, endpointTrail } from './webhook-paths.ts';

/** Shows a new signing secret of an endpoint, in the response to the form that created it. */
export function secretPage(
  { namespace }: Pick<PageRequest, 'namespace'>,
  endpoint: string,
  { secret, previousUntil }: RotatedSecret,
): ShownPage {
  return {
    kind: 'page',
    view: '/webhook/secret',
    title: 'Signing secret',
    trail: endpointTrail(namespace, endpoint),
    section: 'webhook',
    data: { secret, previousUntil, back: endpointHref(namespace, endpoint) },
  };
}
