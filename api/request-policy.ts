import type { ZipProject } from '#crds/zip-project.ts';
import type { EgressPolicy, RefusalReason } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';
import type { EntryFault, RequestCheckDeps } from './check-request.ts';
import type { RequestLimits } from './schemas/limits.ts';
import { createZipJobBodyCheck } from './schemas/zip-job-request.ts';

export interface RequestPolicyDeps {
  readonly egress: EgressPolicy;
  /** The first name that cannot stand in an archive; `portable` also refuses names that Windows cannot hold. */
  readonly nameFault: (names: readonly string[], portable: boolean) => EntryFault | undefined;
  readonly limits: RequestLimits;
}

/** By what the requests of a project are judged. */
export type RequestPolicy = (project: ZipProject) => RequestCheckDeps;

const REFUSED: Partial<Record<RefusalReason, string>> = {
  scheme: 'must begin with http:// or https://',
  credentials: 'must not carry a user name or password',
  port: 'names a port that is not fetched from',
};

const createUrlProblem =
  (egress: EgressPolicy) =>
  (text: string): string | undefined => {
    const judged = judgeUrl(text, egress);
    if (judged.ok) return undefined;
    if (judged.kind === 'syntax') return 'is not a valid URL';
    return REFUSED[judged.reason] ?? 'does not point to a publicly accessible host';
  };

/** A first look at sources, which tells callers early; the guard itself is where they are fetched. */
export const createRequestPolicy = ({ egress, nameFault, limits }: RequestPolicyDeps): RequestPolicy => {
  const checkBody = createZipJobBodyCheck();
  const urlProblem = createUrlProblem(egress);
  return ({ spec }) => {
    const portable = spec.jobDefaults?.portableNames === 'refuse';
    return {
      checkBody,
      urlProblem,
      nameFault: (names) => nameFault(names, portable),
      limits: { ...limits, maxFiles: Math.min(limits.maxFiles, spec.limits?.filesPerJob ?? limits.maxFiles) },
    };
  };
};
