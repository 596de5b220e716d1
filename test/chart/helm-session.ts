/** helm in one process for all test files: the start of a process takes longer than to render the chart. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { processResources } from '#test/support/process-resources.ts';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';

/** The response of tools/local-cluster/go/helm.go to a line of arguments. */
interface Result {
  readonly output: string;
  /** Empty after success. */
  readonly error: string;
}

type RunHelm = (args: readonly string[]) => Promise<string>;

async function start(): Promise<RunHelm> {
  const { cluster } = await ensureBinaries((line) => process.stderr.write(`${line}\n`));
  const child = spawn(cluster, ['helm-lines'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const waiting: PromiseWithResolvers<string>[] = [];
  createInterface(child.stdout).on('line', (line) => {
    const { output, error } = JSON.parse(line) as Result;
    const next = waiting.shift();
    if (error === '') next?.resolve(output);
    else next?.reject(new Error(`helm: ${error}`));
  });
  child.once('close', (code) => {
    for (const { reject } of waiting) reject(new Error(`helm ended with ${code}`));
  });
  // It ends with its standard input, at the latest when this process ends.
  child.unref();
  processResources.defer(async () => {
    child.ref();
    child.stdin.end();
    await ended;
  });
  return (args) => {
    const result = Promise.withResolvers<string>();
    waiting.push(result);
    child.stdin.write(`${JSON.stringify(args)}\n`);
    return result.promise;
  };
}

let started: Promise<RunHelm> | undefined;

/**
 * Runs the helm of the local cluster without a cluster; the first call on a machine builds it.
 * @throws Error with its message
 */
export const helm: RunHelm = async (args) => (await (started ??= start()))(args);
