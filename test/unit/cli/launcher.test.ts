import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

/** A checkout with only the launcher, and a fake Node of this version that prints its arguments. */
async function checkout(dir: string, version: string): Promise<string> {
  const program = join(dir, 'cli', 'zipjobs');
  await mkdir(join(dir, 'cli'));
  await mkdir(join(dir, 'bin'));
  await copyFile('cli/zipjobs', program);
  await chmod(program, 0o755);
  const node = join(dir, 'bin', 'node');
  await writeFile(node, `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "$@"; fi\n`);
  await chmod(node, 0o755);
  // npm creates this link.
  await symlink('../cli/zipjobs', join(dir, 'bin', 'zipjobs'));
  return join(dir, 'bin', 'zipjobs');
}

describe('cli/zipjobs', function () {
  this.timeout(60_000);
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'launcher-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function run(version: string) {
    const program = await checkout(dir, version);
    const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin` };
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
      const child = execFile(program, ['project', 'list', 'a b'], { env }, (_error, stdout, stderr) => {
        done({ code: child.exitCode, stdout, stderr });
      });
    });
  }

  for (const version of ['v20.20.2', 'v24.11.9'])
    it(`asks for a newer Node with ${version}`, async () => {
      const { code, stdout, stderr } = await run(version);
      expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
      expect(stderr).to.match(
        /^zipjobs: Node\.js v2\S+ is too old\. Install Node\.js 24\.12 or newer, or run 'npm ci' in /,
      );
    });

  for (const version of ['v24.12.0', 'v26.0.0'])
    it(`starts the program with Node ${version}`, async () => {
      const { code, stdout, stderr } = await run(version);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.match(/cli\/main\.ts project list a b\n$/);
    });
});
