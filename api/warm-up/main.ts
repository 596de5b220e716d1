/**
 * Fills Node's compile cache while the image is built: an API runs against a port where nobody listens, until it has said so.
 * A start from the cache loads no compiler of TypeScript, which is 25 MiB of memory. Nothing of it runs in a pod.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { rootCertificates } from 'node:tls';

const NOBODY = { host: '127.0.0.1', port: '1' };
const LIMIT_MS = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'api-warm-up-'));
writeFileSync(join(folder, 'ca.crt'), rootCertificates[0] ?? '');
writeFileSync(join(folder, 'token'), 'token');
const api = spawn(process.execPath, [join(import.meta.dirname, '../main.ts')], {
  env: {
    ...process.env,
    HOST: NOBODY.host,
    PORT: '0',
    ADMIN_PORT: '0',
    SERVICE_ACCOUNT_DIR: folder,
    KUBERNETES_SERVICE_HOST: NOBODY.host,
    KUBERNETES_SERVICE_PORT: NOBODY.port,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
  timeout: LIMIT_MS,
  killSignal: 'SIGKILL',
});
const ended = once(api, 'exit');
const lines: string[] = [];
for await (const line of createInterface({ input: api.stdout })) {
  // A second signal would end it at once, without its cache.
  if (line.includes('watch interrupted') && !lines.some((earlier) => earlier.includes('watch interrupted')))
    api.kill('SIGTERM');
  lines.push(line);
}
const [code] = (await ended) as [number | null];
rmSync(folder, { recursive: true });
if (code !== 0) throw new Error(`the API ended with ${code}:\n${lines.join('\n')}`);
