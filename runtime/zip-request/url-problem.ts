import type { EgressPolicy } from '../egress/egress-policy.ts';
import type { RefusalReason } from '../egress/refusal-reason.ts';
import { judgeSourceUrl } from './source-url.ts';

const REFUSED: Partial<Record<RefusalReason, string>> = {
  scheme: 'must start with http://, https://, s3:// or r2://',
  credentials: 'must not contain a user name or password',
  port: 'uses a port that is not allowed',
};

/** Describes a source URL that is not allowed, as the end of a sentence. The zipper enforces the egress policy again when it fetches the source. */
export function createUrlProblem(egress: EgressPolicy) {
  return (text: string): string | undefined => {
    const judged = judgeSourceUrl(text, egress);
    if (judged.ok) return undefined;
    if (judged.kind === 'text') return judged.problem;
    if (judged.kind === 'syntax') return 'is not a valid URL';
    return REFUSED[judged.reason] ?? 'does not point to a publicly accessible host';
  };
}
