/** What verified parts cost at R2: as much as at other stores, because both verify CRC-32. */
import { expect } from 'chai';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { openOrigin } from '#test/bench/bench-world.ts';
import { measure } from '#test/bench/measured-run.ts';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { startR2Store } from '#test/support/servers/r2-store.ts';
import { sized } from '#test/support/sized.ts';

const MIB = 1024 ** 2;
const BYTES = sized(256, 1024) * MIB;
const BUCKET = 'archives';
const ROUNDS = 5;
/** Content-MD5 would cost twice as much as everything else together. */
const MOST_RATIO = 1.25;

describe('the CPU time of a zipper', function () {
  this.timeout(300_000);

  it('is the same at R2 and at S3 (U13)', async () => {
    await using r2 = await startR2Store(BUCKET);
    await using host = await ZipperHost.start();
    const bench = { name: 'r2', what: '', latencyMs: 0, files: [{ path: '0.bin', bytes: BYTES }] };
    await using origin = await openOrigin(bench, { plain: true });
    async function cpuSeconds(bucket: TaskBucket): Promise<number> {
      const program = await host.prepare({
        endpoint: '',
        bucket: BUCKET,
        key: 'a.zip',
        accessKeyId: r2.store.accessKeyId,
        secretAccessKey: r2.store.secretAccessKey,
        files: [{ url: `${origin.url}0.bin`, filename: '0.bin' }],
        task: { bucket },
        env: { NODE_EXTRA_CA_CERTS: r2.caFile },
      });
      return (await measure(program)).cpuSeconds;
    }
    const all: { readonly r2: number; readonly s3: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      all.push({
        r2: await cpuSeconds({ service: 'r2', name: BUCKET, host: r2.host }),
        s3: await cpuSeconds({ service: 's3', name: BUCKET, region: 'auto', endpoint: `https://${r2.host}` }),
      });
    // Other load only adds CPU time, so the smallest of the rounds is compared.
    const atR2 = Math.min(...all.map((one) => one.r2));
    const atS3 = Math.min(...all.map((one) => one.s3));
    const perGib = (1024 * MIB) / BYTES;
    console.log(
      `      ${(atR2 * perGib).toFixed(2)} and ${(atS3 * perGib).toFixed(2)} CPU s/GiB: ratio ${(atR2 / atS3).toFixed(2)}`,
    );
    expect(r2.rules.checksums).to.deep.equal(['x-amz-checksum-crc32']);
    expect(atR2 / atS3).to.be.at.most(MOST_RATIO);
  });
});
