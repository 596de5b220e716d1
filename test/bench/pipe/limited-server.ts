import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureProgram } from '#tools/local-cluster/binaries.ts';
import type { GoProgram } from '#tools/local-cluster/go-program.ts';
import type { BenchFile } from '../bench-case.ts';

const PROGRAM: GoProgram = {
  name: 'limited-server',
  what: 'server with a rate for each connection',
  folder: join(import.meta.dirname, 'limited-server'),
  costs: { cpuSeconds: 8, serialSeconds: 3, linkSeconds: 0.5, otherPackageSeconds: 0.1, packages: {} },
  coldPackages: [],
};

/** Bytes per second. 0: no limit. */
export interface Rates {
  /** In each direction. */
  readonly connectionRate: number;
  /** Of all connections, in both directions together. */
  readonly totalRate: number;
}

export interface LimitedFile extends BenchFile {
  /** Of each response with this file. */
  readonly responseRate?: number;
  /** Of all responses with this file. */
  readonly totalRate?: number;
}

/** Either files or the URL of a store. */
export type LimitedOrder = Rates & ({ readonly files: readonly LimitedFile[] } | { readonly target: string });

/** What a client needed. */
export interface Counts {
  readonly connections: number;
  readonly peakConnections: number;
  readonly requests: number;
}

/** A source or a store on a network with rates. A process of its own, so that it takes little CPU time from its clients. */
export interface LimitedServer extends AsyncDisposable {
  readonly url: string;
  /** Since the last call. */
  counts(): Promise<Counts>;
}

/** The path of the program, which is built once. @throws GoMissingError without Go */
export function findLimitedServer(log: (line: string) => void): Promise<string> {
  return ensureProgram(PROGRAM, log);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

/** @throws GoMissingError without Go */
export async function startLimitedServer(
  order: LimitedOrder,
  log: (line: string) => void,
): Promise<LimitedServer> {
  const program = await findLimitedServer(log);
  const numbered =
    'files' in order
      ? { ...order, files: order.files.map((file, seed) => ({ ...file, seed: seed % 4 })) }
      : order;
  const child = spawn(program, [JSON.stringify(numbered)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  async function nextLine(): Promise<string> {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the limited server has ended');
    return value;
  }
  return {
    url: await nextLine(),
    counts: async () => {
      child.stdin.write('\n');
      return JSON.parse(await nextLine()) as Counts;
    },
    [Symbol.asyncDispose]: () => stop(child),
  };
}
