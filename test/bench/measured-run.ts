import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

export interface Program {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly wallSeconds: number;
  /** User and system time of the process and of its finished children. */
  readonly cpuSeconds: number;
  /** Peak resident memory, as counted by the kernel. */
  readonly peakBytes: number;
  /** The end of what it printed. */
  readonly output: string;
}

const SAMPLE_MS = 20;
/**
 * The shell runs the program and prints the kernel's count of its time on file descriptor 3, in the format of
 * POSIX `times`. Bash prints milliseconds, other shells hundredths of a second.
 */
const SHELL = '"$@" 3>&-; code=$?; times >&3; exit $code';
const TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s/g;

function secondsOf(times: string): number {
  const [, ofChildren] = [...times.matchAll(TIMES)];
  if (!ofChildren) throw new Error(`the shell printed no times: ${times}`);
  const [, userMinutes, user, systemMinutes, system] = ofChildren.map(Number);
  return 60 * ((userMinutes ?? 0) + (systemMinutes ?? 0)) + (user ?? 0) + (system ?? 0);
}

function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** Peak resident memory of a process, in bytes; 0 after it has ended. */
async function peakMemoryOf(pid: number): Promise<number> {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Watches the only child of the shell until stopped. The peak only rises, so the last reading counts. */
function watchPeak(shell: number): () => number {
  let peak = 0;
  async function readPeak(): Promise<void> {
    const [child] = (await read(`/proc/${shell}/task/${shell}/children`)).trim().split(' ');
    if (child) peak = Math.max(peak, await peakMemoryOf(Number(child)));
  }
  const timer = setInterval(() => void readPeak(), SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/**
 * Runs a program to its end.
 * @throws Error with the end of its output when it fails.
 */
export async function measure({ command, env }: Program): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn('bash', ['-c', SHELL, 'bash', ...command], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const texts = ['', '', '', ''];
  for (const [index, stream] of child.stdio.entries())
    stream?.on('data', (chunk: Buffer) => {
      texts[index] = `${texts[index]}${chunk.toString()}`.slice(-4000);
    });
  const peak = watchPeak(child.pid ?? 0);
  const [code] = (await once(child, 'close')) as [number | null];
  const wallSeconds = (performance.now() - startedAt) / 1000;
  const peakBytes = peak();
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${texts[1]}\n${texts[2]}`);
  return { wallSeconds, cpuSeconds: secondsOf(texts[3] ?? ''), peakBytes, output: texts[1] ?? '' };
}
