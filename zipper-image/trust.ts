import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { ConfigError } from '#runtime/errors.ts';
import { type Certificate, parseCertificates } from '#runtime/tls/certificates.ts';
import { fixedTrust, type Trust } from '#runtime/tls/trust.ts';
import type { ZipperConfig } from './config.ts';
import { misconfigured } from './store/store-capabilities.ts';

type Bundle = Pick<ZipperConfig, 'trustBundle'>;

const bundleOf = ({ trustBundle }: Bundle): readonly Certificate[] =>
  trustBundle === '' ? [] : parseCertificates(trustBundle, ZIPPER_ENV.trustBundle);

const ownBundle = ({ caBundle = '' }: TaskBucket): readonly Certificate[] => {
  try {
    return caBundle === '' ? [] : parseCertificates(caBundle, "the bucket's caBundle");
  } catch (error) {
    throw error instanceof ConfigError ? misconfigured(error.message) : error;
  }
};

/** For all hosts that are no store. @throws ConfigError if the bundle of the operator is invalid */
export const operatorTrust = (config: Bundle): Trust => fixedTrust(bundleOf(config));

/**
 * Users choose the authorities of a bucket, so they count for its store only.
 * @throws StoreError with code BucketMisconfigured if the bundle of the bucket is invalid
 */
export const storeTrust = (config: Bundle, bucket: TaskBucket): Trust =>
  fixedTrust([...bundleOf(config), ...ownBundle(bucket)]);
