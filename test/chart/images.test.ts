import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { loadedBy } from '#test/support/import-graph.ts';

interface Image {
  /** The folders besides crds and runtime. */
  readonly folders: readonly string[];
  readonly programs: readonly string[];
}

const IMAGES: Readonly<Record<string, Image>> = {
  api: {
    folders: ['administration', 'api', 'cli'],
    programs: ['api/main.ts', 'api/release-check/main.ts', 'cli/main.ts'],
  },
  controller: {
    folders: ['controller'],
    programs: ['controller/main.ts', 'controller/migrate/main.ts', 'controller/uninstall/main.ts'],
  },
  dashboard: { folders: ['administration', 'dashboard'], programs: ['dashboard/main.ts'] },
  'zipper-image': { folders: ['zipper-image'], programs: ['zipper-image/main.ts'] },
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

for (const [folder, { folders, programs }] of Object.entries(IMAGES))
  describe(`the image of ${folder}`, () => {
    let stages: readonly string[];
    before(() => {
      const text = readFileSync(`${folder}/Dockerfile`, 'utf8').replaceAll(/ \\\n\s*/g, ' ');
      stages = text.split(/^(?=FROM )/m);
    });
    /** Instructions of one stage; the first part of the file, before any stage, is 0. */
    function linesOf(stage: number, word: string): readonly string[] {
      return (stages[stage] ?? '').split('\n').filter((line) => line.startsWith(`${word} `));
    }
    function keptPackages(): readonly string[] {
      return (linesOf(1, 'RUN')[0] ?? '').replace('RUN node keep-dependencies.ts ', '').split(' ');
    }

    it('is based on the Node of .node-version, which a release can name by digest (P16, N27)', () => {
      const version = readFileSync('.node-version', 'utf8').trim();
      expect(linesOf(0, 'ARG')).to.deep.equal([`ARG NODE_IMAGE=node:${version}-slim`]);
      expect(stages.slice(1).map((stage) => stage.split('\n')[0])).to.deep.equal([
        `FROM \${NODE_IMAGE} AS dependencies`,
        `FROM \${NODE_IMAGE} AS program`,
        `FROM \${NODE_IMAGE}`,
      ]);
    });

    it('installs the lock file without development packages, before it copies any source (P16)', () => {
      expect(linesOf(1, 'COPY')).to.deep.equal([
        'COPY package.json package-lock.json scripts/keep-dependencies.ts ./',
      ]);
      expect(linesOf(1, 'RUN')[1]).to.match(
        /^RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund &&/,
      );
      expect(linesOf(2, 'COPY')[0]).to.equal('COPY --from=dependencies /app/node_modules ./node_modules');
      expect(linesOf(3, 'COPY')[0]).to.equal('COPY --from=program /app/node_modules ./node_modules');
    });

    it('runs Node directly, as a numeric user that is not root (P2)', () => {
      expect(linesOf(3, 'USER')).to.deep.equal(['USER 65532:65532']);
      const options = ['controller', 'dashboard'].includes(folder) ? '"--optimize-for-size", ' : '';
      expect(linesOf(3, 'ENTRYPOINT')).to.deep.equal([`ENTRYPOINT ["node", ${options}"${folder}/main.ts"]`]);
      expect(linesOf(3, 'CMD')).to.deep.equal([]);
    });

    it('belongs to root, and every user can read it and its compile cache (X5)', () => {
      // A build runs as root. Without this, Node finds no cache, and its files have the mode 0600.
      const [fill, permit] = linesOf(2, 'RUN');
      expect(fill).to.match(new RegExp(`^RUN node ${folder}/warm-up/main\\.ts && .*-65532`));
      expect(permit).to.equal('RUN chmod -R a+rX,go-w .');
      expect([2, 3].flatMap((stage) => linesOf(stage, 'COPY')).join('\n')).to.not.match(/--chown|--chmod/);
      expect(linesOf(3, 'RUN')).to.deep.equal([]);
    });

    it('fills its compile cache without an API server or a store (X5)', async function () {
      this.timeout(180_000);
      const cache = mkdtempSync(join(tmpdir(), 'compile-cache-'));
      try {
        const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache };
        await promisify(execFile)(process.execPath, [`${folder}/warm-up/main.ts`], { env });
        expect(readdirSync(cache, { recursive: true, encoding: 'utf8' })).to.have.length.above(100);
      } finally {
        rmSync(cache, { recursive: true });
      }
    });

    it('contains every file that its programs load, and no other folder', () => {
      const copied = linesOf(2, 'COPY').flatMap((line) => /^COPY (\S+) \.\/\1$/.exec(line)?.[1] ?? []);
      expect(copied).to.deep.equal(['crds', 'runtime', ...folders]);
      const final = linesOf(3, 'COPY').flatMap((line) => / \/app\/(\S+) \.\/\1?$/.exec(line)?.[1] ?? []);
      expect(final).to.deep.equal(['node_modules', 'package.json', ...copied, '.compile-cache']);
      for (const file of loaded(programs).files) {
        expect(existsSync(file), file).to.equal(true);
        expect(copied).to.include(file.split('/')[0]);
      }
    });

    it('installs exactly the packages that its programs import (X5)', () => {
      expect(keptPackages()).to.deep.equal(loaded([...programs, `${folder}/warm-up/main.ts`]).packages);
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
