import { createHash } from 'node:crypto';
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import { type MinioOptions, startMinio } from '#tools/local-cluster/minio.ts';
import type { IssuerFront } from './issuer-front.ts';

/** The audience of tokens for MinIO. */
export const AUDIENCE = 'sts.min.io';
/** MinIO derives the ARN of its role from the audience. */
export const ROLE = `arn:minio:iam:::role/${createHash('sha1').update(AUDIENCE).digest('base64url')}`;

export type Minio = Awaited<ReturnType<typeof startMinio>>;

export interface TestMinioOptions extends Pick<MinioOptions, 'dir' | 'tls'> {
  readonly issuer: IssuerFront;
  /** Number of tests that are skipped without MinIO. */
  readonly tests: number;
}

/** Starts MinIO, which trusts this issuer. Undefined without a way to build it, except in CI. */
export const startTestMinio = async ({
  issuer,
  tests,
  ...options
}: TestMinioOptions): Promise<Minio | undefined> => {
  try {
    return await startMinio({
      ...options,
      openIdConfigUrl: issuer.openIdConfigUrl,
      audience: AUDIENCE,
      policy: 'readwrite',
      log: (line) => process.stderr.write(`${line}\n`),
    });
  } catch (error) {
    if (process.env['CI'] === 'true' || !(error instanceof ClusterError)) throw error;
    console.log(`      Skipped ${tests} tests: ${error.message}`);
    return undefined;
  }
};
