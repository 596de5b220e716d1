import { shorten } from '#crds/conditions.ts';
import type { KubeError } from '#runtime/kube/kube-error.ts';

/** The API server rejected a Job; kept in memory until it accepts it. */
export interface Refusal {
  readonly target: 'archive' | 'recover';
  readonly reason: 'QuotaExceeded' | 'AdmissionRefused' | 'ApiServerBusy';
  readonly message: string;
  readonly since: Date;
  readonly retryAt: Date;
  readonly count: number;
  /** The request may have been executed, so the Job may exist. */
  readonly mayExist: boolean;
}

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** Codes caused by the request itself, not by a temporary condition. */
const REFUSED: ReadonlySet<string> = new Set([
  'Forbidden',
  'Invalid',
  'BadRequest',
  'TooLarge',
  'AlreadyExists',
  'NotFound',
  'NamespaceTerminating',
]);

/** The API server may have executed the request: no response arrived, or a 5xx, such as a timeout of etcd. */
const UNCERTAIN: ReadonlySet<string> = new Set(['Timeout', 'Unreachable', 'InvalidResponse', 'ServerError']);

export function mayBeExecuted({ code }: KubeError): boolean {
  return UNCERTAIN.has(code);
}

function reasonOf({ code }: KubeError): Refusal['reason'] {
  if (code === 'QuotaExceeded') return 'QuotaExceeded';
  return REFUSED.has(code) ? 'AdmissionRefused' : 'ApiServerBusy';
}

/** Records a rejected Job. No reason is final, so each is retried with backoff. */
export function refusalAfter(
  before: Refusal | undefined,
  error: KubeError,
  at: { readonly target: Refusal['target']; readonly now: Date },
): Refusal {
  const isSame = before?.target === at.target;
  const count = isSame ? before.count + 1 : 1;
  const backoffMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(count - 1, 10));
  return {
    target: at.target,
    reason: reasonOf(error),
    message: shorten(error.message),
    since: isSame ? before.since : at.now,
    retryAt: new Date(at.now.getTime() + Math.max(backoffMs, error.retryAfterMs ?? 0)),
    count,
    mayExist: mayBeExecuted(error),
  };
}
