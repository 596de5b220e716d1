import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureBinaries, ensureProgram } from './binaries.ts';
import type { Log, StoreAccess } from './cluster-types.ts';
import { freePorts } from './free-ports.ts';
import { MINIO_PROGRAM } from './go-programs.ts';
import { ServerProcess } from './server-process.ts';
import { type StoreTls, untilHealthy } from './store.ts';

/** The tokens that MinIO accepts for sessions. */
export interface MinioIdentity {
  /** URL of the OpenID configuration of the issuer. */
  readonly openIdConfigUrl: string;
  /** Audience that such a token must have. */
  readonly audience: string;
  /** Policy of MinIO that every session has. */
  readonly policy: string;
}

export interface MinioOptions {
  /** Folder of the cluster. MinIO keeps its objects in a new folder in it, which it removes. */
  readonly dir: string;
  /** Absent: only its root user has access. */
  readonly identity?: MinioIdentity;
  /** Name of its key for SSE-S3 and SSE-KMS. Absent: it refuses both. */
  readonly kmsKey?: string;
  /** Speaks HTTPS instead of HTTP. */
  readonly tls?: StoreTls;
  readonly log: Log;
}

const READY_LIMIT_MS = 60_000;
const REGION = 'us-east-1';

function identityEnv(identity: MinioIdentity | undefined): Readonly<Record<string, string>> {
  return identity === undefined
    ? {}
    : {
        MINIO_IDENTITY_OPENID_CONFIG_URL: identity.openIdConfigUrl,
        MINIO_IDENTITY_OPENID_CLIENT_ID: identity.audience,
        MINIO_IDENTITY_OPENID_ROLE_POLICY: identity.policy,
      };
}

/** Starts MinIO, whose endpoint is also its security token service. The first start on a machine builds it. */
export async function startMinio(options: MinioOptions): Promise<AsyncDisposable & StoreAccess> {
  const { dir, log, tls } = options;
  const [{ cluster: launcher }, binary] = await Promise.all([
    ensureBinaries(log),
    ensureProgram(MINIO_PROGRAM, log),
  ]);
  const folder = join(dir, `minio-${randomBytes(4).toString('hex')}`);
  const certificates = join(folder, 'certificates');
  await Promise.all([
    mkdir(join(folder, 'objects'), { recursive: true }),
    mkdir(certificates, { recursive: true }),
  ]);
  if (tls)
    await Promise.all([
      copyFile(tls.certificatePath, join(certificates, 'public.crt')),
      copyFile(tls.keyPath, join(certificates, 'private.key')),
    ]);
  const [port = 0] = await freePorts(1);
  const endpoint = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const accessKeyId = `LOCAL${randomBytes(7).toString('hex').toUpperCase()}`;
  const secretAccessKey = randomBytes(30).toString('base64url');
  const address = `127.0.0.1:${port}`;
  const process = await ServerProcess.start({
    name: 'minio',
    launcher,
    command: [
      binary,
      'server',
      '--quiet',
      '--address',
      address,
      '--certs-dir',
      certificates,
      join(folder, 'objects'),
    ],
    logPath: join(dir, 'logs', 'minio.log'),
    env: {
      MINIO_ROOT_USER: accessKeyId,
      MINIO_ROOT_PASSWORD: secretAccessKey,
      ...identityEnv(options.identity),
      ...(options.kmsKey !== undefined && {
        MINIO_KMS_SECRET_KEY: `${options.kmsKey}:${randomBytes(32).toString('base64')}`,
      }),
      MINIO_BROWSER: 'off',
      // It would ask for a newer version.
      MINIO_UPDATE: 'off',
    },
  });
  const access = {
    endpoint,
    accessKeyId,
    secretAccessKey,
    region: REGION,
    ...(tls && { authority: tls.authority }),
  };
  async function stop(): Promise<void> {
    await process.kill();
    await rm(folder, { recursive: true, force: true });
  }
  try {
    await untilHealthy(process, access, { path: '/minio/health/ready', limitMs: READY_LIMIT_MS });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...access, [Symbol.asyncDispose]: stop };
}
