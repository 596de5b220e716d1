/**
 * Fills Node's compile cache during the image build: runs two zippers against a port without a listener, so that all
 * code before the first response of the API server and of the store is compiled and cached. Not used in pods.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { BUCKET_SECRET_KEYS, CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { ZipperTask } from '#crds/zipper-task.ts';

const NO_API_SERVER = { host: '127.0.0.1', port: '1' };
const { service, name } = { service: 's3', name: 'bucket' } as const;
const base = {
  contractVersion: CONTRACT_VERSION,
  bucket: { service, name, endpoint: `http://${NO_API_SERVER.host}:${NO_API_SERVER.port}` },
  settings: { storeRetryLimitMs: 0 },
};
const TASKS: readonly ZipperTask[] = [
  { ...base, mode: 'check-bucket' },
  {
    ...base,
    mode: 'archive',
    namespace: 'warm-up',
    zipJob: 'warm-up',
    zipJobUid: 'warm-up',
    key: 'a.zip',
    compression: 'store',
    onConflict: 'replace',
    defaultModificationTime: new Date(0).toISOString(),
    files: { from: 'inline', count: 1 },
    startDeadlineSeconds: 0,
    activeDeadlineSeconds: 60,
  },
];
const EXPECTED: readonly number[] = [
  EXIT_CODES.ok,
  EXIT_CODES.storeUnavailable,
  EXIT_CODES.notActive,
  EXIT_CODES.apiServerUnavailable,
];

const folder = mkdtempSync(join(tmpdir(), 'zipper-warm-up-'));

function write(file: string, text: string): string {
  writeFileSync(join(folder, file), text);
  return join(folder, file);
}

write('ca.crt', rootCertificates[0] ?? '');
write('token', 'token');
for (const key of Object.values(BUCKET_SECRET_KEYS)) write(key, 'warm-up');
for (const task of TASKS) {
  const env = {
    ...process.env,
    TASK_FILE: write('task.json', JSON.stringify(task)),
    BUCKET_DIR: folder,
    SERVICE_ACCOUNT_DIR: folder,
    TERMINATION_LOG: join(folder, 'termination'),
    POD_UID: 'warm-up',
    KUBERNETES_SERVICE_HOST: NO_API_SERVER.host,
    KUBERNETES_SERVICE_PORT: NO_API_SERVER.port,
    STORE_ALLOW_CIDRS: '127.0.0.0/8',
    STORE_ALLOWED_HOSTS: NO_API_SERVER.host,
    STORE_ALLOW_HTTP: 'true',
  };
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, '../main.ts')], { env });
  if (status === null || !EXPECTED.includes(status))
    throw new Error(`the ${task.mode} zipper ended with ${status}: ${stdout.toString()}`);
}

rmSync(folder, { recursive: true });
