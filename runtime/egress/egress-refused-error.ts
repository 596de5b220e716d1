import { AppError } from '../errors.ts';
import type { RefusalReason } from './refusal-reason.ts';

/**
 * A connection that the policy forbids. Retryable, so that to outsiders it behaves like any failed connection and nobody can
 * map the inner network by comparing the two; the reason is in `details`, for operator logs only.
 */
export class EgressRefusedError extends AppError {
  readonly reason: RefusalReason;

  constructor(host: string, reason: RefusalReason) {
    super(`Could not connect to ${host}: unreachable`, {
      code: 'EgressRefused',
      retryable: true,
      details: { host, reason },
    });
    this.reason = reason;
  }
}
