import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { ZipArchive } from 'archiver';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';

export interface RecipeJob {
  readonly store: StoreAccess;
  readonly bucket: string;
  readonly key: string;
  readonly files: readonly { readonly url: string; readonly filename: string }[];
}

async function bodyOf(url: string): Promise<Readable> {
  const response = await fetch(url);
  if (!response.ok || response.body === null)
    throw new Error(`the recipe's source returned ${response.status}`);
  return Readable.fromWeb(response.body);
}

/**
 * The usual way to zip remote files into a bucket with Node: fetch, archiver, lib-storage, one file after the
 * other, without compression (archiver's fastest setting). The oracle of the differential tests and a peer of
 * the benchmarks.
 */
export async function zipByRecipe(job: RecipeJob): Promise<void> {
  const { store, bucket, key } = job;
  const client = new S3Client({
    endpoint: store.endpoint,
    region: store.region,
    forcePathStyle: true,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
  });
  const archive = new ZipArchive({ store: true });
  // lib-storage requires node:stream's Readable, which archiver's is not.
  const body = archive.pipe(new PassThrough());
  const upload = new Upload({ client, params: { Bucket: bucket, Key: key, Body: body } }).done();
  try {
    for (const { url, filename } of job.files) {
      const entry = once(archive, 'entry');
      archive.append(await bodyOf(url), { name: filename });
      await entry;
    }
    await archive.finalize();
    await upload;
  } finally {
    client.destroy();
  }
}
