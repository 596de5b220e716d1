import yauzl from 'yauzl';

export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

/**
 * Returns every entry of an archive in the order of its directory, with an independent reader that checks
 * sizes and CRCs.
 */
export async function zipEntries(archive: Buffer): Promise<readonly ZipEntry[]> {
  const zip = await yauzl.fromBufferPromise(archive, { lazyEntries: true });
  const entries: ZipEntry[] = [];
  for await (const entry of zip.eachEntry()) {
    const chunks = (await (await zip.openReadStreamPromise(entry)).toArray()) as Buffer[];
    entries.push({ name: entry.fileName, content: Buffer.concat(chunks) });
  }
  return entries;
}
