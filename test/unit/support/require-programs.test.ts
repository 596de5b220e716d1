import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { skippedLines } from '#test/runner/skipped-tests.ts';

const MOCHA = resolve('node_modules/mocha/bin/mocha.js');
const MODULE = pathToFileURL(resolve('test/support/processes/require-programs.ts')).href;

const TESTS = `
  import { requirePrograms } from '${MODULE}';
  describe('a suite with a service', () => {
    before(function () { return requirePrograms(this, ['redis-server']); });
    it('one', () => undefined);
    describe('and a part', () => { it('two', () => undefined); });
  });
  it('runs a library', function () {
    return requirePrograms(this, ['here'], { command: ['here', '--library'], debianPackage: 'a-library' });
  });
  for (const name of ['three', 'four'])
    it(name, function () { return requirePrograms(this, ['here', '7zz', 'bsdtar']); });
  it('needs an installed program', function () { return requirePrograms(this, ['here', '/']); });
  it('is skipped for another reason', function () { this.skip(); });
`;

describe('requirePrograms', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zipjobs-require-'));
    await writeFile(join(folder, 'tests.mjs'), TESTS);
    await writeFile(join(folder, 'here'), '#!/bin/sh\nexit 1\n');
    await chmod(join(folder, 'here'), 0o755);
  });
  after(() => rm(folder, { recursive: true }));

  function runTests(env: Readonly<Record<string, string>>): Promise<string> {
    return new Promise((done) => {
      const args = [MOCHA, '--no-config', join(folder, 'tests.mjs')];
      execFile(process.execPath, args, { env: { PATH: folder, ...env } }, (_error, stdout) => done(stdout));
    });
  }

  it('skips tests with a missing program, and the test runner lists the packages', async () => {
    const output = await runTests({});
    expect(output)
      .to.match(/^ +1 passing/m)
      .and.not.match(/failing/);
    const skipped = { title: 'any', state: 'skipped', milliseconds: 0 } as const;
    const tests = Array.from({ length: 6 }, () => skipped);
    expect(skippedLines([{ file: 'tests.mjs', seconds: 1, output, tests }])).to.deep.equal([
      '  2 skipped: 7zz, bsdtar not found. Install with: apt-get install 7zip libarchive-tools',
      '  2 skipped: redis-server not found. Install with: apt-get install redis-server',
      '  1 skipped: a-library not found. Install with: apt-get install a-library',
      '  1 skipped: tests.mjs, for a reason that the test prints',
    ]);
  });

  it('fails in CI', async () => {
    const output = await runTests({ CI: 'true' });
    expect(output)
      .to.match(/^ +4 failing/m)
      .and.contain('Error: redis-server not found');
  });
});

describe('skippedLines', () => {
  const reason = 'unzip not found. Install with: apt-get install unzip';
  function fileThatSkips(count: number) {
    return {
      file: 'a.test.ts',
      seconds: 1,
      output: `      Skipped ${count} tests: ${reason}\n`,
      tests: Array.from(
        { length: count },
        () => ({ title: 'any', state: 'skipped', milliseconds: 0 }) as const,
      ),
    };
  }

  it('adds up skipped tests of several files by reason', () => {
    expect(skippedLines([fileThatSkips(1), fileThatSkips(12)])).to.deep.equal([`  13 skipped: ${reason}`]);
  });

  it('returns nothing if every test ran', () => {
    expect(skippedLines([{ file: 'a.test.ts', seconds: 1, output: '', tests: [] }])).to.deep.equal([]);
  });
});
