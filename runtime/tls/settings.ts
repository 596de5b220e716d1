import type { ConfigOf, Settings } from '../config.ts';

/** The certificate authorities of the operator, for every process that reads them from a file. */
export const TRUST_SETTINGS = {
  trustBundleFile: {
    env: 'TRUST_BUNDLE_FILE',
    type: 'string',
    default: '',
    description:
      'PEM file with certificate authorities that are trusted in addition to the public ones; empty for none',
  },
  trustBundleReloadMs: {
    env: 'TRUST_BUNDLE_RELOAD_MS',
    type: 'integer',
    minimum: 0,
    default: 10_000,
    description: 'minimum interval between two reads of TRUST_BUNDLE_FILE, in milliseconds',
  },
} as const satisfies Settings;
export type TrustSettings = ConfigOf<typeof TRUST_SETTINGS>;
