import type { KubeClient } from './client.ts';
import type { KubeObject, ObjectClient, ResourceDefinition } from './types.ts';

/** Reads and writes the objects of one kind. */
export declare const createObjectClient: <T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
) => ObjectClient<T>;
