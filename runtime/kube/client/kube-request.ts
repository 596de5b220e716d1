import type { ServerClock } from '../../time/server-clock.ts';
import type { KubeAccess } from './kube-access.ts';
import type { ObjectMetadata } from './object-metadata.ts';

export type PatchType = 'apply' | 'merge';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path on the API server, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Sets the content type of a PATCH. Default: merge. */
  readonly patchType?: PatchType;
  /** Requests a list whose objects have only their metadata. */
  readonly metadataOnly?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Token of the user who makes the call. Default: the credentials of the client. */
  readonly bearer?: string;
  /** A longer response fails with code TooLarge, before it is read completely. Default: no limit. */
  readonly maxBytes?: number;
  /** Called with the size of the response. */
  readonly onBytes?: (bytes: number) => void;
}

/** For rest_client_requests_total. `code` is the HTTP status, or `<error>` without a response. */
export type CountCall = (call: {
  readonly method: string;
  readonly code: string;
  /** Host and port of the API server. */
  readonly host: string;
}) => void;

export interface KubeClientOptions {
  readonly access: KubeAccess;
  readonly requestTimeoutMs: number;
  readonly userAgent?: string;
  /** Of every object that is created. */
  readonly objectMetadata?: ObjectMetadata | undefined;
  readonly countCall?: CountCall;
  /** Receives the Date header of each response. */
  readonly clock?: Pick<ServerClock, 'hear' | 'monotonicMs'>;
}
