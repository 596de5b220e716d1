import { createAdministration } from '#administration/administration.ts';
import type { CommandGroup } from '#cli/command.ts';
import { createProgram } from '#cli/program.ts';
import { retryRequests } from '#cli/retry-requests.ts';
import type { OpenSession, Session } from '#cli/session.ts';
import type { Terminal } from '#cli/terminal.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';

export interface Printed {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

const unreachable: KubeClient = {
  server: 'https://example.test',
  request: () => Promise.reject(new KubeError('no response', { attempt: 'GET /', code: 'Unreachable' })),
  stream: () => Promise.reject(new KubeError('no response', { attempt: 'GET /', code: 'Unreachable' })),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

export interface FakeSessionOptions {
  readonly groups: readonly CommandGroup[];
  readonly terminal?: Partial<Terminal>;
  readonly kube?: KubeClient;
  readonly signal?: AbortSignal;
  readonly env?: Session['env'];
  readonly openHistory?: Session['openHistory'];
  readonly clock?: Clock;
  readonly shell?: string | undefined;
}

/** Runs the program in this process and records its output. */
export async function runProgram(options: FakeSessionOptions, args: readonly string[]): Promise<Printed> {
  let [output, errors] = ['', ''];
  const terminal: Terminal = {
    isInteractive: false,
    isDecorated: false,
    print: (text) => {
      output += text;
      return Promise.resolve();
    },
    note: (text) => {
      errors += `${text}\n`;
    },
    columns: undefined,
    rewrite: () => undefined,
    readInput: () => Promise.resolve(''),
    confirm: () => Promise.resolve(false),
    askHidden: () => Promise.resolve(''),
    ...options.terminal,
  };
  const { signal = new AbortController().signal, groups, clock = systemClock } = options;
  const kube = retryRequests(options.kube ?? unreachable, signal);
  const openSession: OpenSession = ({ namespace = 'default' }) =>
    Promise.resolve({
      kube,
      openHistory: options.openHistory ?? (() => Promise.reject(new Error('no history in this test'))),
      administration: createAdministration({ kube, clock }),
      namespace,
      knownNamespaces: [namespace],
      knownContexts: ['prod', 'stage'],
      terminal,
      clock,
      serverClock: clock,
      signal,
      env: options.env ?? {},
      cwd: '/',
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  const program = createProgram({
    version: '1.2.3',
    name: 'zipjobs',
    groups,
    terminal,
    openSession,
    signal,
    shell: options.shell,
  });
  return { code: await program(args), output, errors };
}
