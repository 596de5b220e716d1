/** An archive of more than 4 GiB in the readers that `npm run test:long` leaves out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBeyond4Gib, writeBeyond4Gib } from '#test/readers/beyond-4-gib.ts';

describe('archives around 4 GiB, in more readers', function () {
  this.timeout(600_000);
  let scratch = '';
  let path = '';
  let written: Awaited<ReturnType<typeof writeBeyond4Gib>>;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'zipjobs-boundaries-'));
    path = join(scratch, 'archive.zip');
    written = await writeBeyond4Gib(path);
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  readBeyond4Gib('in long runs', () => ({ ...written, scratch, path }));
});
