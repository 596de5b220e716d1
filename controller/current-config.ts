import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import type { BundleTrust } from '#runtime/tls/bundle-file.ts';
import type { ControllerConfig } from './config.ts';

/**
 * The settings with the current certificate authorities for zippers. They get a copy, because their namespace does not
 * contain the ConfigMap.
 */
export const createCurrentConfig = (
  config: ControllerConfig,
  trust: Pick<BundleTrust, 'additional'>,
): (() => ControllerConfig) => {
  let known = { additional: '', config };
  return () => {
    const additional = trust.additional();
    if (additional !== known.additional) {
      const zipperEnv = { ...config.zipperEnv, ...(additional && { [ZIPPER_ENV.trustBundle]: additional }) };
      known = { additional, config: Object.freeze({ ...config, zipperEnv }) };
    }
    return known.config;
  };
};
