import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rootCertificates } from 'node:tls';

const NOBODY = { host: '127.0.0.1', port: '1' };
const LIMIT_MS = 120_000;

/**
 * Fills Node's compile cache while an image is built: a server runs against an API server that nobody is, until it has said
 * so. A start from the cache loads no compiler of TypeScript, which is 25 MiB of memory. Nothing of it runs in a pod.
 * @throws Error with what the server printed, when it does not end well.
 */
export const warmUp = async (main: string, env: Readonly<Record<string, string>>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'warm-up-'));
  writeFileSync(join(folder, 'ca.crt'), rootCertificates[0] ?? '');
  writeFileSync(join(folder, 'token'), 'token');
  const server = spawn(process.execPath, [main], {
    env: {
      ...env,
      HOST: NOBODY.host,
      ADMIN_PORT: '0',
      SERVICE_ACCOUNT_DIR: folder,
      KUBERNETES_SERVICE_HOST: NOBODY.host,
      KUBERNETES_SERVICE_PORT: NOBODY.port,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(server, 'exit');
  const lines: string[] = [];
  const saysSo = (line: string): boolean => line.includes('watch interrupted');
  for await (const line of createInterface({ input: server.stdout })) {
    // A second signal would end it at once, without its cache.
    if (saysSo(line) && !lines.some(saysSo)) server.kill('SIGTERM');
    lines.push(line);
  }
  const [code] = (await ended) as [number | null];
  rmSync(folder, { recursive: true });
  if (code !== 0) throw new Error(`${main} ended with ${code}:\n${lines.join('\n')}`);
};
