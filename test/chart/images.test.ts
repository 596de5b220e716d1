import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';

/** The folders that each image holds besides crds and runtime. */
const FOLDERS = {
  api: ['administration', 'api', 'cli'],
  controller: ['controller'],
  dashboard: ['administration', 'dashboard'],
  'zipper-image': ['zipper-image'],
} as const;
const IMPORT = /\bfrom '([^'\s]+)'(?:;| with)|^import '([^'\s]+)';|\bimport\('([^'\s]+)'\)/gm;

const packageJson = async (): Promise<{ dependencies: Record<string, string> }> =>
  JSON.parse(await readFile('package.json', 'utf8')) as { dependencies: Record<string, string> };

const withoutTypeImports = (source: string): string =>
  source.replaceAll(/^(?:import|export) type [^;]*;/gms, '');

const fileOf = (importer: string, specifier: string): string | undefined => {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? normalize(join(dirname(importer), specifier)) : undefined;
};

/** Every file that a program loads from this repository, and every package. */
const loadedBy = async (entry: string): Promise<{ files: Set<string>; packages: Set<string> }> => {
  const [files, packages] = [new Set([entry]), new Set<string>()];
  for (const path of files) {
    const source = withoutTypeImports(await readFile(path, 'utf8'));
    for (const [, ...groups] of source.matchAll(IMPORT)) {
      const specifier = groups.find(Boolean) ?? '';
      const file = fileOf(path, specifier);
      if (file !== undefined) files.add(file);
      else if (!specifier.startsWith('node:'))
        packages.add(
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
  }
  return { files, packages };
};

/**
 * The images contain the compile cache, filled by a run during the build: a start is shorter and takes less
 * memory.
 */
const compileCacheSteps = (folder: string): readonly string[] => [
  'RUN install -d -o 65532 -g 65532 .compile-cache',
  `RUN ["node", "${folder}/warm-up/main.ts"]`,
];

for (const [folder, folders] of Object.entries(FOLDERS))
  describe(`the image of ${folder}`, () => {
    let dockerfile: string;
    before(async () => {
      dockerfile = await readFile(`${folder}/Dockerfile`, 'utf8');
    });
    const linesWith = (word: string): readonly string[] =>
      dockerfile.split('\n').filter((line) => line.startsWith(`${word} `));

    it('is based on a pinned image that a release can name by digest (P16)', () => {
      expect(linesWith('ARG')).to.deep.equal(['ARG NODE_IMAGE=node:24.21.0-slim']);
      expect(linesWith('FROM')).to.deep.equal([`FROM \${NODE_IMAGE} AS dependencies`, `FROM \${NODE_IMAGE}`]);
    });

    it('installs the lock file without development packages (P16)', () => {
      const [install, ...others] = linesWith('RUN');
      expect(install).to.equal('RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund');
      expect(others).to.deep.equal(compileCacheSteps(folder));
    });

    it('runs Node directly, as a numeric user that is not root (P2)', () => {
      expect(linesWith('USER')).to.deep.equal(['USER 65532:65532']);
      expect(linesWith('ENTRYPOINT')).to.deep.equal([`ENTRYPOINT ["node", "${folder}/main.ts"]`]);
      expect(linesWith('CMD')).to.deep.equal([]);
    });

    it('contains every file and package that its program loads, and no other folder', async () => {
      const copied = linesWith('COPY').flatMap((line) => /^COPY (\S+) \.\/\1$/.exec(line)?.[1] ?? []);
      expect(copied).to.deep.equal(['crds', 'runtime', ...folders]);
      const programs = folder === 'api' ? ['api/main.ts', 'cli/main.ts'] : [`${folder}/main.ts`];
      const loaded = await Promise.all(programs.map(loadedBy));
      const files = new Set(loaded.flatMap((program) => [...program.files]));
      const packages = new Set(loaded.flatMap((program) => [...program.packages]));
      // Next to them, for the import aliases.
      files.delete('package.json');
      for (const file of files) {
        expect(existsSync(file), file).to.equal(true);
        expect(copied).to.include(file.split('/')[0]);
      }
      const { dependencies } = await packageJson();
      expect(Object.keys(dependencies)).to.include.members([...packages]);
    });
  });
