import { AppError } from '../errors.ts';
import type { RefusalReason } from './refusal-reason.ts';

/**
 * The policy forbids this connection. The error is retryable so that callers see the same behaviour as for any failed
 * connection; otherwise they could map the internal network. Only operator logs get the reason, from `details`, and the
 * texts for stores, whose hosts the operator chose.
 */
export class EgressRefusedError extends AppError {
  readonly host: string;
  readonly reason: RefusalReason;

  constructor(host: string, reason: RefusalReason) {
    super(`Could not connect to ${host}: unreachable`, {
      code: 'EgressRefused',
      retryable: true,
      details: { host, reason },
    });
    this.host = host;
    this.reason = reason;
  }
}
