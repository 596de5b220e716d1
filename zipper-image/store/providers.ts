/** The store of a bucket as the zipper uses it: where it is and what it supports. */
import type { TaskBucket } from '#crds/zipper-task.ts';
import {
  isAtR2,
  locateStore,
  type StoreLocation,
  StoreLocationError,
  type StoreRules,
} from '#runtime/store/store-location.ts';
import { assertObjectOptions, CAPABILITIES, type Capabilities, misconfigured } from './store-capabilities.ts';

export interface Provider extends StoreLocation {
  readonly capabilities: Capabilities;
}

function locate(bucket: TaskBucket, rules: StoreRules): StoreLocation {
  try {
    return locateStore(bucket, rules);
  } catch (error) {
    throw error instanceof StoreLocationError ? misconfigured(error.message) : error;
  }
}

/**
 * Determines how to connect to the store of a bucket.
 * @throws StoreError with code BucketMisconfigured for names, hosts, regions and object options that are not allowed
 */
export function providerOf(bucket: TaskBucket, rules: StoreRules): Provider {
  const location = locate(bucket, rules);
  assertObjectOptions(bucket, location.kind);
  const capabilities = CAPABILITIES[location.kind];
  // R2 as an endpoint of the operator still requires equal parts.
  return {
    ...location,
    capabilities: isAtR2(location) ? { ...capabilities, equalParts: true } : capabilities,
  };
}
