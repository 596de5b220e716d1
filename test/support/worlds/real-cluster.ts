import { NODE_ENV } from '#tools/real-node/environment.ts';
import { type RealCluster, startRealCluster } from '#tools/real-node/real-cluster.ts';

let started: Promise<RealCluster> | undefined;

/** Why there is no node on this machine. */
export function nodeUnavailable(): string | undefined {
  return process.env[NODE_ENV.unavailable];
}

/** Skips the tests that this hook belongs to on a machine without a node, also with `CI=true`. */
export function requireNode(hook: Mocha.Context): void {
  const reason = nodeUnavailable();
  if (reason === undefined) return;
  console.log(`      Skipped ${hook.test?.parent?.total() ?? 0} tests: ${reason}`);
  hook.skip();
}

/** The one cluster with a real node, started on first use. */
export function realCluster(): Promise<RealCluster> {
  started ??= startRealCluster((line) => process.stderr.write(`${line}\n`));
  return started;
}

/** Stops it if it was started. */
export async function stopRealCluster(): Promise<void> {
  const cluster = await started?.catch(() => undefined);
  started = undefined;
  await cluster?.[Symbol.asyncDispose]();
}
