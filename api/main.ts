import { serveRequests, shutdownLimitMs } from '#runtime/http/serve-requests.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { startProcess } from '#runtime/process/start-process.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import { createParts, NAME } from './wiring.ts';

async function serve(config: ApiConfig, log: Logger, lifetime: Lifetime): Promise<number> {
  await serveRequests(await createParts(config, log, lifetime), lifetime);
  return 0;
}

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readApiConfig,
  serve,
  shutdownTimeoutMs: shutdownLimitMs,
});
