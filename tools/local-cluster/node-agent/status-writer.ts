import { setTimeout as delay } from 'node:timers/promises';
import { type KubeApi, KubeApiError } from '../kube-api.ts';
import type { NodeLink } from './node-link.ts';
import type { PodReport } from './pod-status.ts';
import type { Pod } from './pod-types.ts';

export interface StatusWriterOptions {
  readonly api: KubeApi;
  readonly link: NodeLink;
  readonly pod: Pod;
  /** Returns the current status. */
  readonly report: () => PodReport;
}

const RETRY_MS = 200;

/** Sends a pod's status: one request at a time, each with the latest status, so that a burst needs few requests. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #sent = '';
  #wanted = 0;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Called when the status may have changed. Resolves when the latest status was sent, or the pod is gone. */
  changed(): Promise<void> {
    this.#wanted += 1;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Sends the status again, because another writer has changed it. */
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

  /** False if the write must be retried. */
  async #write(): Promise<boolean> {
    const { api, pod, report } = this.#options;
    const { name, namespace, uid } = pod.metadata;
    const status = report();
    const text = JSON.stringify(status);
    if (text === this.#sent || this.#closed) return true;
    try {
      // The UID protects a new pod of the same name.
      await api.patch(`/api/v1/namespaces/${namespace}/pods/${name}/status`, { metadata: { uid }, status });
      this.#sent = text;
      return true;
    } catch (error) {
      return this.#gaveUp(error);
    }
  }

  /** True if a retry cannot help: the pod may be gone, or another pod may have its name. */
  #gaveUp(error: unknown): boolean {
    if (!(error instanceof KubeApiError) || error.retryable || isRefusedForNow(error)) return false;
    const replaced = error.code === 409 && error.message.includes('UID');
    if (error.code === 409 && !replaced) return false;
    this.close();
    if (error.code !== 404 && !replaced) process.emitWarning(error.message, 'LocalNodeWarning');
    return true;
  }
}

/** An API server that has just started rejects the node until it knows the pods of each node. */
function isRefusedForNow({ code }: KubeApiError): boolean {
  return code === 401 || code === 403;
}
