/**
 * Prints the manifest with which krew installs the command line as `kubectl zipjobs`: `node scripts/krew-manifest.ts OWNER/REPO FOLDER`,
 * where FOLDER has the archives zipjobs-OS-ARCH.tar.gz of the release.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const ARCHIVE = /^zipjobs-(linux|darwin)-(amd64|arm64)\.tar\.gz$/;
const [repository = '', folder = ''] = process.argv.slice(2);
if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || folder === '') {
  console.error('Usage: node scripts/krew-manifest.ts OWNER/REPO FOLDER');
  process.exit(2);
}

const { version } = packageJson;
const platforms = readdirSync(folder)
  .toSorted()
  .flatMap((file) => {
    const [, os, arch] = ARCHIVE.exec(file) ?? [];
    if (os === undefined || arch === undefined) return [];
    const sha256 = createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
    const uri = `https://github.com/${repository}/releases/download/v${version}/${file}`;
    return [{ selector: { matchLabels: { os, arch } }, uri, sha256, bin: 'zipjobs' }];
  });
if (platforms.length === 0) throw new Error(`${folder} has no archive such as zipjobs-linux-amd64.tar.gz`);

const manifest = {
  apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
  kind: 'Plugin',
  metadata: { name: 'zipjobs' },
  spec: {
    version: `v${version}`,
    homepage: `https://github.com/${repository}`,
    shortDescription: 'Zip remote files into your S3 or R2 bucket',
    description:
      'Manages the projects, buckets, tokens, webhooks and jobs of zipjobs, which zips remote files into your own bucket with one Kubernetes Job per archive.\n',
    caveats: `zipjobs must be installed in the cluster: https://github.com/${repository}#readme\nTo complete words after "kubectl zipjobs", run:\n  kubectl zipjobs completion > "\${KREW_ROOT:-$HOME/.krew}/bin/kubectl_complete-zipjobs"\n  chmod +x "\${KREW_ROOT:-$HOME/.krew}/bin/kubectl_complete-zipjobs"\n`,
    platforms,
  },
};
process.stdout.write(stringify(manifest, { lineWidth: 0 }));
