import type { Logger } from './log.ts';

export interface Lifetime {
  /** Aborted by the first SIGTERM or SIGINT: finish what is in hand, take nothing new. */
  readonly stopping: AbortSignal;
  /** Everything acquired goes here; released last-in first-out when the process ends. */
  readonly resources: AsyncDisposableStack;
}

export interface RunOptions {
  readonly log: Logger;
  /** After this long since the signal the process ends whatever is still running. */
  readonly shutdownTimeoutMs: number;
  /** Exit code when `main` throws. */
  readonly failureExitCode?: (error: unknown) => number;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs a process: signals become an AbortSignal, acquired resources are released in reverse order, and the exit code says
 * how it went. A second signal, or a shutdown that takes too long, ends the process at once with code 1.
 */
export const run = async (
  main: (lifetime: Lifetime) => Promise<number>,
  options: RunOptions,
): Promise<void> => {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(1);
    options.log.info({ signal }, 'stopping');
    stop.abort(new DOMException(`received ${signal}`, 'AbortError'));
    setTimeout(() => {
      options.log.error({ shutdownTimeoutMs: options.shutdownTimeoutMs }, 'shutdown timed out');
      process.exit(1);
    }, options.shutdownTimeoutMs).unref();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    await using resources = new AsyncDisposableStack();
    process.exitCode = await main({ stopping: stop.signal, resources });
  } catch (error) {
    options.log.fatal({ err: error }, 'exiting after an error');
    process.exitCode = options.failureExitCode?.(error) ?? 1;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
};
