import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import { PHASES } from '#crds/zip-job.ts';
import { pause, systemClock } from '#runtime/time/clock.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { OpenSession, Session } from './session.ts';

/** Time limit for completing a word: a slow cluster or credential plugin must not block the shell. */
const LIMIT_MS = 3_000;

/** Stands for the word being typed, which may be empty. */
const TYPED = 'zipjobs-typed-word';
/** Newest jobs that are suggested. */
const SUGGESTED_JOBS = 50;

export interface Suggestion {
  readonly name: string;
  /** Shown beside the name in shells that can. */
  readonly description?: string;
}

type ListNames = (session: Session) => Promise<readonly Suggestion[]>;

function named(names: readonly string[]): readonly Suggestion[] {
  return names.map((name) => ({ name }));
}

const projectNames: ListNames = async (session) => {
  const { projects } = await session.administration.projects().list({ namespaces: session.knownNamespaces });
  return named(projects.map(({ namespace }) => namespace));
};
const bucketNames: ListNames = async (session) =>
  named((await session.administration.buckets(session.namespace).list()).map(({ bucketName }) => bucketName));
const tokenIds: ListNames = async (session) =>
  named((await session.administration.tokens(session.namespace).list()).map(({ id }) => id));
const jobIds: ListNames = async ({ administration, namespace, signal }) => {
  const query = { namespace, phases: [], limit: SUGGESTED_JOBS };
  const { jobs } = await administration.jobs(namespace).list(query, signal);
  return jobs.map(({ id, key, phase }) => ({ name: id, description: `${phase ?? 'Queued'} ${key}` }));
};
const contexts: ListNames = ({ knownContexts }) => Promise.resolve(named(knownContexts));

/** Arguments that are names of existing objects, and the commands that have them. */
const NAMES: Readonly<Record<string, { readonly commands: readonly string[]; readonly list: ListNames }>> = {
  project: { commands: ['show', 'update', 'delete', 'purge'], list: projectNames },
  bucket: {
    commands: ['show', 'update', 'update-credentials', 'set-credentials', 'test', 'delete'],
    list: bucketNames,
  },
  token: { commands: ['show', 'rotate', 'delete', 'revoke'], list: tokenIds },
  job: {
    commands: ['get', 'show', 'wait', 'logs', 'cancel', 'run-again', 'resend-webhook', 'replay-webhook'],
    list: jobIds,
  },
};

/** Options whose values are names. The parser knows those with a few choices. */
const OPTIONS: Readonly<Record<string, ListNames | readonly string[]>> = {
  '-n': projectNames,
  '--namespace': projectNames,
  '--context': contexts,
  '--bucket': bucketNames,
  '--token-id': tokenIds,
  '--phase': PHASES,
  '--reason': [...FAILURE_FAULTS.keys()],
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

/** The option whose value is being typed. */
function openOption(before: readonly string[]): string | undefined {
  const option = (before.at(-1) ?? '').replace(/=$/, '');
  return Object.hasOwn(OPTIONS, option) ? option : undefined;
}

async function namesOf(
  before: readonly string[],
  read: ReadWords,
): Promise<ListNames | readonly string[] | undefined> {
  const option = openOption(before);
  if (option !== undefined) return OPTIONS[option];
  const args = (await read.command([...before, TYPED])) ?? {};
  const [group, command] = (args['_'] ?? []) as readonly [string?, string?];
  const found = Object.entries(NAMES).find(([name]) => name === group && args[name] === TYPED)?.[1];
  return found?.commands.some((one) => one === command) ? found.list : undefined;
}

/** Nothing after the limit, whatever still runs then. */
async function inTime(names: Promise<readonly Suggestion[]>): Promise<readonly Suggestion[]> {
  const end = new AbortController();
  const tooLate = pause(systemClock, LIMIT_MS, end.signal).then((): readonly Suggestion[] => []);
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
): Promise<readonly Suggestion[] | undefined> {
  const before = joined(line.slice(0, -1));
  const current = line.at(-1) ?? '';
  const names = current.startsWith('-') ? undefined : await namesOf(before, read);
  if (names === undefined) return undefined;
  const given = openOption(before) === undefined ? before : before.slice(0, -1);
  const { namespace, context, kubeconfig } = read.globals(given);
  async function listed(list: ListNames): Promise<readonly Suggestion[]> {
    await using session = await openSession({ output: 'table', namespace, context, kubeconfig });
    return list(session);
  }
  const found = typeof names === 'function' ? await inTime(listed(names).catch(() => [])) : named(names);
  return [...new Map(found.map((one) => [one.name, one])).values()].filter(({ name }) =>
    name.startsWith(current),
  );
}
