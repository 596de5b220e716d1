import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);
const LIMIT_MS = 60_000;

describe('the warm-up of an image', function () {
  this.timeout(2 * LIMIT_MS);

  for (const folder of ['api', 'controller', 'dashboard'])
    it(`fills the compile cache and ends without an API server: ${folder}`, async () => {
      const cache = await mkdtemp(join(tmpdir(), 'zipjobs-warm-up-'));
      try {
        await run(process.execPath, [`${folder}/warm-up/main.ts`], {
          env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache },
          timeout: LIMIT_MS,
        });
        const files = await readdir(cache, { recursive: true });
        expect(files.length).to.be.greaterThan(100);
      } finally {
        await rm(cache, { recursive: true });
      }
    });
});
