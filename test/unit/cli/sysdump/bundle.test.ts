import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createBundle } from '#cli/sysdump/bundle.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';

const DATE = new Date('2026-05-04T03:02:01Z');

describe('createBundle', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'bundle-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  it('writes one zip, readable by its owner only, and renames it when it is complete', async () => {
    const path = join(dir, 'dump.zip');
    await using bundle = createBundle({ path, maxBytes: 1_000, date: DATE });
    expect(await bundle.add('a/b.txt', 'text')).to.equal(true);
    expect(await readdir(dir)).not.to.include('dump.zip');
    await bundle.finish();
    expect(await readdir(dir)).to.deep.equal(['dump.zip']);
    expect((await stat(path)).mode & 0o777).to.equal(0o600);
    const { entries } = readZip(await readFile(path));
    expect(entries.map((entry) => [entry.name, contentOf(entry).toString()])).to.deep.equal([
      ['a/b.txt', 'text'],
    ]);
  });

  it('refuses files above the size limit, except required files', async () => {
    await using bundle = createBundle({ path: join(dir, 'dump.zip'), maxBytes: 10, date: DATE });
    expect(await bundle.add('large', 'x'.repeat(11))).to.equal(false);
    expect(await bundle.add('small', 'x'.repeat(10))).to.equal(true);
    await bundle.addAlways('errors.txt', 'large is missing');
    await bundle.finish();
    const { entries } = readZip(await readFile(join(dir, 'dump.zip')));
    expect(entries.map(({ name }) => name)).to.deep.equal(['small', 'errors.txt']);
  });

  it('removes the temporary file when it is disposed before the end', async () => {
    {
      await using bundle = createBundle({ path: join(dir, 'dump.zip'), maxBytes: 1e6, date: DATE });
      await bundle.add('a', 'x'.repeat(100_000));
    }
    expect(await readdir(dir)).to.deep.equal([]);
  });

  it('fails if the file cannot be written', async () => {
    const path = join(dir, 'no-such-folder', 'dump.zip');
    await using bundle = createBundle({ path, maxBytes: 1e6, date: DATE });
    const error: unknown = await bundle.add('a', 'x').catch((reason: unknown) => reason);
    const late: unknown = await bundle.finish().catch((reason: unknown) => reason);
    expect([error, late].some((one) => one instanceof Error && one.message.includes('ENOENT'))).to.equal(
      true,
    );
  });
});
