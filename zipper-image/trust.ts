import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { ConfigError } from '#runtime/errors.ts';
import { type Certificate, parseCertificates } from '#runtime/tls/certificates.ts';
import { fixedTrust, type Trust } from '#runtime/tls/trust.ts';
import type { ZipperConfig } from './config.ts';
import { misconfigured } from './store/store-capabilities.ts';

type Bundle = Pick<ZipperConfig, 'trustBundle'>;

function bundleOf({ trustBundle }: Bundle): readonly Certificate[] {
  return trustBundle === '' ? [] : parseCertificates(trustBundle, ZIPPER_ENV.trustBundle);
}

function ownBundle({ caBundle = '' }: TaskBucket): readonly Certificate[] {
  try {
    return caBundle === '' ? [] : parseCertificates(caBundle, "the bucket's caBundle");
  } catch (error) {
    throw error instanceof ConfigError ? misconfigured(error.message) : error;
  }
}

/** For all hosts that are no store. @throws ConfigError if the bundle of the operator is invalid */
export function operatorTrust(config: Bundle): Trust {
  return fixedTrust(bundleOf(config));
}

/**
 * Users choose the authorities of a bucket, so they count for its store only.
 * @throws StoreError with code BucketMisconfigured if the bundle of the bucket is invalid
 */
export function storeTrust(config: Bundle, bucket: TaskBucket): Trust {
  return fixedTrust([...bundleOf(config), ...ownBundle(bucket)]);
}
