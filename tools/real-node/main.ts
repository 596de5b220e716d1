/**
 * Runs a command where a node can start: `main.ts PROGRAM ARGUMENTS`. Installs and builds what the node needs, creates namespaces,
 * and removes everything afterwards. If this machine cannot run a node, the command runs without one and finds the reason in its env.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries, ensureProgram } from '../local-cluster/binaries.ts';
import { NAMESPACES, whyNotAllowed, whyRefused } from './capabilities.ts';
import { createCgroup } from './cgroups.ts';
import { NODE_ENV } from './environment.ts';
import { buildImages, imageCache } from './images.ts';
import { NODE_PROGRAM } from './node-program.ts';
import { ensurePackages } from './packages.ts';
import { openRunDir } from './run-dir.ts';

/** A run takes six minutes, and hours with archives of full size. */
const COMMAND_LIMIT_MS = Number(process.env['ZIPJOBS_NODE_LIMIT_MINUTES'] ?? 25) * 60_000;

function log(line: string): void {
  console.log(line);
}

async function run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
    timeout: COMMAND_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  // Ctrl-C reaches the command too, which then ends by itself.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGKILL'));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
}

async function runOnNode(command: readonly string[]): Promise<number> {
  const { cluster: launcher, store } = await ensureBinaries(log);
  await ensureProgram(NODE_PROGRAM, log);
  await using dir = await openRunDir();
  const images = await buildImages({ cache: await imageCache(), dir: dir.path, store }, log);
  await using _cgroup = await createCgroup(dir.name);
  const enter = ['sh', join(import.meta.dirname, 'enter.sh'), ...command];
  // The launcher ends the namespaces with this process, even if it is killed.
  return await run([launcher, 'run', '/usr/bin/env', 'unshare', ...NAMESPACES, ...enter], {
    // Outside, a process with the same ID may own a folder in the system's own.
    TMPDIR: dir.temporary,
    [NODE_ENV.dir]: dir.path,
    [NODE_ENV.cgroup]: dir.name,
    [NODE_ENV.images]: images,
  });
}

async function whyUnavailable(): Promise<string | undefined> {
  const reason = whyNotAllowed();
  if (reason !== undefined) return reason;
  await ensurePackages(log);
  return whyRefused();
}

async function main(command: readonly string[]): Promise<number> {
  const reason = await whyUnavailable();
  if (reason === undefined) return runOnNode(command);
  log(`Skipped: ${reason}`);
  return run(command, { [NODE_ENV.unavailable]: reason });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
