import { setTimeout as delay } from 'node:timers/promises';
import { type KubeApi, KubeApiError } from '../kube-api.ts';
import type { NodeLink } from './node-link.ts';
import type { PodReport } from './pod-status.ts';
import type { Pod } from './pod-types.ts';

export interface StatusWriterOptions {
  readonly api: KubeApi;
  readonly link: NodeLink;
  readonly pod: Pod;
  /** The status as it is when it is sent. */
  readonly report: () => PodReport;
}

const RETRY_MS = 200;

/** Sends a pod's status: one request at a time, each with what holds then, so that a burst costs few. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #sent = '';
  #wanted = 0;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Says that the status may have changed. Resolves when what holds now was sent, or the pod is gone. */
  changed(): Promise<void> {
    this.#wanted += 1;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Sends the status once more, although it was sent: somebody else has changed it. */
  repair(): Promise<void> {
    this.#sent = '';
    return this.changed();
  }

  close(): void {
    this.#closed = true;
  }

  async #writeAll(): Promise<void> {
    let written = -1;
    while (written !== this.#wanted && !this.#closed) {
      await this.#options.link.restored();
      written = this.#wanted;
      if (!(await this.#write())) {
        written = -1;
        await delay(RETRY_MS);
      }
    }
  }

  /** False when it is to be tried again. */
  async #write(): Promise<boolean> {
    const { api, pod, report } = this.#options;
    const { name, namespace, uid } = pod.metadata;
    const status = report();
    const text = JSON.stringify(status);
    if (text === this.#sent || this.#closed) return true;
    try {
      // The uid keeps the report from a new pod of the same name.
      await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { metadata: { uid }, status });
      this.#sent = text;
      return true;
    } catch (error) {
      return this.#gaveUp(error);
    }
  }

  /** Whether nothing is gained by trying again; the pod may be gone, or another of its name may be there. */
  #gaveUp(error: unknown): boolean {
    if (!(error instanceof KubeApiError) || error.retryable || isRefusedForNow(error)) return false;
    const replaced = error.code === 409 && error.message.includes('UID');
    if (error.code === 409 && !replaced) return false;
    this.close();
    if (error.code !== 404 && !replaced) process.emitWarning(error.message, 'LocalNodeWarning');
    return true;
  }
}

/** An API server that has just started refuses the node until it knows which pods are whose. */
function isRefusedForNow({ code }: KubeApiError): boolean {
  return code === 401 || code === 403;
}
