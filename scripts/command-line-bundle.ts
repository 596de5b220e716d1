/** The command line in one file that needs nothing but Node. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import packageJson from '../package.json' with { type: 'json' };
import { licensesOf } from './bundle-licenses.ts';

const ROOT = join(import.meta.dirname, '..');
const { engines, version } = packageJson;
const [, MAJOR = '', MINOR = ''] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? [];

const BANNER = `#!/usr/bin/env node
// zipjobs ${version}, Apache-2.0. The licenses of the packages inside are in THIRD-PARTY-LICENSES.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${MAJOR} || (major === ${MAJOR} && minor < ${MINOR})) {
  console.error('zipjobs: Node.js ' + process.version + ' is too old. Install Node.js ${MAJOR}.${MINOR} or newer');
  process.exit(1);
}
const importMetaUrl = require('node:url').pathToFileURL(__filename).href;`;

/**
 * The Kubernetes client reads kubeconfigs with one file, which imports the models of every API and all of undici. Of both it needs a
 * few parts: the rest would be most of the file, and of the time of its start. The build fails if it imports anything else.
 */
const kubernetesParts: Plugin = {
  name: 'kubernetes-parts',
  setup: (builder) => {
    const parts: Readonly<Record<string, string>> = {
      'gen/index.js': `
        export { createConfiguration } from './gen/configuration.js';
        export { ServerConfiguration } from './gen/servers.js';`,
      undici: `
        export { default as Agent } from 'undici/lib/dispatcher/agent.js';
        export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
        export async function fetch(...args) {
          const undici = await import('undici');
          return undici.fetch(...args);
        }`,
    };
    builder.onResolve({ filter: /^undici$|^\.\/gen\/index\.js$/ }, ({ path, importer, resolveDir }) =>
      importer.includes('/@kubernetes/client-node/dist/')
        ? { path: path.replace('./', ''), namespace: 'parts', pluginData: resolveDir }
        : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: 'parts' }, ({ path, pluginData }) => ({
      contents: parts[path] ?? '',
      resolveDir: String(pluginData),
    }));
  },
};

export interface Bundle {
  /** Path of the file. */
  readonly file: string;
  /** Paths from the root of every module in it. */
  readonly modules: readonly string[];
}

/** Writes zipjobs.cjs, and the licenses of what is in it, into the folder. */
export async function bundleCommandLine(folder: string): Promise<Bundle> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'zipjobs.cjs');
  const { metafile } = await build({
    stdin: {
      contents: `import { startProcess } from './cli/start.ts'; void startProcess();`,
      resolveDir: ROOT,
      sourcefile: 'zipjobs.ts',
    },
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // An older Node can read it, and say that it is too old.
    target: 'node20',
    // Modules are run when they are imported. A single executable with compiled code has no import().
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: { js: BANNER },
    // Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    outfile: file,
    plugins: [kubernetesParts],
  });
  chmodSync(file, 0o755);
  const modules = Object.keys(metafile.inputs);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licensesOf(modules));
  return { file, modules };
}
