import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Container } from './pod-types.ts';

export interface ContainerProcessOptions {
  /** The cluster program, which ends the process when this one ends. */
  readonly launcher: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly logPath: string;
  readonly terminationPath: string;
}

const MESSAGE_BYTES = 4096;
const LOG_MESSAGE_BYTES = 2048;
const LOG_MESSAGE_LINES = 80;
const SIGNAL_BASE = 128;

/** One run of a container: a local process in its own session. */
export class ContainerProcess {
  readonly startedAt = new Date();
  readonly exited: Promise<{ readonly exitCode: number }>;
  readonly #child: ChildProcess;
  readonly #options: ContainerProcessOptions;
  readonly #logStart: number;

  private constructor(options: ContainerProcessOptions, child: ChildProcess, logStart: number) {
    this.#options = options;
    this.#child = child;
    this.#logStart = logStart;
    this.exited = once(child, 'exit').then(([code, signal]) => ({ exitCode: exitCodeOf(code, signal) }));
  }

  static async start(options: ContainerProcessOptions): Promise<ContainerProcess> {
    await writeFile(options.terminationPath, '');
    const log = await open(options.logPath, 'a');
    try {
      const { size } = await log.stat();
      // The process writes its log itself, so a busy pod does not load the agent.
      const child = spawn(options.launcher, ['run', ...options.command], {
        cwd: options.workingDirectory,
        env: options.env,
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
      });
      await once(child, 'spawn');
      return new ContainerProcess(options, child, size);
    } finally {
      await log.close();
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Signals only the process itself, like a container runtime. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the process and its children. */
  destroy(): void {
    if (this.pid === 0) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // The process group has already exited.
    }
  }

  /** The termination message, according to the container's policy. */
  async terminationMessage(container: Container, exitCode: number): Promise<string> {
    const written = await readTail(this.#options.terminationPath, 0, MESSAGE_BYTES);
    const fallback = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
    if (written !== '' || !fallback) return written;
    const log = await readTail(this.#options.logPath, this.#logStart, LOG_MESSAGE_BYTES);
    return log.split('\n').slice(-LOG_MESSAGE_LINES).join('\n');
  }
}

function exitCodeOf(code: unknown, signal: unknown): number {
  if (typeof code === 'number') return code;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return SIGNAL_BASE + (numbers[String(signal)] ?? 0);
}

async function readTail(path: string, from: number, bytes: number): Promise<string> {
  await using file = await open(path, 'a+');
  const { size } = await file.stat();
  const start = Math.max(from, size - bytes);
  if (start >= size) return '';
  const { buffer } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
  return buffer.toString();
}
