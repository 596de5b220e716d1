import type { TaskBucket } from '#crds/zipper-task.ts';
import { isListed } from '#runtime/store/listed-hosts.ts';
import { misconfigured } from '../store-capabilities.ts';

export type WebIdentity = NonNullable<TaskBucket['webIdentity']>;

/** The operator's lists. A token goes nowhere else. */
export interface WebIdentityRules {
  readonly storeTokenAudiences: readonly string[];
  /** `host` or `host:port`. */
  readonly storeStsHosts: readonly string[];
  readonly storeAllowHttp: boolean;
}

const AWS_REGION = /^[a-z]{2,4}(-[a-z]+)+-\d+$/;

function endpointOf({ stsEndpoint, stsRegion = '' }: WebIdentity): string {
  if (stsEndpoint !== undefined) return stsEndpoint;
  if (!AWS_REGION.test(stsRegion))
    throw misconfigured(`stsRegion ${JSON.stringify(stsRegion)} is not a valid region name`);
  return `https://sts.${stsRegion}.amazonaws.com${stsRegion.startsWith('cn-') ? '.cn' : ''}`;
}

function parseEndpoint(text: string): URL {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw misconfigured('its stsEndpoint is not a plain http or https URL');
  return url;
}

/**
 * The URL of the token service of a bucket. It depends neither on the endpoint of the bucket nor on the environment.
 * @throws StoreError with code BucketMisconfigured unless the operator allows the audience and the host
 */
export function stsEndpointOf(identity: WebIdentity, rules: WebIdentityRules): URL {
  if (!rules.storeTokenAudiences.includes(identity.audience))
    throw misconfigured(
      `the audience ${JSON.stringify(identity.audience)} is not allowed; ask your administrator to add it to store.webIdentity.audiences`,
    );
  const url = parseEndpoint(endpointOf(identity));
  if (!isListed(url, rules.storeStsHosts))
    throw misconfigured(
      `the security token service ${url.host} is not allowed; ask your administrator to add it to store.webIdentity.stsHosts`,
    );
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.storeAllowHttp))
    throw misconfigured(`the security token service ${url.host} requires https`);
  return url;
}
