import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { maskText } from './mask-text.ts';

/** An item that is missing or truncated, and the reason. */
export interface Problem {
  readonly what: string;
  readonly why: string;
}

export interface Problems {
  readonly all: readonly Problem[];
  note(what: string, why: string): void;
  /** Notes an item that could not be read. @throws the error if every other call would fail as well */
  failed(what: string, error: unknown): void;
}

/** After these errors, every other call fails as well. */
function isFatal(error: unknown): boolean {
  return !isKubeError(error) || isKubeError(error, 'Unauthorized');
}

export function createProblems(): Problems {
  const all: Problem[] = [];
  function note(what: string, why: string): void {
    all.push({ what, why: maskText(why) });
  }
  return {
    all,
    note,
    failed: (what, error) => {
      if (isFatal(error)) throw toError(error);
      note(what, toError(error).message);
    },
  };
}

/** The text of errors.txt. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.length === 0
    ? 'This dump is complete.\n'
    : [
        'Items that are missing or truncated, and the reason. To include forbidden items, run the dump with more',
        'permissions: as cluster-admin for everything, or with the role view in the namespace of one project.',
        '',
        ...problems.map(({ what, why }) => `${what}\n    ${why.replaceAll('\n', '\n    ')}`),
        '',
      ].join('\n');
}
