import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ClusterError } from './cluster-error.ts';
import type { Cluster, CommandOptions, CommandResult } from './cluster-types.ts';

export interface ToolsOptions {
  /** The program with this tool. */
  readonly kubectl: string;
  readonly helm: string;
  readonly dir: string;
  readonly kubeconfigPath: string;
}

/** kubectl and helm. They ignore the configuration of the user who runs them. */
export function createTools(options: ToolsOptions): Pick<Cluster, 'kubectl' | 'helm'> {
  return {
    kubectl: (args, call) => runTool('kubectl', args, { ...options, call: call ?? {} }),
    helm: (args, call) => runTool('helm', args, { ...options, call: call ?? {} }),
  };
}

/** Writes `kubectl` and `helm` as commands for a shell. Returns the folder for PATH. */
export async function writeToolShims(options: ToolsOptions): Promise<string> {
  const folder = join(options.dir, 'bin');
  await mkdir(folder, { recursive: true });
  for (const tool of ['kubectl', 'helm'] as const) {
    const settings = Object.entries(toolEnv(options)).map(([name, value]) => `export ${name}='${value}'`);
    const path = join(folder, tool);
    await writeFile(path, ['#!/bin/sh', ...settings, `exec '${options[tool]}' ${tool} "$@"`, ''].join('\n'));
    await chmod(path, 0o755);
  }
  return folder;
}

async function runTool(
  tool: 'kubectl' | 'helm',
  args: readonly string[],
  options: ToolsOptions & { readonly call: CommandOptions },
): Promise<CommandResult> {
  const { call } = options;
  const kubeconfigPath = call.kubeconfig ?? options.kubeconfigPath;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(options.dir, 'home'),
    ...toolEnv({ ...options, kubeconfigPath }),
  };
  const child = spawn(options[tool], [tool, ...args], { env, stdio: 'pipe' });
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
  // If a tool exits without reading its input, only its exit code counts.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input ?? '');
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (exitCode !== 0 && call.allowFailure !== true) {
    throw new ClusterError(`${tool} ${args.join(' ')} ended with code ${exitCode}:\n${stderr}${stdout}`);
  }
  return { stdout, stderr, exitCode };
}

function toolEnv(options: ToolsOptions): Record<string, string> {
  const home = join(options.dir, 'home');
  return {
    KUBECONFIG: options.kubeconfigPath,
    KUBECACHEDIR: join(home, 'kubectl'),
    HELM_CACHE_HOME: join(home, 'helm', 'cache'),
    HELM_CONFIG_HOME: join(home, 'helm', 'config'),
    HELM_DATA_HOME: join(home, 'helm', 'data'),
  };
}
