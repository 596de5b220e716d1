import type { Logger } from '../log/log.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';

export interface Lifetime {
  /** Aborted by the first SIGTERM or SIGINT: finish active work and accept no more. */
  readonly stopping: AbortSignal;
  /** Acquired resources, released in reverse order when the process ends. */
  readonly resources: AsyncDisposableStack;
}

export interface RunOptions {
  readonly log: Logger;
  /** Time after the signal at which the process exits even if work is still active. */
  readonly shutdownTimeoutMs: number;
  /** Exit code if `main` throws. */
  readonly failureExitCode?: (error: unknown) => number;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Without a listener, a signal that arrives while Node exits would replace the exit code. */
function exitNow(): void {
  process.exit();
}

/**
 * Runs a process: converts signals to an AbortSignal, releases resources in reverse order, and sets the exit code. A
 * second signal, or a shutdown that takes too long, ends the process immediately with code 1.
 */
export async function run(main: (lifetime: Lifetime) => Promise<number>, options: RunOptions): Promise<void> {
  const stop = new AbortController();
  function onSignal(signal: NodeJS.Signals): void {
    if (stop.signal.aborted) process.exit(1);
    options.log.info({ signal }, 'stopping');
    stop.abort(new DOMException(`received ${signal}`, 'AbortError'));
    // The time is a sum of settings.
    const limitMs = Math.min(LONGEST_TIMER_MS, options.shutdownTimeoutMs);
    setTimeout(() => {
      options.log.error({ shutdownTimeoutMs: limitMs }, 'shutdown timed out');
      process.exit(1);
    }, limitMs).unref();
  }
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    await using resources = new AsyncDisposableStack();
    process.exitCode = await main({ stopping: stop.signal, resources });
  } catch (error) {
    options.log.fatal({ err: error }, 'exiting after an error');
    process.exitCode = options.failureExitCode?.(error) ?? 1;
  } finally {
    // In this order, because Node restores the default action when the last listener is removed.
    for (const signal of SIGNALS) process.on(signal, exitNow).off(signal, onSignal);
  }
}
