/**
 * A step of an image build: removes every dependency that is not an argument from package.json and package-lock.json, so
 * that `npm ci` installs only these packages and what they need. `node scripts/keep-dependencies.ts koa undici`
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, unknown>> & { readonly '': Manifest };
}

const names = process.argv.slice(2);

function withoutOthers<T extends Manifest>({ devDependencies: _development, ...manifest }: T): Manifest {
  const dependencies = Object.fromEntries(
    names.map((name) => {
      const version = manifest.dependencies[name];
      if (version === undefined) throw new Error(`package.json has no dependency "${name}"`);
      return [name, version] as const;
    }),
  );
  return { ...manifest, dependencies };
}

function edit<T>(path: string, change: (content: T) => T): void {
  const content = JSON.parse(readFileSync(path, 'utf8')) as T;
  writeFileSync(path, `${JSON.stringify(change(content), null, 2)}\n`);
}

edit<Manifest>('package.json', withoutOthers);
edit<LockFile>('package-lock.json', (lock) => ({
  ...lock,
  packages: { ...lock.packages, '': withoutOthers(lock.packages['']) },
}));
