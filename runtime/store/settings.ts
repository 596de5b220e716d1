import type { ConfigOf, Settings } from '../config/config.ts';
import type { StoreRules } from './store-location.ts';

/** Which stores buckets may use, for every process that connects to a store or makes links to one. */
export const STORE_RULE_SETTINGS = {
  storeAllowedHosts: {
    env: 'STORE_ALLOWED_HOSTS',
    type: 'array',
    default: [],
    description:
      'S3-compatible stores other than AWS and Cloudflare that buckets may use, as host or host:port',
    changeWhen: 'set it when buckets of your own store are refused with BucketMisconfigured',
  },
  storeAllowHttp: {
    env: 'STORE_ALLOW_HTTP',
    type: 'boolean',
    default: false,
    description: 'allows plain HTTP to these stores',
    changeWhen: 'set it when a store in your network has no TLS',
  },
} as const satisfies Settings;

/** Audiences of the tokens that zippers may get, for the controller that mounts them and the zippers that send them. */
export const TOKEN_AUDIENCE_SETTINGS = {
  storeTokenAudiences: {
    env: 'STORE_TOKEN_AUDIENCES',
    type: 'array',
    default: [],
    description: 'audiences that the token of a bucket with webIdentity may have',
    changeWhen: 'set it when a bucket with webIdentity has an audience that is refused',
  },
} as const satisfies Settings;

/** The security token services, for zippers and for the controller that writes policies for them. */
export const STS_HOST_SETTINGS = {
  storeStsHosts: {
    env: 'STORE_STS_HOSTS',
    type: 'array',
    default: [],
    description:
      'security token services that may get the token of a bucket with webIdentity, as host or host:port',
    changeWhen: 'set it when buckets use a security token service other than that of AWS',
  },
} as const satisfies Settings;

/** The addresses of stores, for every process that connects to one or writes policies for those that do. */
export const STORE_ADDRESS_SETTINGS = {
  storeAllowCidrs: {
    env: 'STORE_ALLOW_CIDRS',
    type: 'array',
    default: [],
    description: 'ranges that stores may have in addition to public addresses',
    changeWhen: 'set it when jobs cannot reach a store at a private address',
  },
} as const satisfies Settings;

export function toStoreRules(settings: ConfigOf<typeof STORE_RULE_SETTINGS>): StoreRules {
  return {
    allowedHosts: settings.storeAllowedHosts,
    allowHttp: settings.storeAllowHttp,
  };
}
