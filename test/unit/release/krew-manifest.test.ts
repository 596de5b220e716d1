import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse } from 'yaml';

const run = promisify(execFile);
const PLATFORMS = ['darwin-amd64', 'darwin-arm64', 'linux-amd64', 'linux-arm64'];

interface Manifest {
  readonly spec: {
    readonly version: string;
    readonly platforms: readonly {
      readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
    }[];
  };
}

describe('collect-command-line', () => {
  it('writes checksums, and the manifest of krew with the digests of the archives (X30)', async () => {
    const dist = await mkdtemp(join(tmpdir(), 'collect-'));
    try {
      for (const platform of PLATFORMS) {
        const folder = join(dist, `cli-${platform}`);
        await mkdir(folder);
        await writeFile(join(folder, `zipjobs-${platform}.tar.gz`), randomBytes(100));
        for (const file of ['zipjobs.cjs', 'THIRD-PARTY-LICENSES']) await writeFile(join(folder, file), file);
      }
      await run('.github/scripts/collect-command-line', ['acme/zipjobs', dist]);
      const cli = join(dist, 'cli');
      const { stdout } = await run('sha256sum', ['--check', '--strict', 'checksums.txt'], { cwd: cli });
      const digests = new Map(
        (await readFile(join(cli, 'checksums.txt'), 'utf8'))
          .trimEnd()
          .split('\n')
          .map((line) => line.split('  ').toReversed() as [string, string]),
      );
      expect(stdout.trimEnd().split('\n')).to.have.length(7);
      const { spec } = parse(await readFile(join(cli, 'zipjobs.yaml'), 'utf8')) as Manifest;
      expect(spec.version).to.match(/^v\d+\.\d+\.\d+$/);
      const expected = PLATFORMS.map((platform) => {
        const [os, arch] = platform.split('-');
        const archive = `zipjobs-${platform}.tar.gz`;
        return {
          selector: { matchLabels: { os, arch } },
          uri: `https://github.com/acme/zipjobs/releases/download/${spec.version}/${archive}`,
          sha256: digests.get(archive),
          bin: 'zipjobs',
        };
      });
      expect(spec.platforms).to.deep.equal(expected);
    } finally {
      await rm(dist, { recursive: true });
    }
  });
});
