import type { ZipProject } from '#crds/zip-project.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';
import type { RefusalReason } from '#runtime/egress/refusal-reason.ts';
import {
  checkEntryName,
  type EntryNameFault,
  type EntryNameProblem,
  findConflict,
} from '#runtime/entry-name.ts';
import { comparedInBags, createManifestNameCheck, type ManifestNameRules } from '#runtime/manifest-names.ts';
import { foldName } from '#runtime/name-index.ts';
import { checkPortableName } from '#runtime/portable-names.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import type { EntryFault, RequestCheckDeps } from './check-request.ts';
import type { RequestLimits } from './schemas/limits.ts';
import { createZipJobBodyCheck } from './schemas/zip-job-request.ts';
import type { Steps } from './steps.ts';

export interface RequestPolicyDeps extends Pick<ProjectClasses, 'limitsOf' | 'closedBy'> {
  readonly egress: EgressPolicy;
  readonly limits: RequestLimits;
}

/** The validation rules for the requests of a project. */
export type RequestPolicy = (project: ZipProject) => RequestCheckDeps;

const REFUSED: Partial<Record<RefusalReason, string>> = {
  scheme: 'must start with http:// or https://',
  credentials: 'must not contain a user name or password',
  port: 'uses a port that is not allowed',
};

const NAME_PROBLEMS: Readonly<Record<EntryNameProblem, string>> = {
  empty: 'must not be empty',
  'too-long': 'is longer than 1024 bytes of UTF-8',
  'segment-too-long': 'has a segment longer than 255 bytes of UTF-8',
  absolute: 'must not start with "/"',
  drive: 'must not start with a drive such as "C:"',
  backslash: 'must not contain a backslash',
  'trailing-slash': 'must not end with "/"',
  'empty-segment': 'must not contain an empty segment',
  'dot-segment': 'must not contain a "." or ".." segment',
  'control-character': 'must not contain control characters',
  'bidi-control': 'must not contain bidirectional control characters',
  'lone-surrogate': 'is not valid Unicode: it contains an unpaired surrogate',
  duplicate: 'is already the name of another entry',
  'file-and-directory': 'conflicts with another entry: the same name is both a file and a directory',
  'windows-character': 'contains one of the characters < > : " | ? * which Windows does not allow',
  'windows-device': 'is a reserved device name on Windows',
  'windows-ending': 'has a segment that ends with a space or a dot, which Windows removes',
  'same-elsewhere': 'differs from the name of another entry only in letter case or Unicode normalization',
};

/** Like checkEntryNames and checkPortableNames, in steps. */
function* findNameFault(
  names: readonly string[],
  mustBePortable: boolean,
): Steps<EntryNameFault | undefined> {
  for (const [index, name] of names.entries()) {
    const reason = checkEntryName(name);
    if (reason) return { index, reason };
    yield;
  }
  const conflict = findConflict(names);
  yield;
  if (conflict || !mustBePortable) return conflict;
  const folded: string[] = [];
  for (const [index, name] of names.entries()) {
    const reason = checkPortableName(name);
    if (reason) return { index, reason };
    folded.push(foldName(name));
    yield;
  }
  const same = findConflict(folded);
  return same && { index: same.index, reason: 'same-elsewhere' };
}

/** The first file whose name the manifest does not allow, in steps. */
function* findManifestFault(
  names: readonly string[],
  rules: ManifestNameRules,
): Steps<EntryFault | undefined> {
  const check = createManifestNameCheck(rules);
  const compared = comparedInBags(rules);
  const toCompare: string[] = [];
  for (const [index, name] of names.entries()) {
    const problem = check(name);
    if (problem !== undefined) return { index, problem };
    if (compared) toCompare.push(compared(name));
    yield;
  }
  const same = findConflict(toCompare);
  return same && { index: same.index, problem: NAME_PROBLEMS['same-elsewhere'] };
}

function* nameFault(names: readonly string[], rules: ManifestNameRules): Steps<EntryFault | undefined> {
  const fault = yield* findNameFault(names, rules.portableNames === 'refuse');
  return fault
    ? { index: fault.index, problem: NAME_PROBLEMS[fault.reason] }
    : yield* findManifestFault(names, rules);
}

const createUrlProblem =
  (egress: EgressPolicy) =>
  (text: string): string | undefined => {
    const judged = judgeUrl(text, egress);
    if (judged.ok) return undefined;
    if (judged.kind === 'syntax') return 'is not a valid URL';
    return REFUSED[judged.reason] ?? 'does not point to a publicly accessible host';
  };

/** Reports invalid sources early. The zipper enforces the egress policy when it fetches them. */
export const createRequestPolicy = (deps: RequestPolicyDeps): RequestPolicy => {
  const { egress, limits, limitsOf, closedBy } = deps;
  const checkBody = createZipJobBodyCheck(limits);
  const urlProblem = createUrlProblem(egress);
  return (project) => {
    const { filesPerJob } = limitsOf(project.metadata.namespace, project);
    return {
      checkBody,
      urlProblem,
      nameFault,
      options: {
        closedBy: (option) => closedBy(project, option),
        defaults: project.spec.jobDefaults ?? {},
      },
      limits: { ...limits, maxFiles: Math.min(limits.maxFiles, filesPerJob) },
    };
  };
};
