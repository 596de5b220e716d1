import { pause } from '#runtime/clock.ts';
import type { OpenSession, Session } from './session.ts';

/** Time limit for completing a word: a slow cluster must not block the shell. */
const LIMIT_MS = 3_000;

const VALUES = {
  namespace: ['-n', '--namespace'],
  context: ['--context'],
  kubeconfig: ['--kubeconfig'],
  output: ['-o', '--output'],
} as const;

type ListNames = (session: Session) => Promise<readonly string[]>;

const projectNames: ListNames = async (session) => {
  const { projects } = await session.administration.projects().list({ namespaces: session.knownNamespaces });
  return projects.map(({ namespace }) => namespace);
};
const bucketNames: ListNames = async (session) =>
  (await session.administration.buckets(session.namespace).list()).map(({ bucketName }) => bucketName);
const tokenIds: ListNames = async (session) =>
  (await session.administration.tokens(session.namespace).list()).map(({ id }) => id);

/** Commands whose next argument is the name of an existing object. */
const NAMES: Readonly<Record<string, ListNames>> = {
  'project show': projectNames,
  'project update': projectNames,
  'project delete': projectNames,
  'project purge': projectNames,
  'bucket show': bucketNames,
  'bucket update': bucketNames,
  'bucket set-credentials': bucketNames,
  'bucket test': bucketNames,
  'bucket delete': bucketNames,
  'token rotate': tokenIds,
  'token revoke': tokenIds,
};

interface Line {
  /** Words that are neither options nor option values. */
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value is being typed. */
  readonly open: string | undefined;
}

const readLine = (before: readonly string[]): Line => {
  const words: string[] = [];
  const values = new Map<string, string>();
  let open: string | undefined;
  for (const word of before) {
    const option = Object.entries(VALUES).find(([, names]) => names.some((name) => name === word))?.[0];
    if (open !== undefined) values.set(open, word);
    else if (option === undefined && !word.startsWith('-')) words.push(word);
    open = open === undefined ? option : undefined;
  }
  return { words, values, open };
};

const listerOf = ({ words, open }: Line): ListNames | undefined => {
  if (open !== undefined) return open === 'namespace' ? projectNames : undefined;
  return words.length === 2 ? NAMES[words.join(' ')] : undefined;
};

/**
 * Names from the cluster that complete the word being typed; undefined where no name is expected. The last word of
 * `line` is the one being typed. Any failure completes to nothing, because the shell has no place for an error.
 */
export const completeNames = async (
  openSession: OpenSession,
  line: readonly string[],
): Promise<readonly string[] | undefined> => {
  const current = line.at(-1) ?? '';
  const read = readLine(line.slice(0, -1));
  const list = listerOf(read);
  if (!list || current.startsWith('-')) return undefined;
  const chosen = (name: keyof typeof VALUES): string | undefined => read.values.get(name);
  try {
    await using session = await openSession({
      output: 'table',
      namespace: chosen('namespace'),
      context: chosen('context'),
      kubeconfig: chosen('kubeconfig'),
    });
    const end = new AbortController();
    const tooLate = pause(session.clock, LIMIT_MS, end.signal).then((): readonly string[] => []);
    const names = await Promise.race([list(session), tooLate]).finally(() => {
      end.abort();
    });
    return [...new Set(names)].filter((name) => name.startsWith(current));
  } catch {
    return [];
  }
};
