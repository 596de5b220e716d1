import { createHash } from 'node:crypto';
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { type MinioOptions, startMinio } from '#tools/local-cluster/minio.ts';
import { skipTests } from '../processes/require-programs.ts';
import type { IssuerFront } from './issuer-front.ts';

/** The audience of tokens for MinIO. */
export const AUDIENCE = 'sts.min.io';
/** MinIO derives the ARN of its role from the audience. */
export const ROLE = `arn:minio:iam:::role/${createHash('sha1').update(AUDIENCE).digest('base64url')}`;

export type Minio = Awaited<ReturnType<typeof startMinio>>;

export interface TestMinioOptions extends Pick<MinioOptions, 'dir' | 'tls' | 'kmsKey'> {
  /** The issuer that it trusts. */
  readonly issuer?: IssuerFront;
}

/** Skips the tests without a way to build MinIO. */
export async function startTestMinio(
  context: Mocha.Context,
  { issuer, ...options }: TestMinioOptions,
): Promise<Minio> {
  try {
    return await startMinio({
      ...options,
      ...(issuer && {
        identity: { openIdConfigUrl: issuer.openIdConfigUrl, audience: AUDIENCE, policy: 'readwrite' },
      }),
      log: (line) => process.stderr.write(`${line}\n`),
    });
  } catch (error) {
    if (error instanceof ClusterError) skipTests(context, error.message);
    throw error;
  }
}
