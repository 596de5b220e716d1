import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import type { BundleTrust } from '#runtime/tls/bundle-file.ts';
import type { ControllerConfig } from './config.ts';

/** The settings, with what is known only when the process runs. */
export interface CurrentConfig extends ControllerConfig {
  /** Public key for what only the controller may read of the messages of zippers. */
  readonly sealingKey?: string;
}

/**
 * The settings with the current certificate authorities for zippers. They get a copy, because their namespace does not
 * contain the ConfigMap.
 */
export function createCurrentConfig(
  config: CurrentConfig,
  trust: Pick<BundleTrust, 'additional'>,
): () => CurrentConfig {
  let known = { additional: '', config };
  return () => {
    const additional = trust.additional();
    if (additional !== known.additional) {
      const zipperEnv = { ...config.zipperEnv, ...(additional && { [ZIPPER_ENV.trustBundle]: additional }) };
      known = { additional, config: Object.freeze({ ...config, zipperEnv }) };
    }
    return known.config;
  };
}
