import { createHash } from 'node:crypto';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { REFUSED_AUDIENCE } from '#runtime/refused-requests/refused-request.ts';
import type { Clock } from '#runtime/time/clock.ts';

const VERSION = 'authentication.k8s.io/v1';
const PATH = `/apis/${VERSION}/tokenreviews`;

/** How long a review counts: as long as the kubelet and the API server keep theirs. */
const ACCEPTED_MS = 60_000;
const REFUSED_MS = 10_000;
/** Anyone who reaches the port can send tokens. */
const MAX_KEPT = 64;
const MAX_REVIEWS = 4;

/** `busy`: too many other tokens are being reviewed. */
export type ReaderVerdict = 'accepted' | 'refused' | 'busy';

/** Whether a token is one of the reader for this audience. @throws KubeError if the API server does not respond */
export type ReviewReader = (token: string) => Promise<ReaderVerdict>;

export interface ReviewReaderDeps {
  readonly kube: Pick<KubeClient, 'request'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The service account that may read, as `system:serviceaccount:NAMESPACE:NAME`. */
  readonly reader: string;
}

async function review({ kube, reader }: ReviewReaderDeps, token: string): Promise<boolean> {
  const spec = { token, audiences: [REFUSED_AUDIENCE] };
  const body = { apiVersion: VERSION, kind: 'TokenReview', spec };
  const response = await kube.request({ method: 'POST', path: PATH, body });
  const status = isRecord(response) && isRecord(response['status']) ? response['status'] : {};
  const { authenticated, audiences, user } = status;
  return (
    authenticated === true &&
    Array.isArray(audiences) &&
    audiences.includes(REFUSED_AUDIENCE) &&
    isRecord(user) &&
    user['username'] === reader
  );
}

/** Asks the API server for each token once a minute. */
export function createReviewReader(deps: ReviewReaderDeps): ReviewReader {
  const { clock } = deps;
  /** By hash of the token, oldest first. */
  const kept = new Map<string, { readonly verdict: ReaderVerdict; readonly untilMs: number }>();
  let running = 0;
  function keep(key: string, isAccepted: boolean): ReaderVerdict {
    const verdict = isAccepted ? 'accepted' : 'refused';
    kept.delete(key);
    kept.set(key, { verdict, untilMs: clock.monotonicMs() + (isAccepted ? ACCEPTED_MS : REFUSED_MS) });
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return verdict;
  }
  return async (token) => {
    const key = createHash('sha256').update(token).digest('base64');
    const known = kept.get(key);
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.verdict;
    if (running === MAX_REVIEWS) return 'busy';
    running += 1;
    try {
      return keep(key, await review(deps, token));
    } finally {
      running -= 1;
    }
  };
}
