import type { ImageTable } from '../images.ts';
import type { KubeApi } from '../kube-api.ts';
import type { Addresses } from './addresses.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { NodeLink } from './node-link.ts';
import type { Pod } from './pod-types.ts';

/** What every pod of the node works with. */
export interface NodeContext {
  readonly api: KubeApi;
  readonly nodeName: string;
  readonly hostIP: string;
  /** The cluster's folder. */
  readonly dir: string;
  /** The cluster program; it binds a container's process to this one. */
  readonly launcher: string;
  readonly images: ImageTable;
  /** Base URL of the API server for a pod's processes; undefined for the one that the node itself uses. */
  readonly apiServerUrlFor: (pod: Pod) => string | undefined;
  /** Env that the processes of a pod get beside, or instead of, their own. */
  readonly extraEnvFor: (pod: Pod) => Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  readonly events: EventRecorder;
  readonly link: NodeLink;
}
