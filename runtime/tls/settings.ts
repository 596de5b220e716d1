import type { ConfigOf, Settings } from '../config/config.ts';
import type { ValuesOf } from '../config/unsupported-settings.ts';

/** The certificate authorities of the operator, for every process that reads them from a file. */
export const TRUST_SETTINGS = {
  trustBundleFile: {
    env: 'TRUST_BUNDLE_FILE',
    type: 'string',
    default: '',
    description:
      'PEM file with certificate authorities that are trusted in addition to the public ones; empty for none',
    setBy: 'the chart, which mounts the ConfigMap',
  },
} as const satisfies Settings;

export const TRUST_CONSTANTS = {
  /** Shortest interval between two reads of the file; the kubelet updates it once a minute. */
  trustBundleReloadMs: 10_000,
};
export type TrustSettings = ConfigOf<typeof TRUST_SETTINGS> & ValuesOf<typeof TRUST_CONSTANTS>;

/** The certificate of a process that serves requests. */
export const SERVER_TLS_SETTINGS = {
  tlsDir: {
    env: 'TLS_DIR',
    type: 'string',
    default: '',
    description:
      'directory with the files tls.crt and tls.key, for HTTPS on the ports of requests, health and metrics; empty for plain HTTP',
    setBy: 'the chart, which mounts the Secret',
  },
} as const satisfies Settings;

export const SERVER_TLS_CONSTANTS = {
  /** Interval between two reads of the files; the kubelet updates them once a minute. */
  tlsReloadMs: 10_000,
};
export type ServerTlsSettings = ConfigOf<typeof SERVER_TLS_SETTINGS> & ValuesOf<typeof SERVER_TLS_CONSTANTS>;
