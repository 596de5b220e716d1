import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterError } from './cluster-error.ts';

export interface ServerOptions {
  readonly name: string;
  /** The cluster program. It ends the server when this process ends. */
  readonly launcher: string;
  /** Path and arguments. */
  readonly command: readonly string[];
  readonly logPath: string;
  readonly env?: Readonly<Record<string, string>>;
}

const POLL_MS = 50;
const TAIL_LINES = 20;

/** A server of the cluster: a child process with its log file. */
export class ServerProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #logPath: string;

  private constructor(options: ServerOptions, child: ChildProcess) {
    this.name = options.name;
    this.#child = child;
    this.#logPath = options.logPath;
  }

  static async start(options: ServerOptions): Promise<ServerProcess> {
    const log = await open(options.logPath, 'a');
    try {
      // Its own session, so that Ctrl-C in a terminal reaches only this process, which then stops the servers in order.
      const child = spawn(options.launcher, ['run', ...options.command], {
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
        env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...options.env },
      });
      await once(child, 'spawn');
      return new ServerProcess(options, child);
    } finally {
      await log.close();
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /**
   * Waits until `check` returns true.
   * @throws ClusterError with the end of the log if the server exits before, or after the time limit
   */
  async ready(check: () => Promise<boolean>, limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (!(await check().catch(() => false))) {
      if (this.ended)
        throw await this.#failure(`ended early (${this.#child.signalCode ?? this.#child.exitCode})`);
      if (Date.now() > deadline) throw await this.#failure(`is not ready after ${limitMs / 1000} s`);
      await delay(POLL_MS);
    }
  }

  /** Stops the process until the returned value is disposed of. */
  pause(): Disposable {
    this.#child.kill('SIGSTOP');
    return { [Symbol.dispose]: () => void this.#child.kill('SIGCONT') };
  }

  /** Kills the process. Its data is deleted with the cluster. */
  async kill(): Promise<void> {
    if (this.ended) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async #failure(what: string): Promise<ClusterError> {
    const text = await readFile(this.#logPath, 'utf8').catch(() => '(no log)');
    const tail = text.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
    return new ClusterError(`${this.name} ${what}. End of ${this.#logPath}:\n${tail}`);
  }
}
