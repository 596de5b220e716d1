import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';

const PROGRAM = resolve(import.meta.dirname, '../../api/command-line/zipjobs');

/** How a run of the command line ended. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Person {
  readonly kubeconfig: string;
  /** Where the program is started. */
  readonly cwd?: string;
}

/** Starts the real program as a person with this kubeconfig does, and waits for its end. */
export const runCommandLine = (person: Person, args: readonly string[]): Promise<Run> =>
  new Promise((done) => {
    const env = {
      PATH: `${join(resolve(import.meta.dirname, '../..'), 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: '/nonexistent',
      KUBECONFIG: person.kubeconfig,
    };
    const options = {
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      ...(person.cwd && { cwd: person.cwd }),
    } as const;
    const child = execFile(PROGRAM, [...args], options, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
    child.stdin?.end();
  });
