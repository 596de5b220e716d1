import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import { maskText } from './mask-text.ts';

/** What is not in the dump, and why. */
export interface Problem {
  readonly what: string;
  readonly why: string;
}

export interface Problems {
  readonly all: readonly Problem[];
  note(what: string, why: string): void;
  /** Of something that could not be read. @throws the error when it is no failure of this one call. */
  failed(what: string, error: unknown): void;
}

/** Without these nothing else can be read either. */
const endsAll = (error: unknown): boolean => !isKubeError(error) || isKubeError(error, 'Unauthorized');

export const createProblems = (): Problems => {
  const all: Problem[] = [];
  const note = (what: string, why: string): void => {
    all.push({ what, why: maskText(why) });
  };
  return {
    all,
    note,
    failed: (what, error) => {
      if (endsAll(error)) throw toError(error);
      note(what, toError(error).message);
    },
  };
};

/** The text of errors.txt. */
export const problemsText = (problems: readonly Problem[]): string =>
  problems.length === 0
    ? 'Everything that was asked for is in this dump.\n'
    : [
        'What is not in this dump, or not whole, and why. What is forbidden can be read by somebody with more',
        'rights: all of it by a cluster-admin, one project by a person with the role view in its namespace.',
        '',
        ...problems.map(({ what, why }) => `${what}\n    ${why.replaceAll('\n', '\n    ')}`),
        '',
      ].join('\n');
