import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
}

/** A package in an SBOM of the format CycloneDX. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  readonly properties: readonly { readonly name: string }[];
}

async function filesNamed(name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of glob(`**/${name}`, { exclude: (entry) => entry === 'node_modules' }))
    found.push(path);
  return found.toSorted();
}

async function readPackages(path: string): Promise<readonly (readonly [string, LockedPackage])[]> {
  const lock = JSON.parse(await readFile(path, 'utf8')) as { packages: Record<string, LockedPackage> };
  // The key of the project itself is empty.
  return Object.entries(lock.packages).filter(([name]) => name !== '');
}

async function linesOf(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8')).split('\n').map((line) => line.trim());
}

/** `name v1.2.3`, and `name => other v1.2.3`. */
const REQUIRED = /^(?:require )?(\S+ v\S+)/;
const REPLACED = /^(?:replace )?(\S+)(?: v\S+)? => (\S+ v\S+)$/;

describe('lock files', () => {
  it('have a digest for every npm package, and name no registry (N17)', async () => {
    const paths = await filesNamed('package-lock.json');
    expect(paths).to.include('package-lock.json');
    for (const path of paths) {
      const packages = await readPackages(path);
      const faulty = packages.filter(
        ([, { integrity = '' }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
      );
      expect(
        faulty.map(([name]) => name),
        path,
      ).to.deep.equal([]);
      expect(
        packages.filter(([, { resolved }]) => resolved !== undefined),
        path,
      ).to.deep.equal([]);
    }
  });

  it('have a digest for every Go module (N17)', async () => {
    const paths = await filesNamed('go.mod');
    expect(paths).to.not.deep.equal([]);
    for (const path of paths) {
      const sumPath = join(dirname(path), 'go.sum');
      // A module without dependencies has none.
      const sums = existsSync(sumPath) ? await linesOf(sumPath) : [];
      const known = new Set(
        sums.flatMap((line) => /^(\S+ \S+) h1:[A-Za-z0-9+/]{43}=$/.exec(line)?.[1] ?? []),
      );
      const lines = await linesOf(path);
      const replacements = new Map(
        lines.flatMap((line) => {
          const [, name, target] = REPLACED.exec(line) ?? [];
          return name === undefined || target === undefined ? [] : [[name, target] as const];
        }),
      );
      const modules = lines
        .flatMap((line) => REQUIRED.exec(line)?.[1] ?? [])
        .map((module) => replacements.get(module.split(' ')[0] ?? '') ?? module);
      expect(modules.length > 0, path).to.equal(lines.some((line) => line.startsWith('require')));
      expect(
        modules.filter((module) => !known.has(`${module}/go.mod`)),
        path,
      ).to.deep.equal([]);
    }
  });

  it('have a digest for every Python package, which pip requires (N17)', async () => {
    const paths = await filesNamed('requirements.txt');
    expect(paths).to.not.deep.equal([]);
    for (const path of paths) {
      const text = (await readFile(path, 'utf8')).replaceAll('\\\n', ' ');
      const packages = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
      expect(packages.length, path).to.be.above(0);
      const faulty = packages.filter(
        (line) => !/^\S+==\S+(?: +; [^-]+)?(?:\s+--hash=sha256:[0-9a-f]{64})+$/.test(line),
      );
      expect(faulty, path).to.deep.equal([]);
      expect(await readFile(join(dirname(path), 'install'), 'utf8')).to.contain('--require-hashes');
    }
  });

  it('are the source of an SBOM with the digest of every package, and a mark on those of no image (N17)', async function () {
    this.timeout(60_000);
    const { stdout } = await promisify(execFile)('npm', ['run', '-s', 'sbom'], { maxBuffer: 1 << 26 });
    const { components } = JSON.parse(stdout) as {
      components: readonly Component[];
    };
    const listed = components.map(({ name, version, hashes, properties }) => {
      const digest = hashes.find(({ alg }) => alg === 'SHA-512')?.content ?? '';
      const isDev = properties.some((property) => property.name === 'cdx:npm:package:development');
      return `${name}@${version} sha512-${Buffer.from(digest, 'hex').toString('base64')}${isDev ? ' dev' : ''}`;
    });
    const expected = (await readPackages('package-lock.json')).map(
      ([path, { version, integrity = '', dev = false }]) =>
        `${path.replace(/^.*node_modules\//, '')}@${version} ${integrity}${dev ? ' dev' : ''}`,
    );
    expect(listed.toSorted()).to.deep.equal([...new Set(expected)].toSorted());
  });
});
