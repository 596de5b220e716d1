/** Runs the documented commands of docs/on-call.md in a shell. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from '../until.ts';

const execute = promisify(execFile);

const RUNBOOK = 'docs/on-call.md';

/** The ZipJob that a question is about. */
export interface Subject {
  readonly namespace: string;
  readonly name?: string;
}

export interface OnCallCommands {
  /** Every question of the table. */
  readonly questions: readonly string[];
  readonly used: ReadonlySet<string>;
  /**
   * What the documented command prints.
   * @throws Error when there is no such question, or the command fails.
   */
  run(question: string, about: Subject): Promise<string>;
  /** Repeats the command until its output is as expected. */
  untilPrinted(question: string, about: Subject, output: RegExp): Promise<string>;
}

/** The table of the section "Questions and commands": question -> command. */
const readTable = async (): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(RUNBOOK, 'utf8');
  const [, section = ''] = text.split('\n## Questions and commands\n');
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+\?) \| `([^`]+)` \|/gm);
  return new Map(
    [...rows].map(([, question = '', command = '']) => [question, command.replaceAll(String.raw`\|`, '|')]),
  );
};

export const loadOnCallCommands = async (cluster: Cluster): Promise<OnCallCommands> => {
  const table = await readTable();
  const used = new Set<string>();
  const PATH = `${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH, KUBECONFIG: cluster.kubeconfigPath };
  const run = async (question: string, { namespace, name }: Subject): Promise<string> => {
    const documented = table.get(question);
    if (documented === undefined) throw new Error(`${RUNBOOK} has no command for: ${question}`);
    used.add(question);
    const command = documented.replaceAll('acme', namespace).replaceAll('NAME', name ?? 'NAME');
    return (await execute('sh', ['-c', command], { env })).stdout;
  };
  return {
    questions: [...table.keys()],
    used,
    run,
    untilPrinted: (question, about, output) =>
      until(
        `the expected output of: ${question} ${about.name ?? ''} ${String(output)}`,
        async () => {
          const text = await run(question, about);
          if (output.test(text)) return text;
          throw new Error(text);
        },
        { intervalMs: 300, limitMs: 120_000 },
      ),
  };
};
