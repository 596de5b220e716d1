import { format } from 'node:util';
import type { Logger } from '#runtime/log/log.ts';

/**
 * Libraries print warnings with `console`, and Node those of the process, as plain lines between our JSON lines. They go to the
 * log instead. Call this before the libraries are loaded, because some keep the functions of `console`.
 */
export function logConsole(log: Logger): void {
  function warn(...values: readonly unknown[]): void {
    log.warn({ console: format(...values) }, 'a library printed a line');
  }
  for (const name of ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const) console[name] = warn;
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js emitted a warning'));
}
