import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadedBy } from '#test/support/import-graph.ts';
import { readStages } from '#tools/local-cluster/image-process.ts';

interface Image {
  /** The folders besides crds and runtime. The last one contains the warm-up, beside other programs if it has some, unless it is the command line. */
  readonly folders: readonly string[];
  readonly programs: readonly string[];
}

const IMAGES: Readonly<Record<string, Image>> = {
  api: { folders: ['api'], programs: ['api/main.ts', 'api/programs/release-check/main.ts'] },
  controller: {
    folders: ['controller'],
    programs: [
      'controller/main.ts',
      'controller/history/migrate/main.ts',
      'controller/programs/uninstall/main.ts',
    ],
  },
  dashboard: { folders: ['administration', 'dashboard'], programs: ['dashboard/main.ts'] },
  zipper: { folders: ['zipper-image'], programs: ['zipper-image/main.ts'] },
  cli: { folders: ['administration', 'cli'], programs: ['cli/main.ts'] },
};

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

/** All files of this repository and all packages that these programs load. */
function loaded(programs: readonly string[]) {
  const targets = programs.flatMap((program) => [...loadedBy(program)]);
  const packages = targets.filter((target) => !/^node:|\.(ts|json)$/.test(target)).map(packageOf);
  return {
    // package.json is next to them, for the import aliases.
    files: [...new Set(targets)].filter((target) => /\.(ts|json)$/.test(target) && target !== 'package.json'),
    packages: [...new Set(packages)].toSorted(),
  };
}

const STAGES = readStages();

/** Instructions of one stage without the word. */
function linesOf(stage: string, word: string): readonly string[] {
  const lines = STAGES.get(stage)?.lines.filter((line) => line.startsWith(`${word} `)) ?? [];
  return lines.map((line) => line.slice(word.length + 1));
}

describe('the Dockerfile', () => {
  it('is based on the Node of .node-version, which a release can name by digest (P16, N27)', () => {
    const version = readFileSync('.node-version', 'utf8').trim();
    expect(linesOf('', 'ARG')).to.deep.equal([`NODE_IMAGE=node:${version}-slim`]);
    const bases = [...STAGES.values()].map(({ from }) => from).filter((from) => !STAGES.has(from));
    expect(new Set(bases)).to.deep.equal(new Set([`\${NODE_IMAGE}`]));
  });

  it('installs the lock file without development packages, before it copies any source (P16)', () => {
    expect(linesOf('build', 'COPY')).to.deep.equal([
      'package.json package-lock.json scripts/keep-dependencies.ts scripts/install-packages scripts/build-program ./',
    ]);
    expect(readFileSync('scripts/install-packages', 'utf8')).to.contain(
      'npm ci --omit=dev --ignore-scripts --no-audit --no-fund\n',
    );
  });

  it('runs its programs as a numeric user that is not root (P2)', () => {
    expect(linesOf('process', 'USER')).to.deep.equal(['65532:65532']);
  });

  it('has files of root that every user can read, the compile cache too (X5)', () => {
    // A build runs as root. Without this, Node finds no cache, and its files have the mode 0600.
    const program = readFileSync('scripts/build-program', 'utf8');
    expect(program)
      .to.match(/mv "\$cache" .*-65532/)
      .and.match(/\nchmod -R a\+rX,go-w node_modules program\n$/);
    const copies = [...STAGES.keys()].flatMap((stage) => linesOf(stage, 'COPY'));
    expect(copies.join('\n')).to.not.match(/--chown|--chmod/);
  });
});

for (const [target, { folders, programs }] of Object.entries(IMAGES))
  describe(`the image of ${target}`, () => {
    const folder = folders.at(-1) ?? '';
    const room = existsSync(`${folder}/programs`) ? `${folder}/programs` : folder;
    const warmUps = target === 'cli' ? [] : [`${room}/warm-up/main.ts`];
    function keptPackages(): readonly string[] {
      return (linesOf(`${target}-packages`, 'RUN')[0] ?? '').replace('sh install-packages ', '').split(' ');
    }

    it('is built in three stages (P16)', () => {
      expect(
        [`${target}-packages`, `${target}-program`, target].map((stage) => STAGES.get(stage)?.from),
      ).to.deep.equal(['build', `${target}-packages`, 'process']);
      expect(linesOf(target, 'COPY')).to.deep.equal([
        `--from=${target}-program /app/node_modules ./node_modules`,
        `--from=${target}-program /app/program ./`,
      ]);
    });

    it('runs Node directly (P2)', () => {
      const options = ['controller', 'dashboard'].includes(target) ? '"--optimize-for-size", ' : '';
      expect(linesOf(target, 'ENTRYPOINT')).to.deep.equal([`["node", ${options}"${programs[0] ?? ''}"]`]);
      expect(['CMD', 'RUN', 'USER'].flatMap((word) => linesOf(target, word))).to.deep.equal([]);
    });

    for (const warmUp of warmUps)
      it('fills its compile cache without an API server or a store (X5)', async function () {
        this.timeout(180_000);
        const cache = mkdtempSync(join(tmpdir(), 'compile-cache-'));
        try {
          const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache };
          await promisify(execFile)(process.execPath, [warmUp], { env });
          expect(readdirSync(cache, { recursive: true, encoding: 'utf8' })).to.have.length.above(100);
        } finally {
          rmSync(cache, { recursive: true });
        }
      });

    it('contains every file that its programs load, and no other folder', () => {
      const stage = `${target}-program`;
      const copied = linesOf(stage, 'COPY').flatMap((line) => /^(\S+) \.\/\1$/.exec(line)?.[1] ?? []);
      expect(copied).to.deep.equal(['crds', 'runtime', ...folders]);
      expect(linesOf(stage, 'RUN')).to.deep.equal([['sh build-program', ...warmUps].join(' ')]);
      for (const file of loaded(programs).files) {
        expect(existsSync(file), file).to.equal(true);
        expect(copied).to.include(file.split('/')[0]);
      }
    });

    it('installs exactly the packages that its programs import (X5)', () => {
      expect(keptPackages()).to.deep.equal(loaded([...programs, ...warmUps]).packages);
      expect(loaded(programs).packages).to.deep.equal(keptPackages());
    });

    it('keeps these packages in the versions of the lock file, and no others', () => {
      const root = mkdtempSync(join(tmpdir(), 'keep-dependencies-'));
      function read<T>(path: string): T {
        return JSON.parse(readFileSync(path, 'utf8')) as T;
      }
      try {
        for (const name of ['package.json', 'package-lock.json']) cpSync(name, join(root, name));
        const script = resolve('scripts/keep-dependencies.ts');
        execFileSync(process.execPath, [script, ...keptPackages()], { cwd: root });
        const all = read<Manifest>('package.json').dependencies;
        const dependencies = Object.fromEntries(keptPackages().map((name) => [name, all[name]]));
        const { packages } = read<{ packages: Record<'', Manifest> }>(join(root, 'package-lock.json'));
        for (const manifest of [read<Manifest>(join(root, 'package.json')), packages['']]) {
          expect(manifest.dependencies).to.deep.equal(dependencies);
          expect(manifest).to.not.have.property('devDependencies');
        }
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  });

describe('the image of the zipper', () => {
  it('has no web framework, Kubernetes client, Redis client or template engine', () => {
    const { packages } = loaded(['zipper-image/main.ts']);
    for (const name of ['koa', '@koa/router', '@kubernetes/client-node', 'eta', 'ioredis'])
      expect(packages).to.not.include(name);
  });
});
