/** The store contract, with the zipper's uploader, recovery and bucket check, on a real S3 server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CHECKS, runCheck } from '#test/store-contract/run-checks.ts';
import { createWorld, type World } from '#test/store-contract/world.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';

const BUCKET = 'zipper-store';
const run = promisify(execFile);

/** As docs/stores.md says. */
const DIFFERS: readonly string[] = ['confirms serverSideEncryption AES256'];

describe('the store contract on a real S3 server', function () {
  this.timeout(300_000);
  let world: World;
  before(async () => {
    const cluster = await sharedCluster();
    await cluster.createBucket(BUCKET);
    world = createWorld({ ...cluster.store, bucket: BUCKET });
  });
  after(async () => {
    await world.removeAll();
    world[Symbol.dispose]();
  });

  for (const check of CHECKS)
    it(`${check.name} (X53)`, async () => {
      const { verdict, detail } = await runCheck(check, world);
      expect(verdict, detail).to.equal(DIFFERS.includes(check.name) ? 'differs' : 'pass');
    });

  it('runs as a command, which prints and writes the results and no key (X53)', async () => {
    const { endpoint, region, accessKeyId, secretAccessKey } = world.target;
    const dir = await mkdtemp(join(tmpdir(), 'store-contract-'));
    const json = join(dir, 'results.json');
    const flags = ['--endpoint', endpoint, '--region', region, '--bucket', BUCKET, '--json', json];
    const env = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
    try {
      const { stdout, stderr } = await run(process.execPath, ['test/store-contract/main.ts', ...flags], {
        env,
      });
      const written = await readFile(json, 'utf8');
      expect(stdout)
        .to.contain(`pass    ${CHECKS[0]?.name}`)
        .and.contain(' 0 fail: zipjobs can use this store');
      expect(JSON.parse(written)).to.have.property('results').with.lengthOf(CHECKS.length);
      for (const key of [accessKeyId, secretAccessKey])
        expect(`${stdout}${stderr}${written}`).to.not.contain(key);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('leaves no object and no upload behind (X53)', async () => {
    await world.removeAll();
    expect([await world.reader.keys(), await world.reader.openUploads()]).to.deep.equal([[], []]);
  });
});
