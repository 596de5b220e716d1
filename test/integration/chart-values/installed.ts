import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** The chart with the values of these tests. */
export interface Installed {
  readonly cluster: Cluster;
  /** Base URL of the API. */
  readonly baseUrl: string;
}
