import type { ZipProject } from '#crds/zip-project.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';
import type { RefusalReason } from '#runtime/egress/refusal-reason.ts';
import { checkEntryNames, type EntryNameProblem } from '#runtime/entry-name.ts';
import { checkPortableNames } from '#runtime/portable-names.ts';
import type { EntryFault, RequestCheckDeps } from './check-request.ts';
import type { RequestLimits } from './schemas/limits.ts';
import { createZipJobBodyCheck } from './schemas/zip-job-request.ts';

export interface RequestPolicyDeps {
  readonly egress: EgressPolicy;
  readonly limits: RequestLimits;
}

/** By what the requests of a project are judged. */
export type RequestPolicy = (project: ZipProject) => RequestCheckDeps;

const REFUSED: Partial<Record<RefusalReason, string>> = {
  scheme: 'must begin with http:// or https://',
  credentials: 'must not carry a user name or password',
  port: 'names a port that is not fetched from',
};

const NAME_PROBLEMS: Readonly<Record<EntryNameProblem, string>> = {
  empty: 'must not be empty',
  'too-long': 'is longer than 1024 bytes of UTF-8',
  'segment-too-long': 'has a segment longer than 255 bytes of UTF-8',
  absolute: 'must not begin with "/"',
  drive: 'must not begin with a drive such as "C:"',
  backslash: 'must not have a backslash',
  'trailing-slash': 'must not end with "/"',
  'empty-segment': 'must not have an empty segment',
  'dot-segment': 'must not have a "." or ".." segment',
  'control-character': 'must not have control characters',
  'bidi-control': 'must not have characters that turn the direction of text',
  'lone-surrogate': 'is not valid Unicode: it has half of a surrogate pair',
  duplicate: 'is the name of another entry too',
  'file-and-directory': 'and the name of another entry make one name both a file and a directory',
  'windows-character': 'has one of the characters < > : " | ? * which Windows refuses',
  'windows-device': 'is the name of a device on Windows',
  'windows-ending': 'has a segment that ends with a space or a dot, which Windows cuts off',
  'same-elsewhere': 'differs from the name of another entry in nothing but letter case or composition',
};

const toNameFault =
  (mustBePortable: boolean) =>
  (names: readonly string[]): EntryFault | undefined => {
    const fault = checkEntryNames(names) ?? (mustBePortable ? checkPortableNames(names) : undefined);
    return fault && { index: fault.index, problem: NAME_PROBLEMS[fault.reason] };
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
export const createRequestPolicy = ({ egress, limits }: RequestPolicyDeps): RequestPolicy => {
  const checkBody = createZipJobBodyCheck(limits);
  const urlProblem = createUrlProblem(egress);
  return ({ spec }) => ({
    checkBody,
    urlProblem,
    nameFault: toNameFault(spec.jobDefaults?.portableNames === 'refuse'),
    limits: { ...limits, maxFiles: Math.min(limits.maxFiles, spec.limits?.filesPerJob ?? limits.maxFiles) },
  });
};
