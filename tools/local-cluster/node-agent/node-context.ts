import type { ImageTable } from '../images.ts';
import type { KubeApi } from '../kube-api.ts';
import type { Addresses } from './addresses.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { NodeLink } from './node-link.ts';
import type { Pod } from './pod-types.ts';

/** What all pods of the node share. */
export interface NodeContext {
  readonly api: KubeApi;
  readonly nodeName: string;
  readonly hostIP: string;
  /** The cluster's folder. */
  readonly dir: string;
  /** The cluster program, which ends a container's process when this one ends. */
  readonly launcher: string;
  readonly images: ImageTable;
  /** Base URL of the API server for the processes of a pod. Undefined: the URL that the node uses. */
  readonly apiServerUrlFor: (pod: Pod) => string | undefined;
  /** Additional env for the processes of a pod; overrides their own. */
  readonly extraEnvFor: (pod: Pod) => Readonly<Record<string, string>>;
  /** Milliseconds by which the clock of the node is ahead in the status of a pod. */
  readonly clockAheadMsFor: (pod: Pod) => number;
  readonly addresses: Addresses;
  readonly events: EventRecorder;
  readonly link: NodeLink;
}
