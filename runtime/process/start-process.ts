import { warnOfUnsupported } from '../config/unsupported-settings.ts';
import { createLogger, type Logger, type LogLevel } from '../log/log.ts';
import { type Lifetime, run } from './lifecycle.ts';
import { assertTlsVerification } from './tls-verification.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface ProcessOptions<C extends { readonly logLevel: LogLevel }> {
  readonly name: string;
  readonly env: Env;
  readonly readConfig: (env: Env) => C;
  /** Runs the process and returns the exit code. */
  readonly serve: (config: C, log: Logger, lifetime: Lifetime) => Promise<number>;
  /** Time after a signal at which the process exits even if work is still active. */
  readonly shutdownTimeoutMs: (config: C) => number;
}

/** Runs a server process: reads its settings, then serves until a signal. Invalid settings end it with code 1 and a log line. */
export async function startProcess<C extends { readonly logLevel: LogLevel }>(
  options: ProcessOptions<C>,
): Promise<void> {
  const { name, env } = options;
  let config: C;
  try {
    assertTlsVerification(env);
    config = options.readConfig(env);
  } catch (error) {
    createLogger(name, { level: 'info' }).fatal({ err: error }, 'cannot start');
    process.exitCode = 1;
    return;
  }
  const log = createLogger(name, { level: config.logLevel });
  warnOfUnsupported(env, log);
  await run((lifetime) => options.serve(config, log, lifetime), {
    log,
    shutdownTimeoutMs: options.shutdownTimeoutMs(config),
  });
}
