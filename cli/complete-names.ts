import { pause, systemClock } from '#runtime/time/clock.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { OpenSession, Session } from './session.ts';

/** Time limit for completing a word: a slow cluster or credential plugin must not block the shell. */
const LIMIT_MS = 3_000;

/** Stands for the word being typed, which may be empty. */
const TYPED = 'zipjobs-typed-word';
const NAMESPACE_OPTIONS = ['-n', '--namespace', '--namespace='];

type ListNames = (session: Session) => Promise<readonly string[]>;

const projectNames: ListNames = async (session) => {
  const { projects } = await session.administration.projects().list({ namespaces: session.knownNamespaces });
  return projects.map(({ namespace }) => namespace);
};
const bucketNames: ListNames = async (session) =>
  (await session.administration.buckets(session.namespace).list()).map(({ bucketName }) => bucketName);
const tokenIds: ListNames = async (session) =>
  (await session.administration.tokens(session.namespace).list()).map(({ id }) => id);

/** Arguments that are names of existing objects, and the commands that have them. */
const NAMES: Readonly<Record<string, { readonly commands: readonly string[]; readonly list: ListNames }>> = {
  project: { commands: ['show', 'update', 'delete', 'purge'], list: projectNames },
  bucket: { commands: ['show', 'update', 'set-credentials', 'test', 'delete'], list: bucketNames },
  token: { commands: ['rotate', 'revoke'], list: tokenIds },
};

/** How the program understands words, without running a command. */
export interface ReadWords {
  /** The arguments of a command; undefined if the words are no valid command. */
  readonly command: (words: readonly string[]) => Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The options of every command, also before a command. */
  readonly globals: (words: readonly string[]) => Partial<GlobalArguments>;
}

/** Bash splits words at `=`. */
function joined(line: readonly string[]): readonly string[] {
  return line.reduce<readonly string[]>((words, word) => {
    const last = words.at(-1) ?? '';
    const valueAt = last.startsWith('--') ? last.indexOf('=') : 0;
    const isPart = (word === '=' && valueAt === -1) || (valueAt > 0 && valueAt === last.length - 1);
    return isPart ? words.with(-1, `${last}${word}`) : [...words, word];
  }, []);
}

function isNamespaceOpen(before: readonly string[]): boolean {
  return NAMESPACE_OPTIONS.includes(before.at(-1) ?? '');
}

async function listerOf(before: readonly string[], read: ReadWords): Promise<ListNames | undefined> {
  if (isNamespaceOpen(before)) return projectNames;
  const args = (await read.command([...before, TYPED])) ?? {};
  const [group, command] = (args['_'] ?? []) as readonly [string?, string?];
  const found = Object.entries(NAMES).find(([name]) => name === group && args[name] === TYPED)?.[1];
  return found?.commands.some((one) => one === command) ? found.list : undefined;
}

/** Nothing after the limit, whatever still runs then. */
async function inTime(names: Promise<readonly string[]>): Promise<readonly string[]> {
  const end = new AbortController();
  const tooLate = pause(systemClock, LIMIT_MS, end.signal).then((): readonly string[] => []);
  return Promise.race([names, tooLate]).finally(() => {
    end.abort();
  });
}

/**
 * Names from the cluster that complete the word being typed; undefined where no name is expected. The last word of
 * `line` is the one being typed. Any failure completes to nothing, because the shell has no place for an error.
 */
export async function completeNames(
  openSession: OpenSession,
  line: readonly string[],
  read: ReadWords,
): Promise<readonly string[] | undefined> {
  const before = joined(line.slice(0, -1));
  const current = line.at(-1) ?? '';
  const list = current.startsWith('-') ? undefined : await listerOf(before, read);
  if (!list) return undefined;
  const given = isNamespaceOpen(before) ? before.slice(0, -1) : before;
  const { namespace, context, kubeconfig } = read.globals(given);
  async function listed(byList: ListNames): Promise<readonly string[]> {
    await using session = await openSession({ output: 'table', namespace, context, kubeconfig });
    return byList(session);
  }
  const names = await inTime(listed(list).catch(() => []));
  return [...new Set(names)].filter((name) => name.startsWith(current));
}
