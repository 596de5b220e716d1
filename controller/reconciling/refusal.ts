import { shorten } from '#crds/conditions.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { KubeError } from '#runtime/kube/client/kube-error.ts';
import { findQuotaRefusal, type QuotaRefusal } from '#runtime/kube/quota-refusal.ts';
import { backoffMs } from '#runtime/time/retry.ts';

/** The API server rejected a Job; kept in memory until it accepts it. */
export interface Refusal {
  readonly target: 'archive' | 'recover';
  readonly reason: 'QuotaExceeded' | 'AdmissionRefused' | 'ApiServerBusy';
  readonly message: string;
  /** The quota that has no room, if it is one. */
  readonly quota?: QuotaRefusal;
  readonly since: Date;
  readonly retryAt: Date;
  readonly count: number;
  /** The request may have been executed, so the Job may exist. */
  readonly mayExist: boolean;
}

const BACKOFF = { baseDelayMs: 1000, maxDelayMs: 60_000 } as const;

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
  return {
    target: at.target,
    reason: reasonOf(error),
    message: shorten(error.message),
    ...defined({ quota: findQuotaRefusal(error.said) }),
    since: isSame ? before.since : at.now,
    retryAt: new Date(at.now.getTime() + Math.max(backoffMs(BACKOFF, count), error.retryAfterMs ?? 0)),
    count,
    mayExist: mayBeExecuted(error),
  };
}
