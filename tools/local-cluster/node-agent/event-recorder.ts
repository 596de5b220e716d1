import { randomUUID } from 'node:crypto';
import type { KubeApi } from '../kube-api.ts';
import type { NodeLink } from './node-link.ts';
import type { Pod } from './pod-types.ts';

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly container?: string;
}

export interface EventRecorderOptions {
  readonly api: KubeApi;
  readonly nodeName: string;
  readonly link: NodeLink;
}

const MAX_MESSAGE = 1024;

/** Records Events of pods, like a kubelet. Events are best effort, so one that cannot be written is dropped. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record(pod: Pod, event: PodEvent): void {
    const { api, link } = this.#options;
    if (!link.up) return;
    const path = `/api/v1/namespaces/${pod.metadata.namespace}/events`;
    api.create(path, this.#toObject(pod, event)).catch(() => undefined);
  }

  #toObject(pod: Pod, event: PodEvent): object {
    const { name, namespace, uid, resourceVersion } = pod.metadata;
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const fieldPath =
      event.container === undefined ? {} : { fieldPath: `spec.containers{${event.container}}` };
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name.slice(0, 200)}.${randomUUID().slice(0, 13)}`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid, resourceVersion, ...fieldPath },
      type: event.type,
      reason: event.reason,
      message: event.message.slice(0, MAX_MESSAGE),
      source: { component: 'kubelet', host: this.#options.nodeName },
      reportingComponent: 'kubelet',
      reportingInstance: this.#options.nodeName,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }
}
