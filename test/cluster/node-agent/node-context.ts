import type { ImageTable } from '../images.ts';
import type { KubeApi } from '../kube-api.ts';
import type { Addresses } from './addresses.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { NodeLink } from './node-link.ts';

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
  readonly addresses: Addresses;
  readonly events: EventRecorder;
  readonly link: NodeLink;
}
