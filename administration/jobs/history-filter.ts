/** The filters of finished jobs: one meaning for the history API, the page of the history and the command line. */
import { type Phase, SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { readTime } from '#runtime/time/read-time.ts';

const REASON = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
/** A name of an object in Kubernetes. */
const TOKEN_ID = /^[a-z0-9][a-z0-9.-]{0,252}$/;
const UTC = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

function isFinalPhase(text: string): text is Phase {
  return TERMINAL_PHASES.some((phase) => phase === text);
}

function isAny(): boolean {
  return true;
}

const A_TIME = {
  isValid: (text: string) => readTime(text, UTC) !== undefined,
  rule: 'must be a time in UTC such as 2026-01-31T12:00:00Z',
};

/** By name. The rule continues a sentence that begins with what the filter is called where it is entered. */
const FILTERS = {
  phase: {
    isValid: (text: string) => text.split(',').every(isFinalPhase),
    rule: `must be one or more of ${TERMINAL_PHASES.join(', ')}`,
  },
  /** Reasons of other versions are valid: the history may have their jobs. */
  reason: {
    isValid: (text: string) => text.split(',').every((one) => REASON.test(one)),
    rule: 'must be one or more reasons such as SourceNotFound, separated by commas',
  },
  service: {
    isValid: (text: string) => SERVICES.some((one) => one === text),
    rule: `must be one of ${SERVICES.join(', ')}`,
  },
  /** Name at the provider. */
  bucket: { isValid: isAny, rule: '' },
  /** `*` is any text. */
  key: { isValid: isAny, rule: '' },
  token: {
    isValid: (text: string) => TOKEN_ID.test(text),
    rule: 'must be the ID of an access token, such as ci-k7x2mq',
  },
  finishedAfter: A_TIME,
  finishedBefore: A_TIME,
} as const satisfies Readonly<
  Record<string, { readonly isValid: (text: string) => boolean; readonly rule: string }>
>;

export type HistoryFilterName = keyof typeof FILTERS;
export const HISTORY_FILTER_NAMES = Object.keys(FILTERS) as readonly HistoryFilterName[];
/** An absent filter selects all jobs. */
export type HistoryFilterTexts = Readonly<Partial<Record<HistoryFilterName, string>>>;

/** Why each invalid text is refused: a filter that is ignored would list jobs that nobody asked for. */
export function filterProblems(
  texts: HistoryFilterTexts,
): readonly { readonly name: HistoryFilterName; readonly rule: string }[] {
  return HISTORY_FILTER_NAMES.flatMap((name) => {
    const text = texts[name];
    const { isValid, rule } = FILTERS[name];
    return text === undefined || isValid(text) ? [] : { name, rule };
  });
}

/** What texts without problems select in a project. */
export function toJobFilter(projectUid: string, texts: HistoryFilterTexts): JobFilter {
  const { phase, reason, service = SPEC_DEFAULTS.service, bucket, key, token } = texts;
  const { finishedAfter, finishedBefore } = texts;
  return {
    projectUid,
    ...(phase !== undefined && { phases: phase.split(',').filter(isFinalPhase) }),
    ...(reason !== undefined && { reasons: reason.split(',') }),
    ...(bucket !== undefined && { bucket: { service, bucketName: bucket } }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { createdBy: token }),
    ...(finishedAfter !== undefined && { finishedAfter: new Date(finishedAfter) }),
    ...(finishedBefore !== undefined && { finishedBefore: new Date(finishedBefore) }),
  };
}
