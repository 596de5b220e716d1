import type { Readable } from 'node:stream';

export type PatchType = 'apply' | 'merge';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path on the API server, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Required for PATCH: decides the content type. */
  readonly patchType?: PatchType;
  readonly signal?: AbortSignal | undefined;
}

/** One API server and our identity at it: pooled connections, a time limit on every call, failures as KubeError. */
export interface KubeClient extends AsyncDisposable {
  /** Base URL of the API server. */
  readonly server: string;
  /** The parsed JSON of a 2xx answer. */
  request(request: KubeRequest): Promise<unknown>;
  /**
   * The open body of a 200 answer. The time limit covers the time until the headers; afterwards the caller ends it by
   * `signal` or by destroying the body.
   */
  stream(request: KubeRequest): Promise<Readable>;
}
