/** Runs the documented commands of docs/on-call.md in a shell. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from '../until.ts';

const execute = promisify(execFile);

const RUNBOOK = 'docs/on-call.md';
/** Events are recorded later than the status that they are about. */
const REPEAT_MS = 1_000;

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
  /**
   * Repeats the command until its output is as expected: after each change of the ZipJob, because a command takes a hundred times
   * the processor time of a read, and once a second.
   */
  untilPrinted(question: string, about: Subject, output: RegExp): Promise<string>;
}

/** The table of the appendix: question -> command. */
async function readTable(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(RUNBOOK, 'utf8');
  const [, section = ''] = text.split('\n## Appendix: questions and kubectl commands\n');
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+\?) \| `([^`]+)` \|/gm);
  return new Map(
    [...rows].map(([, question = '', command = '']) => [question, command.replaceAll(String.raw`\|`, '|')]),
  );
}

export async function loadOnCallCommands(cluster: Cluster): Promise<OnCallCommands> {
  const table = await readTable();
  const used = new Set<string>();
  const PATH = `${join(cluster.dir, 'bin')}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH, KUBECONFIG: cluster.kubeconfigPath };
  async function run(question: string, { namespace, name }: Subject): Promise<string> {
    const documented = table.get(question);
    if (documented === undefined) throw new Error(`${RUNBOOK} has no command for: ${question}`);
    used.add(question);
    const command = documented.replaceAll('acme', namespace).replaceAll('NAME', name ?? 'NAME');
    return (await execute('sh', ['-c', command], { env })).stdout;
  }
  async function versionOf({ namespace, name = '' }: Subject): Promise<string> {
    const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipjobs/${name}`;
    return (await cluster.read<ZipJob>(path)).metadata.resourceVersion ?? '';
  }
  return {
    questions: [...table.keys()],
    used,
    run,
    untilPrinted: (question, about, output) => {
      let printed = { version: '', at: 0 };
      return until(
        `the expected output of: ${question} ${about.name ?? ''} ${String(output)}`,
        async () => {
          const version = await versionOf(about);
          const now = performance.now();
          if (version === printed.version && now - printed.at < REPEAT_MS) return false;
          printed = { version, at: now };
          const text = await run(question, about);
          if (output.test(text)) return text;
          throw new Error(text);
        },
        { intervalMs: 50, limitMs: 120_000 },
      );
    },
  };
}
