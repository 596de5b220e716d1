/** The store contract on MinIO, whose answers about checksums differ from those of versitygw. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CHECKS, runCheck } from '#test/store-contract/run-checks.ts';
import { createWorld, type World } from '#test/store-contract/world.ts';
import { startTestMinio } from '#test/support/servers/minio.ts';
import { createBucket } from '#tools/local-cluster/store.ts';

const BUCKET = 'contract';

/** As docs/stores.md says. */
const DIFFERS: readonly string[] = ['confirms serverSideEncryption AES256'];

describe('the store contract on MinIO', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  let world: World;
  before(async function () {
    const dir = await mkdtemp(join(tmpdir(), 'zipjobs-minio-contract-'));
    life.defer(() => rm(dir, { recursive: true, force: true }));
    await mkdir(join(dir, 'logs'));
    const minio = life.use(await startTestMinio(this, { dir }));
    await createBucket(minio, BUCKET);
    world = life.use(createWorld({ ...minio, bucket: BUCKET }));
  });
  after(() => life.disposeAsync());

  for (const check of CHECKS)
    it(`${check.name} (X53)`, async () => {
      const { verdict, detail } = await runCheck(check, world);
      expect(verdict, detail).to.equal(DIFFERS.includes(check.name) ? 'differs' : 'pass');
    });
});
